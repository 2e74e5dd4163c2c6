import {
  Array as ArrayOf,
  Boolean as BooleanOf,
  Enum,
  Integer,
  Null,
  Number as NumberOf,
  Object as ObjectOf,
  Optional,
  Record as RecordOf,
  type Static,
  String as StringOf,
  type TSchema,
  Union,
  Unknown,
} from "typebox";
import { DEFAULT_MAX_REPLIES } from "./run-values.ts";

/** Who can set a setting: with `resource`, a workspace can, otherwise only the user. A `machine` setting doesn't sync. */
type SettingScope = "application" | "machine" | "resource";

/** Titles of the groups on the settings page, in their order. */
export const SETTING_GROUPS = {
  model: "Model",
  azure: "Azure OpenAI",
  run: "Run",
  approval: "Approval",
  commands: "Commands",
  isolation: "Isolated runs",
  memory: "Memory",
  plugins: "Plugins and tools",
  web: "Web",
  media: "Images and audio",
  general: "General",
} as const;

/** One setting: the source for package.json, the README, the types and the flags. */
export interface SettingRow {
  /** Includes a `default`. */
  readonly type: TSchema;
  readonly scope: SettingScope;
  readonly group: keyof typeof SETTING_GROUPS;
  /** Markdown of at most 25 words, for the settings page and the documentation. */
  readonly description: string;
  /** Additional Markdown for the documentation only, placed after the description. */
  readonly details?: string;
  /** One line for each value of an enumeration. */
  readonly values?: readonly string[];
  /** The host where the setting has an effect; `both` if the command line supports it as well. */
  readonly host: "both" | "editor";
  /** `union`: each layer only adds to the list, so that a workspace can't take anything away. */
  readonly merge?: "union";
  /** `false`: read from a workspace even before it is trusted. */
  readonly restricted?: false;
  /** Schema of the items for the settings page. Readers don't check it, because they read each item separately. */
  readonly items?: TSchema;
}

const text = StringOf({ default: "" });
const on = BooleanOf({ default: true });
const off = BooleanOf({ default: false });
const texts = ArrayOf(StringOf(), { default: [] });
const count = (value: number, limits: { readonly minimum: number; readonly maximum?: number }) =>
  Integer({ default: value, ...limits });
const OPENAI = StringOf({ default: "https://api.openai.com/v1" });

const PRICE = ObjectOf(
  {
    input: NumberOf({ minimum: 0 }),
    output: NumberOf({ minimum: 0 }),
    cached: Optional(NumberOf({ minimum: 0 })),
    written: Optional(NumberOf({ minimum: 0 })),
  },
  { additionalProperties: false },
);

const RULE = ObjectOf(
  {
    command: StringOf(),
    argument: Optional(StringOf()),
    exact: Optional(StringOf()),
    prefix: Optional(StringOf()),
    glob: Optional(StringOf()),
    path: Optional(StringOf()),
    action: Enum(["allow", "ask", "refuse"]),
  },
  { additionalProperties: false },
);

/** Known servers, by their name in `model@name`. Their addresses are in `models/presets.ts`. */
export const PRESET_NAMES = [
  "openai",
  "openrouter",
  "anthropic",
  "gemini",
  "mistral",
  "deepseek",
  "huggingface",
  "litellm",
  "vllm",
  "lmstudio",
  "ollama",
] as const;

const PROVIDER = ObjectOf(
  {
    preset: Optional(Enum([...PRESET_NAMES])),
    kind: Optional(Enum(["openai", "azure"])),
    address: Optional(StringOf()),
    apiVersion: Optional(StringOf()),
    api: Optional(Enum(["auto", "chat", "responses", "messages"])),
    models: Optional(ArrayOf(StringOf())),
    contextWindow: Optional(Integer({ minimum: 0 })),
  },
  { additionalProperties: false },
);

