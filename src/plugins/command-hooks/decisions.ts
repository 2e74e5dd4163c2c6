import { assertNever } from "../../core/base/errors.ts";
import { isObject, type Json, tryJson } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { HookAnswer, HookName } from "../../schema/plugin-values.ts";
import { HOOKS } from "../hooks.ts";

/** How a command ended. */
export interface HookResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command's decision. `allow` counts as no opinion, because a hook can't grant anything. */
export interface HookDecision {
  /** The reason for stopping the whole run. */
  readonly stop?: string;
  /** The reason to block this. */
  readonly block?: string;
  /** The reason to ask the user. */
  readonly ask?: string;
  /** Replacements for the call's arguments, under the names that the command received. */
  readonly args?: Json;
  /** Text for the model. */
  readonly context?: string;
  /** Text for the user. */
  readonly warning?: string;
}

/** The exit code with which a command blocks. */
const BLOCKS = 2;

/** Reads a decision in VS Code's documented format: JSON if the command succeeded, its errors if it exits with 2, or else a warning. */
export function readDecision(hook: HookName, { code, stdout, stderr }: HookResult): HookDecision {
  const said = stderr.trim();
  if (code === BLOCKS) return { block: said || stdout.trim() || "It gave no reason." };
  if (code !== 0) return { warning: said || `It ended with exit code ${code}.` };
  const output = tryJson(stdout);
  if (isObject(output)) return parseDecision(hook, output);
  const addsText = hook === "offer" || hook === "beforeThinking";
  return addsText && stdout.trim() !== "" ? { context: stdout.trim() } : {};
}

function parseDecision(hook: HookName, output: Json): HookDecision {
  const own = isObject(output.hookSpecificOutput) ? output.hookSpecificOutput : {};
  const isMeant = own.hookEventName === undefined || own.hookEventName === HOOKS[hook].event;
  // Copilot has these fields at the top.
  const specific: Json = isMeant ? { ...output, ...own } : output;
  const reason = findWords(specific.reason) ?? findWords(output.reason);
  const why = findWords(specific.permissionDecisionReason) ?? reason ?? findWords(output.stopReason);
  const stop = output.continue === false ? (findWords(output.stopReason) ?? why ?? NO_REASON) : undefined;
  const isBlocked = specific.permissionDecision === "deny" || specific.decision === "block";
  const args = isObject(specific.updatedInput) ? specific.updatedInput : specific.modifiedArgs;
  const context = findWords(specific.additionalContext);
  const warning = findWords(output.systemMessage);
  return {
    ...omitUndefined({ stop }),
    ...(isBlocked ? { block: why ?? NO_REASON } : {}),
    ...(specific.permissionDecision === "ask" ? { ask: why ?? NO_REASON } : {}),
    ...(isObject(args) ? { args } : {}),
    ...omitUndefined({ context, warning }),
  };
}

const NO_REASON = "It gave no reason.";

function findWords(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** Combines the decisions of a file's commands: the most restrictive one counts. */
export function mergeDecisions(hook: HookName, decisions: readonly HookDecision[]): HookAnswer<HookName> {
  const stop = decisions.find((one) => one.stop !== undefined)?.stop;
  const blocks = decisions.flatMap(({ block }) => block ?? []);
  const context = decisions.flatMap((one) => one.context ?? []);
  const text = context.join("\n\n");
  const all = [...(stop === undefined ? [] : [stop]), ...blocks, ...context].join("\n\n");
  const asks = decisions.flatMap(({ ask }) => ask ?? []);
  const args = decisions.findLast((one) => one.args)?.args;
  switch (hook) {
    case "beforeCommand":
      return {
        ...createField("deny", stop ?? blocks[0]),
        ...createField("ask", asks[0]),
        ...omitUndefined({ args }),
        ...createField("add", text),
      };
    case "offer":
      return text === "" ? {} : { resources: [text] };
    case "beforeThinking":
      return createField("note", all);
    case "afterCommand":
    case "afterDelegate":
      return createField("add", all);
    case "beforeDelegate":
      return createField("add", text);
    case "beforeCompaction":
      return createField("keep", text);
    case "ending":
      return stop === undefined ? createField("goOn", blocks.join("\n")) : {};
    case "report":
    case "afterReply":
    case "model":
    case "embedder":
    case "answer":
      return {};
    default:
      return assertNever(hook);
  }
}

function createField(name: string, text: string | undefined): Readonly<Record<string, string>> {
  return text === undefined || text === "" ? {} : { [name]: text };
}

/** The reason for stopping the run; undefined if no command requests that. A blocked prompt and a blocked summary stop it, too. */
export function stopReason(hook: HookName, decisions: readonly HookDecision[]): string | undefined {
  // VS Code disregards what these say about stopping.
  if (hook === "offer" || hook === "beforeDelegate") return undefined;
  const blockStops = hook === "beforeThinking" || hook === "beforeCompaction";
  return decisions.flatMap(({ stop, block }) => stop ?? (blockStops ? (block ?? []) : []))[0];
}
