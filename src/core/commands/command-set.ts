import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { displayText, type Sentence, writeInEnglish } from "../../texts/display-text.ts";
import { getErrorMessage } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { findNearestName, isMisspelled } from "../base/text.ts";
import type { CommandSpec } from "../ports/model.ts";
import { WorkspaceError } from "../ports/workspace.ts";
import type { Call } from "../reply/reply.ts";
import { fitObject, normalizeChoice } from "./arguments.ts";
import type { Command, PrepareContext, PreparedCall, RunContext } from "./command.ts";
import { COMMAND } from "./command-traits.ts";
import { correctArgumentNames, isRemark, mayBeCall, unwrapArguments } from "./near-misses.ts";
import type { Outcome } from "./outcome.ts";

/** A command that isn't offered, with the reason. */
export interface WithheldCommand {
  readonly name: string;
  readonly why: Sentence;
}

type Args = Call["args"];

/** A call as it is checked, shown and run. */
export interface UnderstoodCall {
  readonly call: Call;
  /** Removed arguments, which the command doesn't take. */
  readonly dropped?: readonly string[];
}

/** The commands of a run. */
export interface CommandSet {
  /** The commands offered to the model. */
  readonly specs: readonly CommandSpec[];
  readonly withheld: readonly WithheldCommand[];
  /** Names of a profile's commands that no command has. */
  listUnknownCommands?(): readonly string[];
  /** Resolves a name or alias in any case to today's name; undefined for an invented one. */
  resolve(name: string): string | undefined;
  /**
   * Normalizes names and values of a call, so that rules, log and panel all see what would run. Removes an unknown argument from an
   * otherwise valid call; an invented call stays as it is.
   */
  understand(call: Call): UnderstoodCall;
  /** Checks a call and creates its preview. An invalid call returns a `failed` outcome. */
  prepare(call: Call, preparing: PrepareContext): Promise<PreparedCall | Outcome>;
  /**
   * Adds commands that were found later; they can't take earlier names. Those in `behind` aren't offered: they can be called by name, but
   * never in place of one of ours.
   */
  add(commands: readonly Command[], behind?: () => readonly Command[]): void;
  /** Runs a prepared call. A command that throws is a `failed` outcome; only an abort is thrown. */
  run(prepared: PreparedCall, running: RunContext): Promise<Outcome>;
}

/** The commands of a set by their names, offered and withheld. */
class CommandTable {
  readonly offered: Command[] = [];
  readonly specs: CommandSpec[] = [];
  readonly withheld: WithheldCommand[] = [];
  private readonly byName = new Map<string, Command>();
  private readonly withheldByName = new Map<string, WithheldCommand>();
  private readonly off: ReadonlySet<string>;
  private readonly only: ReadonlySet<string>;
  /** Names in `only` that no command has. */
  private readonly strangers: Set<string>;
  private listDeferred: () => readonly Command[] = () => [];

  constructor(all: readonly Command[], disabled: readonly string[], only: readonly string[]) {
    this.off = createLowerCaseSet(disabled);
    this.only = createLowerCaseSet(only);
    this.strangers = new Set(this.only);
    for (const command of all) this.put(command, (name) => this.find(name)?.name.toLowerCase() === name);
    for (const command of this.offered) this.byName.set(command.name.toLowerCase(), command);
  }

  /** Finds a command by its name in any case. A tool that was added later can replace only another tool. */
  find(name: string): Command | undefined {
    const key = name.toLowerCase();
    const own = this.byName.get(key);
    if ((own && !own.isDeferrable) || this.off.has(key)) return own;
    const later = this.listDeferred().find((one) => one.name.toLowerCase() === key);
    return later && !this.off.has(later.category) && !this.isLeftOut(later) ? later : own;
  }

  /** Resolves a call to the call that it represents, if there is such a command. */
  resolveCall(call: Call): Call {
    const found = this.find(call.name);
    const inner = found?.standsFor?.(normalizeArguments(found, call.args));
    const other = inner && this.find(inner.name);
    return inner && other && !other.standsFor ? inner : call;
  }

