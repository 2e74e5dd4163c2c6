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

/** Where a setting may come from: `resource` lets a workspace decide, the others only the user. A `machine` setting doesn't sync. */
type SettingScope = "application" | "machine" | "resource";

/** Titles of the groups on the settings page, in their order. */
export const SETTING_GROUPS = [
  "Models",
  "Azure OpenAI",
  "Runs",
  "Approval",
  "Commands",
  "Memory",
  "Web",
  "Images and Audio",
  "Other",
] as const;

/** One setting: everything that package.json, the README, the types and the flags are made from. */
export interface SettingRow {
  /** With a `default`. */
  readonly type: TSchema;
  readonly scope: SettingScope;
  readonly group: (typeof SETTING_GROUPS)[number];
  /** Markdown, shown on the settings page and in the README. */
  readonly description: string;
  /** One line for each value of an enumeration. */
  readonly values?: readonly string[];
  /** The host that the setting has an effect in; `both` where the command line takes it as well. */
  readonly host: "both" | "editor";
  /** `union`: each layer only adds to the list, so that a workspace can't take anything away. */
  readonly merge?: "union";
  /** `false`: read from a workspace even before it is trusted. */
  readonly restricted?: false;
  /** Schema of the items that the settings page checks and the readers don't, as each of them is read on its own. */
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

/** Known servers, by the name that `model@name` uses. Their addresses are in `models/presets.ts`. */
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
    models: Optional(ArrayOf(StringOf())),
    contextWindow: Optional(Integer({ minimum: 0 })),
  },
  { additionalProperties: false },
);

