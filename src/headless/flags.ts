import { parseArgs } from "node:util";
import { findNearestName } from "../core/base/text.ts";
import type { SettingName } from "../schema/settings.ts";
import { UsageError } from "./usage-error.ts";

/** A flag of the command line, fully defined by one row. */
export interface Flag {
  readonly short?: string;
  /** The name of its value in the usage text; absent for a switch. */
  readonly value?: string;
  readonly isMultiple?: true;
  /** The current name of an outdated flag. */
  readonly aliasOf?: string;
  readonly help?: string;
  /** The settings that the flag sets, given its value. */
  readonly createSettings?: (value: string) => Readonly<Partial<Record<SettingName, unknown>>>;
  /** For a classic flag without an effect here: a sentence about its replacement. */
  readonly explainReplacement?: (value: string) => string | undefined;
}

/** Browsers of the Chromium family are found automatically. */
const FOUND_BROWSERS: readonly string[] = ["auto", "chrome", "chromium", "edge", "brave"];
const OTHER_BROWSERS: readonly string[] = ["firefox", "safari"];

/** Every flag of a run, in the order of the usage text. */
const RUN_FLAGS = {
  task: {
    value: "TEXT",
    help: "what the agent should do, or /NAME with arguments for a command of your own; with --resume: what it should know",
  },
  input: {
    value: "NAME=VALUE",
    isMultiple: true,
    help: "an input of the command that the task begins with; may be given several times",
  },
  issue: {
    value: "N",
    help: "an issue for the agent: its number here, owner/name#N or its address; its text is quoted, never obeyed",
  },
  picture: {
    value: "FILE",
    isMultiple: true,
    help: "a PNG, JPEG, GIF or WebP picture for the task; may be given several times",
  },
  workspace: { short: "w", value: "DIR", help: "the folder it works in" },
  "workspace-directory": { value: "DIR", aliasOf: "workspace" },
  profile: {
    value: "FILE",
    help: "who it is: YAML with ai_name, ai_role, ai_goals, api_budget, and if wanted strategy, commands, model",
  },
  agent: { value: "NAME", help: "an agent of the folder or of yours does it, as its file says" },
  "ai-settings": { short: "C", value: "FILE", aliasOf: "profile" },
  "ai-name": { value: "NAME", help: "the agent's name, in place of the profile's" },
  "ai-role": { value: "TEXT", help: "its role" },
  "ai-goal": { value: "TEXT", isMultiple: true, help: "a goal; may be given five times" },
  "skip-reprompt": { short: "y", help: "use the profile that was used last in the folder" },
  draft: { help: "have the fast model draft name, role and goals first" },
  "prompt-settings": {
    short: "P",
    value: "FILE",
    help: "YAML with constraints, resources, best_practices for the prompt",
  },
  plan: { help: "make a plan first: only commands that read, until you agree to it" },
  isolated: {
    help: "work in a sandboxed copy: nothing in it asks, and the folder changes only once you accept the changes",
  },
  accept: {
    help: "with --isolated: accept all changes at the end but those that need a look of their own, and conflicts",
  },
  on: {
    value: "PLACE",
    help: "have it done in an isolated copy elsewhere, where it goes on without this machine: ssh:HOST of ~/.ssh/config, or the workers of temporal://HOST:7233",
  },
  repository: {
    value: "ADDRESS",
    help: "with --on temporal://…: the repository through which it travels (the remote origin)",
  },
  "ssh-config": { value: "FILE", help: "with --on: use this file in place of ~/.ssh/config" },
  yes: { help: "with --on: send without asking" },
  "base-url": {
    value: "URL",
    help: "an OpenAI-compatible API (else OPENAI_BASE_URL, else OpenAI's own)",
    createSettings: (value) => ({ "model.baseUrl": value }),
  },
  model: {
    value: "NAME",
    help: "the model that thinks",
    createSettings: (value) => ({ "model.smart": value }),
  },
  "fast-model": {
    value: "NAME",
    help: "the model for small tasks (else the same)",
    createSettings: (value) => ({ "model.fast": value }),
  },
  fallback: {
    value: "A,B,...",
    help: "models that take over, in order, when one can't answer; at most three",
    createSettings: (value) => ({
      "model.fallback": value
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== ""),
    }),
  },
  api: {
    value: "NAME",
    help: "the API of the models: auto, chat, responses or messages",
    createSettings: (value) => ({ "model.api": value }),
  },
  gpt3only: { help: "use the fast model for everything" },
  gpt4only: { help: "use the model that thinks for everything" },
  continuous: { short: "c", value: "[N]", help: "approve the next N commands that would be asked about" },
  "continuous-limit": { short: "l", value: "N", help: "the N of --continuous" },
  plugin: {
    value: "PATH",
    isMultiple: true,
    help: "use the plugin in this folder or file; may be given several times",
  },
  "yes-to": { value: "A,B,...", isMultiple: true, help: "always approve these commands" },
  sandbox: {
    value: "MODE",
    help: "run command lines in the system's sandbox: confined (they ask as always) or trusted (only those that delete something ask); else off",
    createSettings: (value) => ({ "shell.sandbox": value }),
  },
  python: {
    value: "PATH",
    help: "the interpreter for its Python code (else .venv or venv, else python3)",
    createSettings: (value) => ({ "python.interpreter": value }),
  },
  "python-docker": {
    help: "run its Python code in Docker",
    createSettings: () => ({ "python.useDocker": true }),
  },
  "allow-downloads": { help: "let it download files", createSettings: () => ({ "downloads.enabled": true }) },
  "browser-name": {
    short: "b",
    value: "NAME",
    help: "the browser for pages that need one: a program, auto or off",
    createSettings: (value) =>
      OTHER_BROWSERS.includes(value.toLowerCase())
        ? {}
        : { "web.browser": FOUND_BROWSERS.includes(value.toLowerCase()) ? "auto" : value },
    explainReplacement: (value) =>
      OTHER_BROWSERS.includes(value.toLowerCase())
        ? `${value} can't be driven: a browser of the Chromium family is used where one is installed, else pages are read without one.`
        : undefined,
  },
  "use-memory": {
    short: "m",
    value: "NAME",
    help: "local, or none to remember nothing",
    createSettings: (value) => (["none", "no_memory", "off"].includes(value) ? { "memory.enabled": false } : {}),
    explainReplacement: (value) =>
      ["local", "none", "no_memory", "off"].includes(value)
        ? undefined
        : `--use-memory takes local or none, not "${value}": the local memory in .autogpt/memory is used. To share it through a server, use --set memory.backend=postgres|redis|pinecone, --set memory.url and --share-memory.`,
  },
  "share-memory": {
    value: "WHAT",
    help: "agree to share the memory through memory.url: notes, or all for the steps as well; the password is in MEMORY_SECRET",
  },
  set: {
    value: "NAME=VALUE",
    isMultiple: true,
    help: "any setting, as in VS Code: --set run.maxSteps=20 --set web.allowHosts=localhost",
  },
  settings: { value: "FILE", help: "settings in the form of VS Code's settings.json" },
  "env-file": {
    value: "FILE",
    help: "settings and keys of classic AutoGPT: a .env file, with azure.yaml and ai_settings.yaml beside it",
  },
  resume: { value: "ID", help: "continue a stored run" },
  "take-over": { help: "with --resume: even if a window or another program works on the run, which then stops there" },
  json: { help: "print the run's events, one JSON object a line, and nothing else" },
  debug: { help: "report more on standard error", createSettings: () => ({ "log.level": "debug" }) },
  speak: { help: "read thoughts aloud, with the system's voice or audio.speechModel" },
  "skip-news": { explainReplacement: () => "--skip-news does nothing: no news are shown." },
  "install-plugin-deps": {
    explainReplacement: () =>
      "--install-plugin-deps does nothing: install the packages of a Python plugin for the interpreter of python.interpreter.",
  },
  help: { short: "h", help: "print this" },
} as const satisfies Readonly<Record<string, Flag>>;