  findWithheldCommand(name: string): WithheldCommand | undefined {
    return this.withheldByName.get(name.toLowerCase());
  }

  /** Adds commands of others. None gets a name that an earlier command already has. */
  add(later: readonly Command[], behind = this.listDeferred): void {
    this.listDeferred = behind;
    for (const command of later) this.put(command, (name) => this.byName.has(name) || this.withheldByName.has(name));
  }

  get unknown(): readonly string[] {
    const behind = this.listDeferred();
    return [...this.strangers].filter((name) => !behind.some((one) => isNamed(one, new Set([name]))));
  }

  /** True if a profile doesn't name the command. A command that only represents others is allowed whenever they are. */
  private isLeftOut(command: Command): boolean {
    for (const name of [command.category, ...listLowerCaseNames(command)]) this.strangers.delete(name);
    if (this.only.size === 0 || command.name === COMMAND.finish || isNamed(command, this.only)) return false;
    const others = this.listDeferred().filter(({ standsFor }) => !standsFor);
    return !command.standsFor || others.every((one) => this.isLeftOut(one));
  }

  private put(command: Command, isTaken: (name: string) => boolean): void {
    const names = listLowerCaseNames(command);
    const isLeftOut = this.isLeftOut(command);
    const why =
      (isNamed(command, this.off) ? displayText("trouble.turnedOff") : command.withheld?.()) ??
      (isLeftOut ? displayText("trouble.notInProfile") : undefined) ??
      (isTaken(command.name.toLowerCase()) ? displayText("trouble.sameName") : undefined);
    if (why === undefined) {
      const { name, description, parameters, offered: shown = parameters } = command;
      this.offered.push(command);
      this.specs.push({ name, description, parameters: shown });
      for (const one of names) if (!this.byName.has(one)) this.byName.set(one, command);
      return;
    }
    const one = { name: command.name, why };
    this.withheld.push(one);
    for (const name of names) this.withheldByName.set(name, one);
  }
}

/**
 * Creates the set of commands. `disabled` lists names, aliases or categories that the user turned off, `only` those that a profile is
 * limited to.
 */
export function createCommandSet(
  all: readonly Command[],
  disabled: readonly string[] = [],
  only: readonly string[] = [],
): CommandSet {
  const table = new CommandTable(all, disabled, only);
  const check = createArgumentChecker();
  return {
    specs: table.specs,
    withheld: table.withheld,
    listUnknownCommands: () => table.unknown,
    add: (later, behind) => table.add(later, behind),
    resolve: (name) => table.find(name)?.name,
    understand(call) {
      const meant = table.resolveCall(call);
      const command = table.find(meant.name);
      if (!command) return { call };
      const { name } = command;
      const args = normalizeArguments(command, meant.args);
      const strays = findStrayArguments(command, check(command, args));
      if (strays.length === 0) return { call: { name, args } };
      const dropped = [...new Set(strays.map((stray) => stray.name))];
      return { call: { name, args: strays.reduce(omitStray, args) }, dropped };
    },
    async prepare(call, preparing) {
      const command = table.find(call.name);
      if (!command)
        return createInvalidOutcome(
          explainUnknownCommand(call.name, table.findWithheldCommand(call.name), table.offered),
        );
      const args = normalizeArguments(command, call.args);
      const errors = check(command, args);
      return errors.length === 0
        ? runGuarded(() => command.prepare(args, preparing), preparing.signal)
        : createInvalidOutcome(explainInvalidCall(command, errors));
    },
    run: (prepared, running) => runGuarded(() => prepared.run(running), running.signal),
  };
}

function createLowerCaseSet(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()));
}

function isNamed(command: Command, names: ReadonlySet<string>): boolean {
  return names.has(command.category) || listLowerCaseNames(command).some((name) => names.has(name));
}

/** All names of a command in lower case. */
function listLowerCaseNames({ name, aliases }: Command): readonly string[] {
  return [name, ...aliases].map((one) => one.toLowerCase());
}