/** Every setting, by its name without `autogpt.`. Everything else about settings is derived from these rows. */
export const SETTINGS = {
  language: {
    type: Enum(["auto", "en", "de", "ja"], { default: "auto" }),
    scope: "application",
    group: "general",
    host: "editor",
    description:
      "Language of the panel, messages and pickers. Titles of actions and settings follow the editor's display language.",
    values: ["The editor's display language, or English if it isn't available", "English", "Deutsch", "日本語"],
  },
  "model.provider": {
    type: Enum(["auto", "openai", "azure", "vscode"], { default: "auto" }),
    scope: "application",
    group: "model",
    host: "both",
    description: "Where models come from.",
    values: [
      "The first source that is ready: a server with an API key, the models in the editor, a local server",
      "OpenAI, or any compatible server at the base URL",
      "An Azure OpenAI deployment",
      "The language models that the editor and its extensions provide",
    ],
  },
  "model.baseUrl": {
    type: OPENAI,
    scope: "machine",
    group: "model",
    host: "both",
    description: "Address of an OpenAI-compatible API. A new address asks for its key again.",
    details: "A key is stored for one origin and is only ever sent there.",
  },
  "model.api": {
    type: Enum(["auto", "chat", "responses", "messages"], { default: "auto" }),
    scope: "machine",
    group: "model",
    host: "both",
    description: "API that models are reached over. Only with `auto`, another one is tried where a server wants it.",
    details: "What a server wants is remembered for 30 days.",
    values: [
      "The best one for the server and the model",
      "OpenAI's chat completions, which nearly every server has",
      "OpenAI's Responses",
      "Anthropic's Messages",
    ],
  },
  "model.providers": {
    type: RecordOf(StringOf(), PROVIDER, { default: {} }),
    scope: "machine",
    group: "model",
    host: "both",
    description:
      'More providers by name, such as `{ "gpu": { "address": "http://gpu:8000/v1" } }`. The *Models* page edits them.',
  },
  "model.smart": {
    type: text,
    scope: "machine",
    group: "model",
    host: "both",
    description:
      "Main model, such as `gpt-6.2-sol` or `claude-sonnet-5-5@anthropic`. Empty: the provider's default. The *Models* page lists the available ones.",
  },
  "model.fast": {
    type: text,
    scope: "machine",
    group: "model",
    host: "both",
    description:
      "Model for drafts, reviews and summaries, such as `gpt-6-luna@openai`. Empty: the same as the main model.",
  },
  "model.fallback": {
    type: ArrayOf(StringOf(), { default: [], maxItems: 3 }),
    scope: "machine",
    group: "model",
    host: "both",
    description:
      "Up to three models, such as `claude-sonnet-5-5@anthropic`, that take over in this order when the main or the fast one is overloaded, out of credit or refuses.",
    details: "Named as in `autogpt.model.smart`. After ten minutes the first one is asked again.",
  },
  "model.embedding": {
    type: text,
    scope: "machine",
    group: "model",
    host: "both",
    description:
      "Embedding model that finds memories by meaning. `offline`: an English model on this machine. Empty: a smaller one that ships with AutoGPT.",
    details:
      "A model of the provider, such as `text-embedding-3-small`, is sent the text of memories. `offline` is a 42 MB download that asks first. *Choose How Memories Are Found…* lists what works here and what it costs.",
  },
  "model.contextWindow": {
    type: count(0, { minimum: 0 }),
    scope: "machine",
    group: "model",
    host: "both",
    description:
      "Maximum number of tokens in prompt and reply together. 0: the provider's value, or else 128,000 (16,000 for a local server).",
  },
  "model.timeoutSeconds": {
    type: count(120, { minimum: 0 }),
    scope: "machine",
    group: "model",
    host: "both",
    description: "Seconds to wait for the first part of a reply and for each part after it. 0: no limit.",
  },
  "model.organization": {
    type: text,
    scope: "machine",
    group: "model",
    host: "both",
    description: "OpenAI organization (`org-…`) for requests. Only sent to OpenAI. Empty: the key's own.",
  },
  "model.project": {
    type: text,
    scope: "machine",
    group: "model",
    host: "both",
    description: "OpenAI project (`proj_…`) for requests. Only sent to OpenAI. Empty: the key's own.",
  },
  "model.prices": {
    type: RecordOf(StringOf(), PRICE, { default: {} }),
    scope: "machine",
    group: "model",
    host: "both",
    description:
      "Prices in US dollars per million tokens, by model name. They take precedence over the built-in table.",
    details:
      'Example: `{ "my-model": { "input": 1, "output": 4, "cached": 0.1, "written": 1.25 } }`. `cached` is the price of input that is read from a cache, `written` that of input put into one.',
  },
  "model.temperature": {
    type: Union([NumberOf({ minimum: 0, maximum: 2 }), Null()], { default: null }),
    scope: "resource",
    group: "model",
    host: "both",
    description: "Sampling temperature, from 0 to 2. Unset: the server's default.",
  },
  "model.reasoningEffort": {
    type: Enum(["auto", "none", "minimal", "low", "medium", "high", "xhigh", "max"], { default: "auto" }),
    scope: "application",
    group: "model",
    host: "both",
    description:
      "How long a reasoning model thinks before it replies. More costs more. Other models ignore this setting.",
    values: [
      "The model's own default",
      "Not at all, where a model can do that",
      "As little as possible, or none",
      "A little",
      "A medium amount",
      "Much",
      "More, where a model can do that",
      "As much as it can",
    ],
  },
  "model.requestsPerMinute": {
    type: NumberOf({ default: 0, minimum: 0 }),
    scope: "application",
    group: "model",
    host: "both",
    description: "Maximum number of requests a minute to each server of models. 0: no limit.",
    details: "They are spread evenly over the minute, and count over all runs of a window or a command line.",
  },
  "model.tokensPerMinute": {
    type: count(0, { minimum: 0 }),
    scope: "application",
    group: "model",
    host: "both",
    description: "Maximum number of tokens a minute for each server of models, on average. 0: no limit.",
    details: "Tokens are known once a reply is there, so the next request waits for them.",
  },
  "model.cacheMinutes": {
    type: Enum(["auto", "5", "60"], { default: "auto" }),
    scope: "application",
    group: "model",
    host: "both",
    description: "How long Anthropic's models keep a prompt in their cache. An hour costs more to store.",
    values: ["An hour while a run may wait for you, five minutes in continuous mode", "Five minutes", "An hour"],
  },
  "model.replyFormat": {
    type: Enum(["auto", "tools", "jsonSchema", "text", "files"], { default: "auto" }),
    scope: "resource",
    group: "model",
    host: "both",
    description: "Format in which the model replies.",
    values: [
      "What the model does best: whole files for small models, else tool calls, or JSON for context windows below 32,000 tokens",
      "Tool calls",
      "JSON that follows a schema",
      "JSON in plain text",
      "Whole files, which small models write better than JSON",
    ],
  },
  "model.thoughts": {
    type: Enum(["auto", "full", "short"], { default: "auto" }),
    scope: "application",
    group: "model",
    host: "both",
    description: "How the model thinks aloud before each command.",
    values: [
      "Short for models with their own reasoning and for context windows up to 8,192 tokens, otherwise full",
      "Five thoughts: text, reasoning, plan, self-review and a sentence for you",
      "At most one short text, which costs fewer tokens",
    ],
  },
  "azure.endpoint": {
    type: text,
    scope: "machine",
    group: "azure",
    host: "both",
    description: "Azure OpenAI endpoint, such as `https://NAME.openai.azure.com`.",
  },
  "azure.apiVersion": {
    type: StringOf({ default: "2024-10-21" }),
    scope: "machine",
    group: "azure",
    host: "both",
    description: "Azure OpenAI API version.",
  },
  "azure.smartDeployment": {
    type: text,
    scope: "machine",
    group: "azure",
    host: "both",
    description: "Deployment of the main model.",
  },
  "azure.fastDeployment": {
    type: text,
    scope: "machine",
    group: "azure",
    host: "both",
    description: "Deployment of the fast model. Empty: the main model's.",
  },
  "run.continuous": {
    type: off,
    scope: "application",
    group: "run",
    host: "both",
    description:
      "**Dangerous.** Start new runs in continuous mode: commands run without approval up to the continuous limit. Sensitive files still need approval.",
  },
  "run.continuousLimit": {
    type: count(25, { minimum: 1 }),
    scope: "application",
    group: "run",
    host: "both",
    description: "Number of commands that run in continuous mode before AutoGPT asks again.",
  },
  "run.maxSteps": {
    type: count(100, { minimum: 0 }),
    scope: "application",
    group: "run",
    host: "both",
    description: "Maximum number of steps in a run. 0: no limit.",
    details: "Steps whose command didn't run, such as unreadable replies, count only against `run.maxReplies`.",
  },
  "run.maxReplies": {
    type: count(DEFAULT_MAX_REPLIES, { minimum: 0 }),
    scope: "application",
    group: "run",
    host: "both",
    description: "Maximum number of model replies in a run, including unreadable and rejected ones. 0: no limit.",
    details: "The default grows with `run.maxSteps`: three for each step.",
  },
  "run.maxTokens": {
    type: count(200_000_000, { minimum: 0 }),
    scope: "application",
    group: "run",
    host: "both",
    description: "Maximum number of tokens in a run. Limits the cost where the model's price is unknown. 0: no limit.",
    details: "Cached input counts at its price relative to other input, or as a tenth if the price is unknown.",
  },
  "run.maxMinutes": {
    type: count(60, { minimum: 0 }),
    scope: "application",
    group: "run",
    host: "both",
    description: "Maximum number of minutes that a run thinks and acts. Waiting for you doesn't count. 0: no limit.",
  },
  "run.budgetUsd": {
    type: NumberOf({ default: 2, minimum: 0 }),
    scope: "application",
    group: "run",
    host: "both",
    description: "Maximum cost of a run in US dollars, if the model's price is known. 0: no limit.",
    details: "A smaller budget in the run's profile takes precedence.",
  },
  "run.budgetPerDay": {
    type: NumberOf({ default: 0, minimum: 0 }),
    scope: "application",
    group: "run",
    host: "both",
    description: "Maximum cost of all runs of a day in US dollars, over all folders on this machine. 0: no limit.",
    details:
      "Windows and command lines count together, by the local date. You are warned once 80% are spent. Models that cost nothing can always be used.",
  },
  "run.budgetPerMonth": {
    type: NumberOf({ default: 0, minimum: 0 }),
    scope: "application",
    group: "run",
    host: "both",
    description:
      "Maximum cost of all runs of a calendar month in US dollars, over all folders on this machine. 0: no limit.",
    details: "Counts like `run.budgetPerDay`.",
  },
  "run.retentionDays": {
    type: count(90, { minimum: 0 }),
    scope: "application",
    group: "run",
    host: "editor",
    description:
      "Days after which an unused run is moved to the trash. Pinned runs are never removed. 0: keep all runs.",
  },
  "run.reuseProfile": {
    type: off,
    scope: "application",
    group: "run",
    host: "both",
    description: "Start with the last profile without asking. Goals are drafted for each task.",
    details: "Its name and role stay the same.",
  },
  "run.reviewProfile": {
    type: off,
    scope: "application",
    group: "run",
    host: "editor",
    description: "Review the drafted profile before every run starts.",
  },
  "agents.max": {
    type: count(3, { minimum: 0, maximum: 20 }),
    scope: "application",
    group: "run",
    host: "both",
    description: "Maximum number of sub-agents at once. Each takes its share of the run's budget. 0: none.",
  },
  "approval.rules": {
    type: ArrayOf(Unknown(), { default: [] }),
    items: RULE,
    scope: "application",
    group: "approval",
    host: "both",
    description:
      'Your rules. The first match decides: `{ "command": "execute_shell", "prefix": "npm test", "action": "allow" }`.',
    details:
      "`command` is the name of a command or `*`. `argument` names the argument to compare, and `exact`, `prefix`, `glob` or `path` is what it must match. `action` is `allow`, `ask` or `refuse`. Sensitive files need approval in any case.",
  },
  "approval.readOnlyShell": {
    type: off,
    scope: "application",
    group: "approval",
    host: "both",
    description: "Run commands that only read, such as `git status` or `ls -la`, without approval.",
    details: "Each command line is parsed, and one that can't be parsed needs approval.",
  },
  "approval.openDiff": {
    type: on,
    scope: "application",
    group: "approval",
    host: "editor",
    description: "Open the diff of a proposed change automatically while you aren't typing.",
  },
  "approval.deny": {
    type: texts,
    merge: "union",
    scope: "resource",
    group: "approval",
    host: "both",
    description:
      "Commands and files that are always rejected, such as `delete_file` or `write_to_file(src/generated/**)`. A workspace can only add to the list.",
  },
  "commands.disabled": {
    type: texts,
    merge: "union",
    scope: "resource",
    group: "commands",
    host: "both",
    description: "Commands, such as `delete_file`, or categories, such as `shell`, that the agent can't use.",
    details: "The categories: `files`, `code`, `python`, `shell`, `git`, `web`, `media`, `memory`, `agents`.",
  },
  "shell.enabled": {
    type: on,
    scope: "application",
    group: "commands",
    host: "both",
    description: "Let the agent propose shell commands.",
  },
  "shell.timeoutSeconds": {
    type: count(120, { minimum: 1 }),
    scope: "application",
    group: "commands",
    host: "both",
    description: "Seconds after which a shell command and its child processes are stopped.",
  },
  "shell.sandbox": {
    type: Enum(["off", "confined", "trusted"], { default: "off" }),
    scope: "machine",
    group: "commands",
    host: "both",
    description: "Run shell commands in the system's sandbox (bubblewrap on Linux, sandbox-exec on macOS).",
    details:
      "There they can write only to the workspace, except for files that control other programs, and have no access to keys, other projects or the network. If the system has no sandbox, a message says so, and commands run and ask as usual.",
    values: [
      "Commands run as if you had run them",
      "Commands run in the sandbox and need approval as usual",
      "Commands run in the sandbox, and those that delete nothing run without approval",
    ],
  },
  "shell.terminal": {
    type: Enum(["auto", "integrated", "background"], { default: "auto" }),
    scope: "application",
    group: "commands",
    host: "editor",
    description: "Where approved shell commands run. A terminal has your shell's environment and takes input.",
    details: "Commands that run without your approval, or in the sandbox, always run in the background.",
    values: [
      "In a visible terminal; in the background on Windows, and once a terminal couldn't start one",
      "In a visible terminal; a command that it can't start fails",
      "In the background, without your shell's environment and without input",
    ],
  },
  "python.interpreter": {
    type: text,
    scope: "machine",
    group: "commands",
    host: "both",
    description:
      "Path or name of the Python interpreter. Empty: the one selected in the Python extension, a virtual environment, or `python3`.",
    details: "Virtual environments are found in the workspace's `.venv` or `venv`.",
  },
  "python.useDocker": {
    type: off,
    scope: "machine",
    group: "commands",
    host: "both",
    description:
      "Run Python in a Docker container (`python:3-slim`) that can access only the workspace folder. Requires Docker.",
  },
  "isolation.engine": {
    type: Enum(["auto", "bubblewrap", "seatbelt", "docker", "podman"], { default: "auto" }),
    scope: "machine",
    group: "isolation",
    host: "both",
    description: "Sandbox for the programs of isolated runs.",
    values: [
      "The first one that works on this system",
      "bubblewrap, on Linux",
      "sandbox-exec, on macOS",
      "A Docker container",
      "A Podman container",
    ],
  },
  "isolation.hosts": {
    type: texts,
    scope: "machine",
    group: "isolation",
    host: "both",
    description:
      "Hosts that programs of isolated runs may reach, such as `example.com`. `registries`: package registries. Empty: no network.",
    details: "Addresses of this machine and its network are never reached.",
  },
  "isolation.lend": {
    type: texts,
    scope: "machine",
    group: "isolation",
    host: "both",
    description:
      "Glob patterns of files with secrets that isolated runs get, such as `.env.test`. All other secrets are left out.",
  },
  "isolation.quotaMb": {
    type: count(4096, { minimum: 64 }),
    scope: "machine",
    group: "isolation",
    host: "both",
    description: "Maximum disk space for the copies of all isolated runs, in megabytes.",
  },
  "memory.enabled": {
    type: on,
    scope: "resource",
    group: "memory",
    host: "both",
    description: "Store the steps of runs in `.autogpt/memory` and recall relevant ones before each step.",
  },
  "memory.recallCount": {
    type: count(10, { minimum: 0, maximum: 50 }),
    scope: "resource",
    group: "memory",
    host: "both",
    description: "Maximum number of memories recalled for a step.",
  },
  "memory.maxTokens": {
    type: count(1500, { minimum: 0, maximum: 20_000 }),
    scope: "resource",
    group: "memory",
    host: "both",
    description: "Maximum number of tokens of the memories recalled for a step.",
  },
  "memory.queryMessages": {
    type: count(9, { minimum: 1, maximum: 20 }),
    scope: "application",
    group: "memory",
    host: "both",
    description: "Number of recent messages that memories are searched with.",
  },
  "memory.summarise": {
    type: off,
    scope: "application",
    group: "memory",
    host: "both",
    description: "Let the fast model summarize recalled memories. Costs one call whenever other memories are recalled.",
    details: "It counts toward the run's budget, and is skipped if it could exceed that.",
  },
  "memory.backend": {
    type: Enum(["local", "postgres", "redis", "pinecone", "milvus", "plugin"], { default: "local" }),
    scope: "machine",
    group: "memory",
    host: "both",
    description:
      "Kind of server that memories are shared through with a team. *Share Memory…* sets it and asks what may be shared.",
    details: "Every memory also stays on this machine. Nothing leaves it before you agree, for each folder.",
    values: [
      "Memories aren't shared.",
      "A PostgreSQL database, version 13 or later, with or without pgvector.",
      "A Redis or Valkey server, version 5 or later.",
      "A serverless index of Pinecone.",
      "Isn't built in any more. Choose another kind, or an extension that brings it.",
      "A store that another extension brings. The command line has none.",
    ],
  },
  "memory.url": {
    type: text,
    scope: "machine",
    group: "memory",
    host: "both",
    description:
      "Address of the server, such as `postgres://user@host/database`, without a password: *Share Memory…* asks for that.",
    details: "On the command line, the password is in `MEMORY_SECRET`.",
  },
  "memory.project": {
    type: text,
    scope: "machine",
    group: "memory",
    host: "both",
    description:
      "Name of the project on the server for all folders, the same for everybody on the team. Empty: the address of the git remote `origin`.",
    details: "Without a remote, *Share Memory…* asks for the name of each folder's project.",
  },
  "plugins.allow": {
    type: texts,
    scope: "machine",
    group: "plugins",
    host: "both",
    description: "Names of the plugins that may be used at all. Empty: all that you have allowed.",
    details: "It only narrows: a plugin of a folder also needs your permission in *Tools and Plugins*.",
  },
  "plugins.deny": {
    type: texts,
    scope: "machine",
    group: "plugins",
    host: "both",
    description: "Names of plugins that are never used, even if you have allowed them.",
  },
  "plugins.config": {
    type: RecordOf(StringOf(), RecordOf(StringOf(), Unknown()), { default: {} }),
    scope: "machine",
    group: "plugins",
    host: "both",
    description: 'Values for plugins, by the plugin\'s name, such as `{ "email": { "user": "me@example.com" } }`.',
    details: "A plugin sees its own values alone. Passwords don't belong here.",
  },
  "mcp.servers": {
    type: RecordOf(StringOf(), RecordOf(StringOf(), Unknown()), { default: {} }),
    scope: "machine",
    group: "plugins",
    host: "both",
    description:
      'MCP servers by name: `{ "files": { "command": "npx", "args": ["-y", "…"] }, "docs": { "url": "https://…" } }`.',
    details:
      "A server needs your permission in *Tools and Plugins* before it starts, and again when its entry changes. `env`, `envFile`, `cwd` and `headers` may be added; write secrets as `$" +
      "{input:name}` or `$" +
      "{env:NAME}`. `timeoutSeconds` (60) limits a call that reports no progress, `pinned` names tools to offer in each prompt. A trusted folder's `.autogpt/mcp.json` has the same entries under `servers`.",
  },
  "web.enabled": {
    type: on,
    scope: "application",
    group: "web",
    host: "both",
    description:
      "Let the agent search the web and read pages. Each page needs approval unless a rule or an earlier approval allows it.",
  },
  "web.searchProvider": {
    type: Enum(["duckduckgo", "google", "custom"], { default: "duckduckgo" }),
    scope: "application",
    group: "web",
    host: "both",
    description: "Search service. Set its key with *AutoGPT: Set API Key…*.",
    values: [
      "DuckDuckGo, no key required",
      "Google Programmable Search Engine, requires a key and an engine ID",
      "The service at autogpt.web.searchUrl",
    ],
  },
  "web.searchUrl": {
    type: text,
    scope: "machine",
    group: "web",
    host: "both",
    description: "Address of a search service that answers in JSON, with `{query}` and, if supported, `{count}`.",
    details:
      "Brave: `https://api.search.brave.com/res/v1/web/search?q={query}&count={count}`. SearXNG: `http://localhost:8888/search?q={query}&format=json`.",
  },
  "web.searchHeaders": {
    type: RecordOf(StringOf(), StringOf(), { default: {} }),
    scope: "machine",
    group: "web",
    host: "both",
    description: "HTTP headers for the service at `autogpt.web.searchUrl`, with `{key}` in place of its key.",
    details: 'Brave: `{ "X-Subscription-Token": "{key}" }`.',
  },
  "web.googleEngineId": {
    type: text,
    scope: "application",
    group: "web",
    host: "both",
    description: "ID (`cx`) of the Google Programmable Search Engine.",
  },
  "web.allowHosts": {
    type: texts,
    scope: "machine",
    group: "web",
    host: "both",
    description:
      "Hosts on this machine or in its network that the agent may reach, such as `localhost:8080`. All others are blocked.",
    details:
      "In continuous mode, these are also the hosts that may be reached without approval after the agent has read text from untrusted sources.",
  },
  "web.maxBytes": {
    type: count(5_000_000, { minimum: 10_000, maximum: 50_000_000 }),
    scope: "application",
    group: "web",
    host: "both",
    description: "Maximum page size in bytes, uncompressed. The rest of a larger page is cut off.",
  },
  "web.browser": {
    type: StringOf({ default: "auto" }),
    scope: "machine",
    group: "web",
    host: "both",
    description:
      "Browser for pages that need scripts: `auto` (an installed Chromium, Chrome, Edge or Brave), `off`, or a path.",
    details: "It runs without a window, with a temporary profile, and under the same limits as other requests.",
  },
  "browser.channel": {
    type: Enum(["auto", "chrome", "edge", "chromium"], { default: "auto" }),
    scope: "machine",
    group: "web",
    host: "both",
    description:
      "The browser that the agent drives and that opens pages with scripts, unless `autogpt.web.browser` names one by its path.",
    values: ["The first that is installed", "Google Chrome", "Microsoft Edge", "Chromium"],
  },
  "browser.visible": {
    type: off,
    scope: "machine",
    group: "web",
    host: "both",
    description: "Show the window of the browser that the agent drives.",
  },
  "downloads.enabled": {
    type: off,
    scope: "application",
    group: "web",
    host: "both",
    description: "Let the agent download files of up to 100 MB into the workspace. Each download needs approval.",
  },
  "image.provider": {
    type: Enum(["openai", "stableDiffusion", "huggingFace", "off"], { default: "openai" }),
    scope: "application",
    group: "media",
    host: "both",
    description: "Service that generates images.",
    values: [
      "OpenAI's Images API or a compatible server",
      "A Stable Diffusion web UI that was started with --api",
      "Hugging Face's Inference API",
      "No images",
    ],
  },
  "image.baseUrl": {
    type: OPENAI,
    scope: "machine",
    group: "media",
    host: "both",
    description: "Address of the image service. A key is only sent to the origin it was set for.",
    details:
      "Stable Diffusion web UI: `http://127.0.0.1:7860`. With Hugging Face, OpenAI's address means Hugging Face's own.",
  },
  "image.model": {
    type: StringOf({ default: "gpt-image-1" }),
    scope: "machine",
    group: "media",
    host: "both",
    description: "Image model.",
    details: "With Hugging Face, the default means `stabilityai/stable-diffusion-xl-base-1.0`.",
  },
  "image.size": {
    type: StringOf({ default: "1024x1024", pattern: "^\\d{2,4}x\\d{2,4}$" }),
    scope: "application",
    group: "media",
    host: "both",
    description: "Default width and height of images. The agent can ask for another size.",
  },
  "audio.provider": {
    type: Enum(["openai", "huggingFace"], { default: "openai" }),
    scope: "application",
    group: "media",
    host: "both",
    description: "Service that transcribes recordings.",
    values: ["OpenAI's transcription API or a compatible server", "Hugging Face's Inference API"],
  },
  "audio.baseUrl": {
    type: OPENAI,
    scope: "machine",
    group: "media",
    host: "both",
    description: "Address of the transcription service: OpenAI's API or a compatible server.",
    details: "With Hugging Face, OpenAI's address means Hugging Face's own.",
  },
  "audio.model": {
    type: StringOf({ default: "gpt-4o-mini-transcribe" }),
    scope: "machine",
    group: "media",
    host: "both",
    description: "Transcription model.",
    details: "With Hugging Face, the default means `openai/whisper-large-v3`.",
  },
  "audio.speechModel": {
    type: text,
    scope: "machine",
    group: "media",
    host: "both",
    description: "Model that reads thoughts aloud on the command line with `--speak`. Empty: the system's own voice.",
    details:
      "The model at `autogpt.audio.baseUrl`, such as `gpt-4o-mini-tts`. The sentences are sent there, and count toward the run's cost.",
  },
  "audio.voice": {
    type: StringOf({ default: "alloy" }),
    scope: "application",
    group: "media",
    host: "both",
    description: "Voice of `autogpt.audio.speechModel`.",
  },
  "rules.file": {
    type: text,
    scope: "machine",
    group: "general",
    host: "both",
    description:
      "File with your own instructions for every run, such as `~/agent-rules.md`. They can add constraints, but can't widen what the agent may do.",
    details: "See [rules and skills](rules-and-skills.md).",
  },
  "speech.enabled": {
    type: off,
    scope: "resource",
    group: "general",
    host: "editor",
    description: "Read the agent's messages aloud, and announce when it needs you.",
  },
  "notify.url": {
    type: text,
    scope: "application",
    group: "general",
    host: "editor",
    description:
      "Address that gets one HTTP POST for each question of a run that isn't in view, such as `https://ntfy.sh/my-topic`. Empty: none.",
    details:
      "`https`, or `http` on this machine. If it needs a token, set it with *AutoGPT: Set API Key…*. See [questions that reach you](web.md#questions-that-reach-you).",
  },
  "notify.format": {
    type: Enum(["auto", "json", "ntfy", "slack"], { default: "auto" }),
    scope: "application",
    group: "general",
    host: "editor",
    description: "What `autogpt.notify.url` understands.",
    values: [
      "By its host: ntfy for ntfy.sh, Slack for hooks.slack.com, otherwise JSON",
      "JSON with title, question and link, for a script of yours",
      "ntfy, whose topic is the last part of the address",
      "An incoming webhook of Slack or a compatible one, such as Mattermost's",
    ],
  },
  "telemetry.otel": {
    type: StringOf({ default: "off" }),
    scope: "machine",
    group: "general",
    host: "both",
    description:
      "Write traces of runs with OpenTelemetry: `off`, a file such as `~/traces.jsonl`, or a collector's address such as `http://localhost:4318`.",
    details: "See [traces](runs.md#traces-with-opentelemetry). Nothing is loaded or sent while it's off.",
  },
  "telemetry.otelTexts": {
    type: off,
    scope: "machine",
    group: "general",
    host: "both",
    description: "Include the task, replies, arguments and results in traces, without your keys.",
  },
  "log.debugFiles": {
    type: off,
    scope: "resource",
    group: "general",
    host: "both",
    description: "Write each step's prompt, reply and decision to the `DEBUG` folder of its run in `.autogpt/runs`.",
    details: "The layout is that of classic debug logs. They contain what the agent reads, without your keys.",
  },
  "log.level": {
    type: Enum(["error", "warn", "info", "debug"], { default: "info" }),
    scope: "resource",
    restricted: false,
    group: "general",
    host: "both",
    description: "Amount of detail in the log.",
  },
} as const satisfies Readonly<Record<string, SettingRow>>;

export type SettingName = keyof typeof SETTINGS;

/** The value of one setting. */
export type SettingValue<Name extends SettingName> = ReadonlyValue<Static<(typeof SETTINGS)[Name]["type"]>>;

type ReadonlyValue<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyValue<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadonlyValue<T[Key]> }
    : T;

type GroupOf<Name> = Name extends `${infer Group}.${string}` ? Group : never;

/** All settings: `settings.model.baseUrl` is `autogpt.model.baseUrl`, and `settings.language` is `autogpt.language`. */
export type Settings = {
  readonly [Group in GroupOf<SettingName>]: {
    readonly [Name in SettingName as Name extends `${Group}.${infer Own}` ? Own : never]: SettingValue<Name>;
  };
} & {
  readonly [Name in SettingName as Name extends `${string}.${string}` ? never : Name]: SettingValue<Name>;
};
