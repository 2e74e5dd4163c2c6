import { isObject, type Json, tryJson } from "../base/json.ts";
import { isMisspelled } from "../base/text.ts";
import type { Call } from "../reply/reply.ts";
import type { Command } from "./command.ts";

type Args = Call["args"];
type Described = Pick<Command, "name" | "aliases" | "parameters" | "offered" | "argumentAliases">;

/** Keys that models put around arguments. */
const AROUND_ARGUMENTS = new Set(
  "args arguments parameters params kwargs input action_input tool_input tool_args".split(" "),
);
/** Keys that models put around a whole call or its name. */
const AROUND_CALL = new Set("command action tool function call function_call tool_call name tool_name".split(" "));

/** Keys that may appear beside a call. */
const THOUGHTS = new Set(["thoughts", "thought", "reasoning"]);

const MAX_DEPTH = 3;

/**
 * Unwraps arguments from an object around them, as in `{"args": {…}}` or `{"name": "read_file", "arguments": {…}}`. A key that the command
 * knows never counts as a wrapper, and a call of another command stays as it is.
 */
export function unwrapArguments(args: Args, command: Described, depth = 0): Args {
  const inner = depth < MAX_DEPTH ? findNestedArguments(args, command) : undefined;
  return inner === undefined ? args : unwrapArguments(inner, command, depth + 1);
}

function findNestedArguments(args: Args, command: Described): Args | undefined {
  const keys = Object.keys(args);
  const [holder, second] = keys.filter((key) => isAroundArguments(key, command));
  if (holder !== undefined) {
    const others = keys.filter((key) => key !== holder);
    const isOwn = others.every((key) => THOUGHTS.has(key) || isOwnName(key, args[key], command));
    return second === undefined && isOwn ? findOwnArguments(args[holder], command, false) : undefined;
  }
  const [only, more] = keys;
  if (only === undefined || more !== undefined || isKnown(only, command)) return undefined;
  if (isCommandName(only, command)) return findObject(args[only]);
  return AROUND_CALL.has(only) ? findOwnArguments(args[only], command, true) : undefined;
}

/** Returns the object, unless it may be a call of another command. Where a whole call is expected, a name alone makes it a call. */
function findOwnArguments(value: unknown, command: Described, isNamed: boolean): Args | undefined {
  const inner = findObject(value);
  if (!inner || findNestedArguments(inner, command)) return inner;
  const isForeign = Object.keys(inner).some(
    (key) => isAroundArguments(key, command) || (isNamed && AROUND_CALL.has(key) && !isArgument(key, command)),
  );
  return isForeign ? undefined : inner;
}

/** True for a key that holds the arguments and isn't one of them. */
function isAroundArguments(key: string, command: Described): boolean {
  return AROUND_ARGUMENTS.has(key) && !isKnown(key, command);
}

/** True for an object that may contain a whole call, so that it can't be dropped from the arguments. */
export function mayBeCall(key: string, value: unknown, command: Described): boolean {
  return isObject(value) && !isKnown(key, command) && (AROUND_ARGUMENTS.has(key) || AROUND_CALL.has(key));
}

/** Arguments that comment on a call without changing its effect. */
const REMARKS = new Set(
  "reason reasons reasoning rationale explanation description comment comments note notes why purpose intent goal summary title label thought thoughts thinking plan criticism speak speech id call_id type status encoding".split(
    " ",
  ),
);

/** True for an unknown argument that a command can ignore. Ignoring one that has an effect, like `dry_run`, might do something else. */
export function isRemark(name: string, { effect }: Pick<Command, "effect">): boolean {
  return effect === "none" || effect === "read" || REMARKS.has(name.toLowerCase());
}

/** True for `"name": "read_file"` in the arguments of `read_file`. */
function isOwnName(key: string, value: unknown, command: Described): boolean {
  return AROUND_CALL.has(key) && typeof value === "string" && isCommandName(value, command);
}

function isCommandName(name: string, { name: own, aliases }: Described): boolean {
  return [own, ...aliases].some((one) => one.toLowerCase() === name.trim().toLowerCase());
}

function findObject(value: unknown): Json | undefined {
  const object = typeof value === "string" ? tryJson(value) : value;
  return isObject(object) ? object : undefined;
}

/** Arguments that ReAct and others give as one text without a name. */
const NAMELESS = new Set(["input", "action_input", "tool_input", "command_input"]);

/**
 * Corrects argument names that are only written differently, like `startLine`, and a misspelled name if only one argument can be meant.
 * Ambiguous names stay, so that they can be explained.
 */
export function correctArgumentNames(args: Args, command: Described): Args {
  const strangers = Object.keys(args).filter((name) => !isKnown(name, command));
  if (strangers.length === 0) return args;
  const targets = new Map(strangers.map((name) => [name, findMeantName(name, args, command)] as const));
  const wanted = [...targets.values()];
  const isClear = (target: string | undefined): target is string =>
    target !== undefined && wanted.filter((one) => one === target).length === 1;
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const target = targets.get(name);
      return [isClear(target) ? target : name, value];
    }),
  );
}

function findMeantName(name: string, args: Args, command: Described): string | undefined {
  const { argumentAliases = {} } = command;
  const isFree = (target: string): boolean =>
    !Object.hasOwn(args, target) &&
    Object.entries(argumentAliases).every(([alias, today]) => today !== target || !Object.hasOwn(args, alias));
  const free = listPropertyNames(command).filter(isFree);
  const alike = free.find((target) => normalizeName(target) === normalizeName(name));
  if (alike !== undefined) return alike;
  const required = listRequiredNames(command);
  const missing = required.filter((target) => free.includes(target));
  const [only] = required;
  if (NAMELESS.has(name) && required.length === 1 && missing.length === 1 && typeof args[name] === "string")
    return only;
  const near = free.filter((target) => {
    const older = Object.keys(argumentAliases).filter((alias) => argumentAliases[alias] === target);
    return isMisspelled(name, [target, ...older]);
  });
  return near.length === 1 ? near[0] : undefined;
}

/** True for today's name of an argument. */
function isArgument(name: string, command: Described): boolean {
  return listPropertyNames(command).includes(name);
}

function isKnown(name: string, command: Described): boolean {
  return isArgument(name, command) || Object.hasOwn(command.argumentAliases ?? {}, name);
}

function listPropertyNames({ parameters }: Described): readonly string[] {
  return isObject(parameters.properties) ? Object.keys(parameters.properties) : [];
}

function listRequiredNames({ parameters, offered = parameters }: Described): readonly string[] {
  const { required } = offered;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** A name without case and separators. */
function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, "");
}
