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

/** `disabled` names commands or categories; the user's own choice. */
export function commandSet(all: readonly Command[], disabled: readonly string[] = []): Commands {
  const off = new Set(disabled.map((name) => name.toLowerCase()));
  const withheld: Withheld[] = [];
  const offered: Command[] = [];
  for (const command of all) {
    const why =
      off.has(command.name) || off.has(command.category)
        ? "It is turned off in the settings (autogpt.commands.disabled)."
        : command.withheld?.();
    if (why === undefined) offered.push(command);
    else withheld.push({ name: command.name, why });
  }
  const byName = new Map(
    offered.flatMap((command) =>
      [...command.aliases, command.name].map((name) => [name.toLowerCase(), command] as const),
    ),
  );
  for (const command of offered) byName.set(command.name, command);
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
      if (!command) return failed(unknown(call.name, withheld, offered));
      const args = renamed(command, call.args);
      const problem = check(command, args);
      return problem === undefined
        ? guarded(() => command.prepare(args, preparing), preparing.signal)
        : failed(problem);
    },
    run: (prepared, running) => guarded(() => prepared.run(running), running.signal),
  };
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

function unknown(name: string, withheld: readonly Withheld[], offered: readonly Command[]): string {
  const off = withheld.find((command) => command.name === name.toLowerCase());
  if (off) return `The command "${off.name}" is not available: ${off.why} Choose another one.`;
  const names = offered.map((command) => command.name);
  const near = nearest(name, names);
  return `There is no command "${name}".${near ? ` Did you mean "${near}"?` : ""} The commands are: ${names.join(", ")}.`;
}

/** Older argument names become today's, unless today's is there as well. */
function renamed(
  command: Command,
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const aliases = command.argumentAliases ?? {};
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const today = aliases[name];
      return [today !== undefined && !(today in args) ? today : name, value];
    }),
  );
}

/** Knows what a schema is. It is made once, since that takes longer than most schemas do. */
let schemas: Ajv | undefined;

function argumentChecker(): (
  command: Command,
  args: Readonly<Record<string, unknown>>,
) => string | undefined {
  const ajv = new Ajv({ allErrors: true, strict: false, validateSchema: false });
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
    const properties = Object.keys((command.parameters.properties ?? {}) as object);
    const problems = (validate.errors ?? []).map((error) => problemOf(error, properties));
    return `${command.name} was not run: ${[...new Set(problems)].join("; ")}.`;
  };
}

function problemOf(error: ErrorObject, properties: readonly string[]): string {
  const at = error.instancePath.slice(1).replaceAll("/", ".");
  switch (error.keyword) {
    case "required":
      return `the argument "${at ? `${at}.` : ""}${error.params.missingProperty}" is missing`;
    case "additionalProperties": {
      const extra = String(error.params.additionalProperty);
      const near = nearest(extra, properties);
      return `it has no argument "${extra}"${near ? ` (did you mean "${near}"?)` : ` (it takes ${properties.join(", ") || "none"})`}`;
    }
    case "type":
      return `"${at}" must be of type ${error.params.type}`;
    case "enum":
      return `"${at}" must be one of ${(error.params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(", ")}`;
    default:
      return `"${at}" ${error.message ?? "does not fit"}`;
  }
}

function failed(error: string): Outcome {
  return { status: "failed", error };
}