export type FlagName = keyof typeof RUN_FLAGS;

/** The flags of a command line, under their current names. */
export interface Flags<Name extends string = FlagName> {
  has(name: Name): boolean;
  /** The last value that was given. */
  findValue(name: Name): string | undefined;
  listValues(name: Name): readonly string[];
  /** The flags that were given. */
  readonly names: readonly string[];
  /** Words that are not flags or their values. */
  readonly rest: readonly string[];
}

/** Reads the flags of a run and those in `others`. Throws `UsageError`. */
export function readFlags(argv: readonly string[]): Flags;
export function readFlags<Name extends string>(
  argv: readonly string[],
  others: Readonly<Record<Name, Flag>>,
): Flags<FlagName | Name>;
export function readFlags(argv: readonly string[], others: Readonly<Record<string, Flag>> = {}): Flags<string> {
  const table: Readonly<Record<string, Flag>> = { ...RUN_FLAGS, ...others };
  const found = new Map<string, string[]>();
  const { tokens, positionals } = parseArguments(joinContinuousCounts(argv), table);
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const name = table[token.name]?.aliasOf ?? token.name;
    found.set(name, [...(found.get(name) ?? []), token.value ?? ""]);
  }
  return {
    has: (name) => found.has(name),
    findValue: (name) => found.get(name)?.at(-1),
    listValues: (name) => found.get(name) ?? [],
    names: [...found.keys()],
    rest: positionals,
  };
}

