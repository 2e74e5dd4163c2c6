import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { Command, CommandSpec, Prepared, Preparing, Running } from "./command.ts";
import { nearest } from "./nearest.ts";
import type { Outcome } from "./outcome.ts";
import { WorkspaceError } from "./ports.ts";
import type { Call } from "./reply.ts";

/** A command that is not offered, with the reason. */
export interface Withheld {
  readonly name: string;
  readonly why: string;
}

type Args = Call["args"];

/** What the agent of a run can do. */
export interface Commands {
  /** The commands offered to the model. */
  readonly specs: readonly CommandSpec[];
  readonly withheld: readonly Withheld[];
  /** Today's name for a name or alias in any case; undefined for a made-up one. */
  resolve(name: string): string | undefined;
  /** The call under today's names of command and arguments, so that rules, log and panel all speak of the same; a made-up one as it is. */
  today(call: Call): Call;
  /** Checks a call and shows what it would do; a call that cannot be made comes back as a `failed` outcome. */
  prepare(call: Call, preparing: Preparing): Promise<Prepared | Outcome>;
  /** Does it. Nothing is thrown but the abort: a command that breaks is a `failed` outcome. */
  run(prepared: Prepared, running: Running): Promise<Outcome>;
}

/** `disabled` names commands, by any of their names, or categories; the user's own choice. */
export function commandSet(all: readonly Command[], disabled: readonly string[] = []): Commands {
  const off = new Set(disabled.map((name) => name.toLowerCase()));
  const withheld: Withheld[] = [];
  const withheldByName = new Map<string, Withheld>();
  const offered: Command[] = [];
  for (const command of all) {
    const isOff = off.has(command.category) || namesOf(command).some((name) => off.has(name));
    const isTaken = offered.some(({ name }) => name.toLowerCase() === command.name.toLowerCase());
    const why =
      (isOff ? "It is turned off in the settings (autogpt.commands.disabled)." : command.withheld?.()) ??
      (isTaken ? "There is another command of this name." : undefined);
    if (why === undefined) {
      offered.push(command);
      continue;
    }
    const one = { name: command.name, why };
    withheld.push(one);
    for (const name of namesOf(command)) withheldByName.set(name, one);
  }
  const byName = new Map(
    offered.flatMap((command) => namesOf(command).map((name) => [name, command] as const)),
  );
  for (const command of offered) byName.set(command.name.toLowerCase(), command);
  const check = argumentChecker();
  return {
    specs: offered.map(({ name, description, parameters }) => ({ name, description, parameters })),
    withheld,
    resolve: (name) => byName.get(name.toLowerCase())?.name,
    today(call) {
      const command = byName.get(call.name.toLowerCase());
      return command ? { name: command.name, args: renamed(command, call.args) } : call;
    },
    async prepare(call, preparing) {
      const command = byName.get(call.name.toLowerCase());
      if (!command) return failed(unknown(call.name, withheldByName.get(call.name.toLowerCase()), offered));
      const args = renamed(command, call.args);
      const problem = check(command, args);
      return problem === undefined
        ? guarded(() => command.prepare(args, preparing), preparing.signal)
        : failed(problem);
    },
    run: (prepared, running) => guarded(() => prepared.run(running), running.signal),
  };
}

/** All names of a command, in lower case. */
function namesOf({ name, aliases }: Command): readonly string[] {
  return [name, ...aliases].map((one) => one.toLowerCase());
}

/** The one place where a command's errors become outcomes. */
async function guarded<T>(act: () => Promise<T>, signal: AbortSignal): Promise<T | Outcome> {
  signal.throwIfAborted();
  try {
    return await act();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof WorkspaceError) return failed(error.message);
    return failed(
      `${error instanceof Error ? error.message : String(error)} (an unexpected error; try another way)`,
    );
  }
}

function unknown(name: string, off: Withheld | undefined, offered: readonly Command[]): string {
  if (off) return `The command "${off.name}" is not available: ${off.why} Choose another one.`;
  const names = offered.map((command) => command.name);
  const near = nearest(name, names);
  return `There is no command "${name}".${near ? ` Did you mean "${near}"?` : ""} The commands are: ${names.join(", ")}.`;
}

function renamed({ argumentAliases = {} }: Command, args: Args): Args {
  return withTodaysNames(args, new Map(Object.entries(argumentAliases)));
}

/**
 * Older argument names become today's, in objects of a list as well. Where that one is there already the older one stays, so that
 * nothing is left out unseen.
 */
function withTodaysNames(args: Args, aliases: ReadonlyMap<string, string>): Args {
  const named = new Map<string, unknown>();
  for (const [name, value] of Object.entries(args)) {
    const today = aliases.get(name) ?? name;
    const isTaken = named.has(today) || Object.hasOwn(args, today);
    named.set(isTaken ? name : today, Array.isArray(value) ? value.map(inList) : value);
  }
  return Object.fromEntries(named);

  function inList(item: unknown): unknown {
    return typeof item === "object" && item !== null && !Array.isArray(item)
      ? withTodaysNames({ ...item }, aliases)
      : item;
  }
}

/** Knows what a schema is. It is made once, since that takes longer than most schemas do. */
let schemas: Ajv | undefined;

function argumentChecker(): (command: Command, args: Args) => string | undefined {
  const ajv = new Ajv({ allErrors: true, strict: false, validateSchema: false, verbose: true });
  const compiled = new Map<string, ValidateFunction>();
  return (command, args) => {
    let validate = compiled.get(command.name);
    if (!validate) {
      schemas ??= new Ajv({ strict: false });
      void schemas.validateSchema(command.parameters, true);
      validate = ajv.compile(command.parameters);
      compiled.set(command.name, validate);
    }
    if (validate(args)) return undefined;
    const problems = (validate.errors ?? []).map(problemOf);
    return `${command.name} was not run: ${[...new Set(problems)].join("; ")}.`;
  };
}

function problemOf(error: ErrorObject): string {
  const at = error.instancePath.slice(1).replaceAll("/", ".");
  switch (error.keyword) {
    case "required":
      return `the argument "${at ? `${at}.` : ""}${error.params.missingProperty}" is missing`;
    case "additionalProperties": {
      const extra = String(error.params.additionalProperty);
      const properties = Object.keys(error.parentSchema?.properties ?? {});
      const near = nearest(extra, properties);
      return `${at ? `"${at}"` : "it"} has no argument "${extra}"${near ? ` (did you mean "${near}"?)` : ` (it takes ${properties.join(", ") || "none"})`}`;
    }
    case "type":
      return `"${at}" must be of type ${[error.params.type].flat().join(" or ")}`;
    case "minLength":
    case "minItems":
      return `"${at}" must not be ${error.params.limit === 1 ? "empty" : `shorter than ${error.params.limit}`}`;
    case "enum":
      return `"${at}" must be one of ${(error.params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(", ")}`;
    default:
      return `"${at}" ${error.message ?? "does not fit"}`;
  }
}

function failed(error: string): Outcome {
  return { status: "failed", error };
}