/** The one place where a command's errors become outcomes. */
async function runGuarded<T>(act: () => Promise<T>, signal: AbortSignal): Promise<T | Outcome> {
  signal.throwIfAborted();
  try {
    return await act();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof WorkspaceError) return createFailure(error.message);
    return createFailure(`${getErrorMessage(error)} (an unexpected error; try another way)`);
  }
}

function explainUnknownCommand(name: string, off: WithheldCommand | undefined, offered: readonly Command[]): string {
  if (off) return `The command "${off.name}" is not available: ${writeInEnglish(off.why)} Choose another one.`;
  const names = offered.map((command) => command.name);
  const near = findNearestName(name, names);
  return `There is no command "${name}".${near ? ` Did you mean "${near}"?` : ""} The commands are: ${names.join(", ")}.`;
}

/** Normalizes twice, because a list written as text reveals its items' older names only after it is parsed. */
function normalizeArguments(command: Command, args: Args): Args {
  const normalizeOnce = (before: Args): Args => fitObject(replaceOlderNames(before, command), command.parameters);
  return convertToProse(
    normalizeOnce(normalizeOnce(correctArgumentNames(unwrapArguments(args, command), command))),
    command,
  );
}

/** Categories of commands whose texts aren't run, but read by people or models. */
const PROSE: ReadonlySet<string> = new Set(["user", "agents", "memory"]);

/** Texts with at most this limit are names. */
const LONGEST_NAME = 500;

/** Converts a list or an object to lines or JSON where a command takes prose. */
function convertToProse(args: Args, { category, parameters: { properties } }: Command): Args {
  if (!PROSE.has(category) || !isObject(properties)) return args;
  const entries = Object.entries(args).map(([name, value]) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const takesProse = isObject(schema) && schema.type === "string" && !schema.enum;
    if (!takesProse || Number(schema.maxLength ?? Infinity) <= LONGEST_NAME) return [name, value];
    if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string"))
      return [name, value.join("\n")];
    return [name, typeof value === "object" && value !== null ? JSON.stringify(value, null, 2) : value];
  });
  return Object.fromEntries(entries);
}

/**
 * Replaces older argument names and choices by today's, also in objects of a list. If today's name has another value, the older name
 * stays, so that nothing is dropped silently.
 */
function replaceOlderNames(
  args: Args,
  command: Pick<Command, "argumentAliases" | "choiceAliases" | "parameters">,
): Args {
  const { argumentAliases = {}, choiceAliases = {} } = command;
  const named = new Map<string, unknown>();
  for (const [name, value] of Object.entries(args)) {
    const today = Object.hasOwn(argumentAliases, name) ? (argumentAliases[name] ?? name) : name;
    const other = named.has(today) ? named.get(today) : args[today];
    const isTaken = named.has(today) || (today !== name && Object.hasOwn(args, today));
    if (isTaken && other === value) continue;
    const choices = Object.hasOwn(choiceAliases, today) ? choiceAliases[today] : undefined;
    const isList = Array.isArray(value) && !isFreeJson(command.parameters, today);
    named.set(isTaken ? name : today, isList ? value.map(replaceWithinItem) : replaceOlderChoice(value, choices));
  }
  return Object.fromEntries(named);

  function replaceWithinItem(item: unknown): unknown {
    return isObject(item) ? replaceOlderNames(item, command) : item;
  }
}

/** True for an argument that takes any list or text, so that its keys aren't names of arguments. */
function isFreeJson({ properties }: Command["parameters"], name: string): boolean {
  const schema = isObject(properties) ? properties[name] : undefined;
  return isObject(schema) && Array.isArray(schema.type) && schema.items === undefined;
}

function replaceOlderChoice(value: unknown, choices: Readonly<Record<string, string>> | undefined): unknown {
  if (typeof value !== "string" || !choices) return value;
  const key = normalizeChoice(value);
  return Object.hasOwn(choices, key) ? choices[key] : value;
}

