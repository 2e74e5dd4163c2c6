import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { errorMessage } from "../core/base/errors.ts";
import { type ServiceKey, serviceKeys } from "./service-keys.ts";
import { type GivenSettings, givenSettings } from "./set-flags.ts";
import { UsageError } from "./usage-error.ts";

/** What a run without an editor was asked for. */
export interface Options {
  readonly task?: string;
  /** Absolute. */
  readonly workspace: string;
  /** Absolute path of a profile. */
  readonly profile?: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model?: string;
  readonly fastModel?: string;
  /** How many commands are approved in advance; 0: none. */
  readonly continuous: number;
  readonly yesTo: readonly string[];
  /** The id of a stored run to go on with. */
  readonly resume?: string;
  readonly json: boolean;
  /** How command lines are confined. */
  readonly sandbox: (typeof SANDBOXES)[number];
  /** Which Python runs its code; "" finds one. */
  readonly python: { readonly interpreter: string; readonly useDocker: boolean };
  /** Of the model's window, the web, pictures, recordings, agents and memory. */
  readonly settings: GivenSettings;
  /** Of services beside the model. */
  readonly keys: readonly ServiceKey[];
}

const SANDBOXES = ["off", "confined", "trusted"] as const;

const OPENAI_URL = "https://api.openai.com/v1";

const FLAGS = {
  task: { type: "string" },
  workspace: { type: "string" },
  profile: { type: "string" },
  "base-url": { type: "string" },
  model: { type: "string" },
  "fast-model": { type: "string" },
  continuous: { type: "string" },
  "yes-to": { type: "string", multiple: true },
  resume: { type: "string" },
  sandbox: { type: "string" },
  python: { type: "string" },
  "python-docker": { type: "boolean" },
  set: { type: "string", multiple: true },
  json: { type: "boolean" },
  help: { type: "boolean" },
} as const;

/** Reads the command line; `help` when that was asked for. Throws `UsageError`. */
export function readOptions(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Options | "help" {
  const flags = parse(argv);
  if (flags.help) return "help";
  const { task, resume, model, "fast-model": fastModel } = flags;
  if (task === undefined && resume === undefined)
    throw new UsageError("Say what the agent shall do with --task, or name a run to go on with by --resume.");
  if (task?.trim() === "") throw new UsageError("The task is empty. Say what the agent shall do.");
  if (flags.workspace === undefined)
    throw new UsageError("Name the folder the agent shall work in with --workspace.");
  if (flags.profile !== undefined && resume !== undefined)
    throw new UsageError("A stored run keeps its profile. Leave out --profile, or start a new run.");
  const base = env.INIT_CWD ?? process.cwd();
  const settings = givenSettings(flags.set ?? []);
  return {
    workspace: resolve(base, flags.workspace),
    baseUrl: flags["base-url"] ?? (env.OPENAI_BASE_URL?.trim() || OPENAI_URL),
    apiKey: env.OPENAI_API_KEY?.trim() ?? "",
    continuous: wholeNumber(flags.continuous),
    yesTo: (flags["yes-to"] ?? [])
      .flatMap((names) => names.split(","))
      .map(nameOf)
      .filter((name) => name !== ""),
    json: flags.json ?? false,
    sandbox: sandboxOf(flags.sandbox),
    settings,
    keys: serviceKeys(settings, env),
    python: { interpreter: flags.python ?? "", useDocker: flags["python-docker"] ?? false },
    ...(task === undefined ? {} : { task: task.trim() }),
    ...(flags.profile === undefined ? {} : { profile: resolve(base, flags.profile) }),
    ...(model === undefined ? {} : { model }),
    ...(fastModel === undefined ? {} : { fastModel }),
    ...(resume === undefined ? {} : { resume }),
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: FLAGS, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(errorMessage(error));
  }
}

function wholeNumber(text: string | undefined): number {
  if (text === undefined) return 0;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new UsageError(`--continuous takes a number of commands above 0, not "${text}".`);
  return Number(text);
}

function sandboxOf(text = "off"): Options["sandbox"] {
  const known = SANDBOXES.find((mode) => mode === text);
  if (known === undefined) throw new UsageError(`--sandbox takes ${SANDBOXES.join(", ")}, not "${text}".`);
  return known;
}

function nameOf(text: string): string {
  return text.trim().toLowerCase();
}