function parseArguments(argv: readonly string[], table: Readonly<Record<string, Flag>>) {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, { short, value }]) => [
      name,
      { type: value === undefined ? ("boolean" as const) : ("string" as const), ...(short ? { short } : {}) },
    ]),
  );
  const stranger = argv.find((word) => word.startsWith("--") && word.length > 2 && !(getFlagName(word) in table));
  if (stranger !== undefined) throw new UsageError(describeUnknownFlag(getFlagName(stranger), Object.keys(table)));
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: true, tokens: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function getFlagName(word: string): string {
  return word.slice(2).split("=")[0] ?? "";
}

function describeUnknownFlag(name: string, known: readonly string[]): string {
  const near = findNearestName(name, known);
  return `There is no flag --${name}.${near ? ` Did you mean --${near}?` : ""}`;
}

/** `--continuous` takes an optional number, as in classic AutoGPT. */
function joinContinuousCounts(argv: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    const next = argv[at + 1];
    if (word !== "--continuous" && word !== "-c") joined.push(word);
    else if (next === undefined || (next.startsWith("-") && !/^-\d/.test(next))) joined.push("--continuous=");
    else {
      joined.push(`--continuous=${next}`);
      at++;
    }
  }
  return joined;
}

/** The settings that flags set, by name. */
export function collectFlagSettings(flags: Flags): Readonly<Partial<Record<SettingName, unknown>>> {
  const rows: readonly (readonly [string, Flag])[] = Object.entries(RUN_FLAGS);
  return Object.assign(
    {},
    ...rows.map(([name, { createSettings }]) => {
      const value = flags.listValues(name as FlagName).at(-1);
      return value === undefined ? {} : (createSettings?.(value) ?? {});
    }),
  );
}

/** A sentence for each flag that is accepted and does nothing, or less than it did. */
export function listFlagRemarks(flags: Flags): readonly string[] {
  const rows: readonly (readonly [string, Flag])[] = Object.entries(RUN_FLAGS);
  return rows.flatMap(([name, { explainReplacement }]) =>
    flags.listValues(name as FlagName).flatMap((value) => explainReplacement?.(value) ?? []),
  );
}

const WIDTH = 24;

/** The flags, formatted for the usage text. */
export function renderFlags(table: Readonly<Record<string, Flag>> = RUN_FLAGS): string {
  return Object.entries(table)
    .filter(([, { aliasOf, help }]) => aliasOf === undefined && help !== undefined)
    .map(([name, { value, short, help = "" }]) => {
      const form = `--${name}${value === undefined ? "" : ` ${value}`}`;
      const others = [
        ...(short ? [`-${short}`] : []),
        ...Object.entries(table).flatMap(([alias, flag]) =>
          flag.aliasOf === name ? [flag.short ? `-${flag.short}, --${alias}` : `--${alias}`] : [],
        ),
      ];
      const also = others.length > 0 ? ` (also ${others.join(", ")})` : "";
      return wrapText(form, `${help}${also}`);
    })
    .join("\n");
}

function wrapText(form: string, text: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + word.length > 70) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  lines.push(line);
  const indent = `\n${" ".repeat(WIDTH + 2)}`;
  return form.length >= WIDTH
    ? `  ${form}${indent}${lines.join(indent)}`
    : `  ${form.padEnd(WIDTH)}${lines.join(indent)}`;
}