/** An argument that the schema doesn't know, and the path to its object. */
interface Stray {
  readonly name: string;
  readonly path: readonly string[];
}

/**
 * Finds unknown arguments that a call can do without: a single one, or details of a list's items. Finds none if anything else is wrong, or
 * if one may be a misspelled name or change an effect.
 */
function findStrayArguments(command: Command, errors: readonly ErrorObject[]): readonly Stray[] {
  const strays = errors.map(({ instancePath, params }) => ({
    name: String(params.additionalProperty),
    path: instancePath
      .split("/")
      .slice(1)
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~")),
  }));
  const isMore = strays.filter(({ path }) => path.length === 0).length > 1;
  return isMore || !errors.every((error) => isStray(error, command)) ? [] : strays;
}

function isStray(error: ErrorObject, command: Command): boolean {
  const { argumentAliases: aliases = {} } = command;
  const { keyword, params, parentSchema, data, instancePath } = error;
  if (keyword !== "additionalProperties") return false;
  if (instancePath === "" && !isRemark(String(params.additionalProperty), command)) return false;
  const missing = Object.keys(parentSchema?.properties ?? {}).filter((name) => !Object.hasOwn(Object(data), name));
  const others = Object.keys(aliases).filter((alias) => missing.includes(aliases[alias] ?? ""));
  const name = String(params.additionalProperty);
  if (Object.hasOwn(aliases, name) || mayBeCall(name, Object(data)[name], command)) return false;
  return !isMisspelled(name, [...missing, ...others]);
}

function omitStray(args: Args, { name, path }: Stray): Args {
  const [first, ...rest] = path;
  if (first === undefined) return Object.fromEntries(Object.entries(args).filter(([key]) => key !== name));
  const omitWithin = (value: unknown): unknown =>
    Array.isArray(value)
      ? Object.values(omitStray({ ...value }, { name, path: rest }))
      : isObject(value)
        ? omitStray(value, { name, path: rest })
        : value;
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [key, key === first ? omitWithin(value) : value]),
  );
}

/** True if calls can be checked with a schema. Others may have written it. */
export function isUsableSchema(schema: CommandSpec["parameters"]): boolean {
  try {
    new Ajv({ strict: false, validateSchema: false, logger: false }).compile(schema);
    schemas ??= new Ajv({ strict: false });
    return schemas.validateSchema(schema) === true;
  } catch {
    return false;
  }
}

/** Validates schemas. Created once, since that takes longer than most validations. */
let schemas: Ajv | undefined;

function createArgumentChecker(): (command: Command, args: Args) => readonly ErrorObject[] {
  let ajv: Ajv | undefined;
  const compiled = new Map<Command, ValidateFunction>();
  return (command, args) => {
    let validate = compiled.get(command);
    if (!validate) {
      schemas ??= new Ajv({ strict: false });
      void schemas.validateSchema(command.parameters, true);
      ajv ??= new Ajv({ allErrors: true, strict: false, validateSchema: false, verbose: true });
      validate = ajv.compile(command.parameters);
      compiled.set(command, validate);
    }
    return validate(args) ? [] : (validate.errors ?? []);
  };
}

function explainInvalidCall({ name }: Command, errors: readonly ErrorObject[]): string {
  return `${name} was not run: ${[...new Set(errors.map(describeArgumentError))].join("; ")}.`;
}

function describeArgumentError(error: ErrorObject): string {
  const at = error.instancePath.slice(1).replaceAll("/", ".");
  switch (error.keyword) {
    case "required":
      return `the argument "${at ? `${at}.` : ""}${error.params.missingProperty}" is missing`;
    case "additionalProperties": {
      const extra = String(error.params.additionalProperty);
      const properties = Object.keys(error.parentSchema?.properties ?? {});
      const near = findNearestName(extra, properties);
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

function createFailure(error: string): Outcome {
  return { status: "failed", error };
}

function createInvalidOutcome(error: string): Outcome {
  return { status: "failed", error, isInvalid: true };
}