/** Every setting, by its name below `autogpt.`. Everything else about settings is derived from these rows. */
export const SETTINGS = {
  "model.provider": {
    type: Enum(["auto", "openai", "azure", "vscode"], { default: "auto" }),
    scope: "application",
    group: "Models",
    host: "both",
    description: "Where models come from.",
    values: [
      "The first source that is ready: a server with an API key, the models in VS Code, a local server",
      "OpenAI, or any compatible server at the base URL",
      "An Azure OpenAI deployment",
      "The language models that VS Code and its extensions provide",
    ],
  },
  "model.baseUrl": {
    type: OPENAI,
    scope: "machine",
    group: "Models",
    host: "both",
    description:
      "Address of an OpenAI-compatible API. A key is stored for one origin and is only ever sent there, so a new address asks for its key again.",
  },
  "model.providers": {
    type: RecordOf(StringOf(), PROVIDER, { default: {} }),
    scope: "machine",
    group: "Models",
    host: "both",
    description:
      'More providers by name, such as `{ "openrouter": { "preset": "openrouter" }, "gpu": { "address": "http://gpu:8000/v1" } }`. The *Models* page edits them.',
  },
  "model.smart": {
    type: text,
    scope: "machine",
    group: "Models",
    host: "both",
    description:
      "Main model, such as `gpt-5` or `claude-sonnet-5@anthropic`. Empty: the provider's default. The *Models* page lists what is available.",
  },
  "model.fast": {
    type: text,
    scope: "machine",
    group: "Models",
    host: "both",
    description:
      "Model for drafts, reviews and summaries, such as `gpt-5-mini@openai`. Empty: the same as the main model.",
  },
  "model.embedding": {
    type: text,
    scope: "machine",
    group: "Models",
    host: "both",
    description:
      "Embedding model that finds memories by meaning: a model of the provider (`text-embedding-3-small`), which is sent the text of memories, or `offline` for an English model on this machine (a 27 MB download that asks first). Empty: memories are found by words and spelling.",
  },
  "model.contextWindow": {
    type: count(0, { minimum: 0 }),
    scope: "machine",
    group: "Models",
    host: "both",
    description:
      "Maximum number of tokens in the prompt and the reply together. 0: the provider's value, or else 128,000 (16,000 for a local server).",
  },
  "model.timeoutSeconds": {
    type: count(120, { minimum: 0 }),
    scope: "machine",
    group: "Models",
    host: "both",
    description: "Seconds to wait for the first part of a reply and for each part after it. 0: no limit.",
  },
  "model.organization": {
    type: text,
    scope: "machine",
    group: "Models",
    host: "both",
    description:
      "OpenAI organization (`org-…`) that requests count for. It is only sent to OpenAI itself. Empty: the key's own.",
  },
  "model.project": {
    type: text,
    scope: "machine",
    group: "Models",
    host: "both",
    description:
      "OpenAI project (`proj_…`) that requests count for. It is only sent to OpenAI itself. Empty: the key's own.",
  },
  "model.prices": {
    type: RecordOf(StringOf(), PRICE, { default: {} }),
    scope: "machine",
    group: "Models",
    host: "both",
    description:
      'Prices in US dollars per million tokens, by model name, for models that the built-in table doesn\'t list or lists wrongly: `{ "my-model": { "input": 1, "output": 4, "cached": 0.25 } }`.',
  },
  "model.temperature": {
    type: Union([NumberOf({ minimum: 0, maximum: 2 }), Null()], { default: null }),
    scope: "resource",
    group: "Models",
    host: "both",
    description: "Sampling temperature, from 0 to 2. Unset: the server's default.",
  },
  "model.reasoningEffort": {
    type: Enum(["auto", "minimal", "low", "medium", "high"], { default: "auto" }),
    scope: "application",
    group: "Models",
    host: "both",
    description:
      "How much a model with its own reasoning thinks before it replies. More takes longer and costs more. Models that don't take this setting ignore it.",
    values: [
      "The model's own default",
      "As little as possible, or none",
      "A little",
      "A medium amount",
      "As much as it can",
    ],
  },
  "model.replyFormat": {
    type: Enum(["auto", "tools", "jsonSchema", "text"], { default: "auto" }),
    scope: "resource",
    group: "Models",
    host: "both",
    description: "Format in which the model replies.",
    values: [
      "The best that the server accepts: tool calls, or JSON for context windows below 32,000 tokens",
      "Tool calls",
      "JSON that follows a schema",
      "JSON in plain text",
    ],
  },
  "model.thoughts": {
    type: Enum(["auto", "full", "short"], { default: "auto" }),
    scope: "application",
    group: "Models",
    host: "both",
    description: "How the model thinks aloud before each command.",
    values: [
      "Short for models with their own reasoning, which is shown instead, and in windows up to 8,192 tokens; full for all others",
      "Five thoughts: text, reasoning, plan, criticism and a sentence for you",
      "At most one short text, which costs fewer tokens",
    ],
  },
  "azure.endpoint": {
    type: text,
    scope: "machine",
    group: "Azure OpenAI",
    host: "both",
    description: "Azure OpenAI endpoint, such as `https://NAME.openai.azure.com`.",
  },
  "azure.apiVersion": {
    type: StringOf({ default: "2024-10-21" }),
    scope: "machine",
    group: "Azure OpenAI",
    host: "both",
    description: "Azure OpenAI API version.",
  },
  "azure.smartDeployment": {
    type: text,
    scope: "machine",
    group: "Azure OpenAI",
    host: "both",
    description: "Deployment of the main model.",
  },
  "azure.fastDeployment": {
    type: text,
    scope: "machine",
    group: "Azure OpenAI",
    host: "both",
    description: "Deployment of the fast model. Empty: the main model's.",
  },
  "run.continuous": {
    type: off,
    scope: "application",
    group: "Runs",
    host: "both",
    description:
      "**Dangerous.** Start new runs in continuous mode: commands run without approval, up to the continuous limit. Sensitive files still need approval.",
  },
  "run.continuousLimit": {
    type: count(25, { minimum: 1 }),
    scope: "application",
    group: "Runs",
    host: "both",
    description: "Number of commands that continuous mode runs before it asks again.",
  },
  "run.maxSteps": {
    type: count(100, { minimum: 0 }),
    scope: "application",
    group: "Runs",
    host: "both",
    description:
      "Maximum number of steps in a run whose command ran. Unreadable replies and refused calls count only against `run.maxReplies`. 0: no limit.",
  },
  "run.maxReplies": {
    type: count(DEFAULT_MAX_REPLIES, { minimum: 0 }),
    scope: "application",
    group: "Runs",
    host: "both",
    description:
      "Maximum number of replies of the model in a run, including unreadable ones and those whose call was refused. The default grows with `run.maxSteps`: three for each step. 0: no limit.",
  },
  "run.maxTokens": {
    type: count(200_000_000, { minimum: 0 }),
    scope: "application",
    group: "Runs",
    host: "both",
    description:
      "Maximum number of tokens in a run. It limits the cost where the model's price is unknown, so that `run.budgetUsd` can't. Cached input counts at its price relative to other input, or as a tenth if the price is unknown. 0: no limit.",
  },
  "run.maxMinutes": {
    type: count(60, { minimum: 0 }),
    scope: "application",
    group: "Runs",
    host: "both",
    description:
      "Maximum number of minutes that a run thinks and acts. Waiting for you doesn't count. 0: no limit.",
  },
  "run.budgetUsd": {
    type: NumberOf({ default: 2, minimum: 0 }),
    scope: "application",
    group: "Runs",
    host: "both",
    description:
      "Maximum cost of a run in US dollars, if the model's price is known. A smaller budget in its profile takes precedence. 0: no limit.",
  },
  "run.retentionDays": {
    type: count(90, { minimum: 0 }),
    scope: "application",
    group: "Runs",
    host: "editor",
    description:
      "Days after which an unused run is moved to the trash. Pinned runs are never removed. 0: runs are kept forever.",
  },
  "run.reuseProfile": {
    type: off,
    scope: "application",
    group: "Runs",
    host: "both",
    description:
      "Start with the last profile without asking. Its name and role stay the same, and goals are drafted for each task.",
  },
  "agents.max": {
    type: count(3, { minimum: 0, maximum: 20 }),
    scope: "application",
    group: "Runs",
    host: "both",
    description:
      "Maximum number of sub-agents at once. Each is a run of its own and takes its share of the parent's budget. 0: none.",
  },
  "approval.rules": {
    type: ArrayOf(Unknown(), { default: [] }),
    items: RULE,
    scope: "application",
    group: "Approval",
    host: "both",
    description:
      'Your rules. The first that matches decides: `{ "command": "execute_shell", "prefix": "npm test", "action": "allow" }`. `command` is the name of a command or `*`. `argument` names the argument to compare, and `exact`, `prefix`, `glob` or `path` is what it must match. `action` is `allow`, `ask` or `refuse`. Sensitive files need approval in any case.',
  },
  "approval.readOnlyShell": {
    type: off,
    scope: "application",
    group: "Approval",
    host: "both",
    description:
      "Run command lines that are known to only read, such as `git status` or `ls -la`, without approval. Each line is parsed, and a line that can't be parsed needs approval.",
  },
  "approval.openDiff": {
    type: on,
    scope: "application",
    group: "Approval",
    host: "editor",
    description: "Open the diff of a proposed change automatically while you aren't typing.",
  },
  "approval.deny": {
    type: texts,
    merge: "union",
    scope: "resource",
    group: "Approval",
    host: "both",
    description:
      "Patterns of commands and files that are always refused, such as `delete_file` or `write_to_file(src/generated/**)`. A workspace can add patterns but can't remove any.",
  },
  "commands.disabled": {
    type: texts,
    merge: "union",
    scope: "resource",
    group: "Commands",
    host: "both",
    description:
      "Commands, such as `delete_file`, or categories (`files`, `code`, `python`, `shell`, `git`, `web`, `media`, `memory`, `agents`) that the agent can't use.",
  },
  "shell.enabled": {
    type: on,
    scope: "application",
    group: "Commands",
    host: "both",
    description: "Let the agent propose shell commands.",
  },
  "shell.timeoutSeconds": {
    type: count(120, { minimum: 1 }),
    scope: "application",
    group: "Commands",
    host: "both",
    description: "Seconds after which a shell command and its child processes are stopped.",
  },
  "shell.sandbox": {
    type: Enum(["off", "confined", "trusted"], { default: "off" }),
    scope: "machine",
    group: "Commands",
    host: "both",
    description:
      "Run shell commands in the system's sandbox (bubblewrap on Linux, sandbox-exec on macOS). There they can write only to the workspace, except for files that control other programs, and have no access to keys, other projects or the network. If the system has no sandbox, a message says so and commands run and ask as usual.",
    values: [
      "Commands run as if you had run them",
      "Commands run in the sandbox and need approval as usual",
      "Commands run in the sandbox, and those that delete nothing run without approval",
    ],
  },
  "shell.terminal": {
    type: Enum(["auto", "integrated", "background"], { default: "auto" }),
    scope: "application",
    group: "Commands",
    host: "editor",
    description:
      "Where a shell command runs that you approved on its card. In a terminal of VS Code it has your shell's environment, and you can type into it. Commands that run without your approval, or in the sandbox, always run in the background.",
    values: [
      "In a visible terminal; in the background on Windows, and once a terminal couldn't start one",
      "In a visible terminal; a command that it can't start fails",
      "In the background, without your shell's environment and without input",
    ],
  },
  "python.interpreter": {
    type: text,
    scope: "machine",
    group: "Commands",
    host: "both",
    description:
      "Python for the agent's files and code: a path, or a name on the search path. Empty: the interpreter selected in the Python extension, the workspace's `.venv` or `venv`, or `python3`.",
  },
  "python.useDocker": {
    type: off,
    scope: "machine",
    group: "Commands",
    host: "both",
    description:
      "Run Python in a Docker container (`python:3-slim`) that can access only the workspace folder. If Docker isn't running, the agent can't use Python.",
  },
  "memory.enabled": {
    type: on,
    scope: "resource",
    group: "Memory",
    host: "both",
    description: "Store the steps of runs in `.autogpt/memory` and recall relevant ones before each step.",
  },
  "memory.recallCount": {
    type: count(10, { minimum: 0, maximum: 50 }),
    scope: "resource",
    group: "Memory",
    host: "both",
    description: "Maximum number of memories recalled for a step.",
  },
  "memory.maxTokens": {
    type: count(1500, { minimum: 0, maximum: 20_000 }),
    scope: "resource",
    group: "Memory",
    host: "both",
    description: "Maximum number of tokens of the memories recalled for a step.",
  },
  "memory.queryMessages": {
    type: count(9, { minimum: 1, maximum: 20 }),
    scope: "application",
    group: "Memory",
    host: "both",
    description: "Number of recent messages that memories are searched with.",
  },
  "memory.summarise": {
    type: off,
    scope: "application",
    group: "Memory",
    host: "both",
    description:
      "Let the fast model summarize recalled memories. This costs one call whenever other memories are recalled, counts toward the run's budget, and is skipped if it could exceed that.",
  },
  "web.enabled": {
    type: on,
    scope: "application",
    group: "Web",
    host: "both",
    description:
      "Let the agent search the web and read pages. Each page needs approval unless a rule or an earlier approval allows it.",
  },
  "web.searchProvider": {
    type: Enum(["duckduckgo", "google", "custom"], { default: "duckduckgo" }),
    scope: "application",
    group: "Web",
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
    group: "Web",
    host: "both",
    description:
      "Address of a search service that answers in JSON, with `{query}` and, if supported, `{count}`. Brave: `https://api.search.brave.com/res/v1/web/search?q={query}&count={count}`. SearXNG: `http://localhost:8888/search?q={query}&format=json`.",
  },
  "web.searchHeaders": {
    type: RecordOf(StringOf(), StringOf(), { default: {} }),
    scope: "machine",
    group: "Web",
    host: "both",
    description:
      'HTTP headers for the service at `autogpt.web.searchUrl`, with `{key}` in place of its key. Brave: `{ "X-Subscription-Token": "{key}" }`.',
  },
  "web.googleEngineId": {
    type: text,
    scope: "application",
    group: "Web",
    host: "both",
    description: "ID (`cx`) of the Google Programmable Search Engine.",
  },
  "web.allowHosts": {
    type: texts,
    scope: "machine",
    group: "Web",
    host: "both",
    description:
      "Hosts that the agent may reach although they are on this machine or in its network: `localhost`, `wiki.example.com`, or `localhost:8080` for a single port. All other local hosts are blocked. In continuous mode these are also the hosts that may be reached without approval after the agent has read text from untrusted sources.",
  },
  "web.maxBytes": {
    type: count(5_000_000, { minimum: 10_000, maximum: 50_000_000 }),
    scope: "application",
    group: "Web",
    host: "both",
    description: "Maximum page size in bytes, uncompressed. The rest of a larger page is cut off.",
  },
  "web.browser": {
    type: StringOf({ default: "auto" }),
    scope: "machine",
    group: "Web",
    host: "both",
    description:
      "Browser for pages that are empty without scripts: `auto` (an installed Chromium, Chrome, Edge or Brave), `off`, or a path. It runs without a window, with a temporary profile, and under the same limits as other requests.",
  },
  "downloads.enabled": {
    type: off,
    scope: "application",
    group: "Web",
    host: "both",
    description:
      "Let the agent download files of up to 100 MB into the workspace. Each download needs approval.",
  },
  "image.provider": {
    type: Enum(["openai", "stableDiffusion", "huggingFace", "off"], { default: "openai" }),
    scope: "application",
    group: "Images and Audio",
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
    group: "Images and Audio",
    host: "both",
    description:
      "Address of the image service. Stable Diffusion web UI: `http://127.0.0.1:7860`. With Hugging Face, OpenAI's address stands for Hugging Face's own. A key is only ever sent to the origin it was set for.",
  },
  "image.model": {
    type: StringOf({ default: "gpt-image-1" }),
    scope: "machine",
    group: "Images and Audio",
    host: "both",
    description:
      "Image model. With Hugging Face, the default stands for `stabilityai/stable-diffusion-xl-base-1.0`.",
  },
  "image.size": {
    type: StringOf({ default: "1024x1024", pattern: "^\\d{2,4}x\\d{2,4}$" }),
    scope: "application",
    group: "Images and Audio",
    host: "both",
    description: "Default width and height of images. The agent can ask for another size.",
  },
  "audio.provider": {
    type: Enum(["openai", "huggingFace"], { default: "openai" }),
    scope: "application",
    group: "Images and Audio",
    host: "both",
    description: "Service that transcribes recordings.",
    values: ["OpenAI's transcription API or a compatible server", "Hugging Face's Inference API"],
  },
  "audio.baseUrl": {
    type: OPENAI,
    scope: "machine",
    group: "Images and Audio",
    host: "both",
    description:
      "Address of the transcription service: OpenAI's API or a compatible server. With Hugging Face, OpenAI's address stands for Hugging Face's own.",
  },
  "audio.model": {
    type: StringOf({ default: "gpt-4o-mini-transcribe" }),
    scope: "machine",
    group: "Images and Audio",
    host: "both",
    description: "Transcription model. With Hugging Face, the default stands for `openai/whisper-large-v3`.",
  },
  "audio.speechModel": {
    type: text,
    scope: "machine",
    group: "Images and Audio",
    host: "both",
    description:
      "Model at `autogpt.audio.baseUrl` that reads thoughts aloud on the command line with `--speak`, such as `gpt-4o-mini-tts`. The sentences are sent there, and count toward the run's cost. Empty: the system's own voice.",
  },
  "audio.voice": {
    type: StringOf({ default: "alloy" }),
    scope: "application",
    group: "Images and Audio",
    host: "both",
    description: "Voice of `autogpt.audio.speechModel`.",
  },
  "speech.enabled": {
    type: off,
    scope: "resource",
    group: "Other",
    host: "editor",
    description: "Read the agent's messages to you aloud, and announce when it is waiting for you.",
  },
  "log.debugFiles": {
    type: off,
    scope: "resource",
    group: "Other",
    host: "both",
    description:
      "Write each step's prompt, reply and decision to the `DEBUG` folder of its run in `.autogpt/runs`, in the layout of classic debug logs. They contain what the agent reads, without your keys.",
  },
  "log.level": {
    type: Enum(["error", "warn", "info", "debug"], { default: "info" }),
    scope: "resource",
    restricted: false,
    group: "Other",
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

/** All settings: `settings.model.baseUrl` is `autogpt.model.baseUrl`. */
export type Settings = {
  readonly [Group in GroupOf<SettingName>]: {
    readonly [Name in SettingName as Name extends `${Group}.${infer Own}` ? Own : never]: SettingValue<Name>;
  };
};
