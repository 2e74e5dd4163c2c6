import { findJsonObjects, isObject, type Json, tryJson } from "../base/json.ts";
import type { ResolveName } from "./call-shapes.ts";
import { parsePythonCall } from "./call-values.ts";
import type { WrittenCalls } from "./calls-in-text.ts";
import { hasMarkEnd } from "./marks.ts";
import { hasLooseEnd, parseRepairedJson } from "./parse-object.ts";

type Label = "thought" | "action" | "input" | "observation" | "answer";

/** A label with the text up to the next one. */
interface Part {
  readonly label: Label;
  readonly at: number;
  readonly body: string;
}

const WORDS = "thoughts?|action[ \\t_]*inputs?|action|observations?|final[ \\t_]*answer";
/** A label at the start of a line, in any case and however it is decorated: `**Action 2:**`, `### Action`, `- Action :`. */
const LABEL = new RegExp(
  `^[ \\t]*(?:(?:[-*•]|\\d+[.)])[ \\t]+)?(?:#{1,6}[ \\t]*)?(?:\\*\\*|__|\`)?(${WORDS})[ \\t]*\\d*(?:\\*\\*|__|\`)?[ \\t]*[:：](?:\\*\\*|__|\`)?` +
    `|^[ \\t]*(?:#{1,6}[ \\t]+|\\*\\*)(${WORDS})[ \\t]*\\d*(?:\\*\\*)?[ \\t]*$`,
  "gim",
);

/** Labels within a line, from models that write no line breaks. */
const INLINE_ACTION = /[ \t](?=Action:[ \t]*\S+[ \t]+Action Input:|Action Input:|Observation:)/g;
const INLINE_ANSWER = /[ \t](?=Final Answer:)/g;

/** The calls of a reply in the text form of ReAct; undefined if it has neither an action nor a final answer. */
export function reactCalls(text: string, resolve: ResolveName | undefined): WrittenCalls | undefined {
  const spoken = breakBeforeLabels(text);
  const all = splitLabeledParts(spoken);
  const parts = omitInventedParts(all);
  const start = parts.findIndex(isStart);
  const first = parts[start];
  if (!first) return all.some(isStart) ? { before: "", calls: [undefined] } : undefined;
  const before = [
    spoken.slice(0, parts[0]?.at),
    ...parts.slice(0, start).flatMap(({ label, body }) => (label === "thought" ? [body] : [])),
  ]
    .map((thought) => thought.trim())
    .filter((thought) => thought !== "")
    .join("\n");
  const later = parts.slice(start + 1);
  if (first.label === "answer") return readAnswer(before, first, later);
  const calls = readActions(parts.slice(start), resolve);
  if (calls.length === 0) return undefined;
  return { before, calls: isWeighed(parts.slice(start), calls) ? [undefined] : calls };
}

/** True if there are words between different actions, or the first is inside of a mark that ends after it. */
function isWeighed(parts: readonly Part[], calls: WrittenCalls["calls"]): boolean {
  const last = parts.findLastIndex(isStart);
  const said = parts.slice(0, last).map(({ label, body }) => (label === "thought" ? body : getWordsAfterValue(body)));
  const areSame = new Set(calls.map((call) => JSON.stringify(call))).size < 2;
  return (
    (!areSame && said.some((words) => /\p{L}/u.test(words))) ||
    parts.some(({ body }) => hasMarkEnd(getWordsAfterValue(body)))
  );
}

/** Returns the words after an object or a fence. */
function getWordsAfterValue(body: string): string {
  const end = findValueEnd(body, 0);
  return end === 0 ? "" : body.slice(end);
}

/** Removes the observation that a reply invents, before the reply is repeated to the model. */
export function omitObservation(text: string): string {
  const spoken = breakBeforeLabels(text);
  const parts = splitLabeledParts(spoken);
  const end = parts[omitInventedParts(parts).length];
  return (end ? spoken.slice(0, end.at) : text).trim();
}

/** Writes a call in the text form. */
export function reactText(thought: string, { name, args }: { readonly name: string; readonly args: Json }) {
  return `Thought: ${thought}\nAction: ${name}\nAction Input: ${JSON.stringify(args)}`;
}

/** The parts up to the first observation. An outcome that the model invents may contain anything, even an action of a stranger. */
function omitInventedParts(parts: readonly Part[]): readonly Part[] {
  const end = parts.findIndex(({ label }) => label === "observation");
  return end === -1 ? parts : parts.slice(0, end);
}

function isStart({ label }: Part): boolean {
  return label === "action" || label === "answer";
}

/** Adds a line break before each label in a text without line breaks. */
function breakBeforeLabels(text: string): string {
  if (splitLabeledParts(text).some(isStart)) return text;
  const actions = text.replace(INLINE_ACTION, "\n");
  if (splitLabeledParts(actions).some(isStart)) return actions;
  return /^\s*Thought:/i.test(text) ? text.replace(INLINE_ANSWER, "\n") : text;
}

/** Splits a text at labels, except inside an object or a fence. */
function splitLabeledParts(text: string): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  const labels = [...text.matchAll(LABEL)];
  for (const [index, match] of labels.entries()) {
    if (match.index < from) continue;
    const label = classifyLabel(match[1] ?? match[2] ?? "");
    const start = match.index + match[0].length;
    const valueEnd = label === "action" || label === "input" ? findValueEnd(text, start) : start;
    const next = labels.slice(index + 1).find((other) => other.index >= valueEnd);
    from = next?.index ?? text.length;
    parts.push({ label, at: match.index, body: text.slice(start, from).trim() });
  }
  return parts;
}

function classifyLabel(words: string): Label {
  const word = words.toLowerCase();
  if (word.startsWith("thought")) return "thought";
  if (word.startsWith("observation")) return "observation";
  if (word.startsWith("final")) return "answer";
  return word === "action" ? "action" : "input";
}

/** The index after the object or fence that begins there; `start` if there is none. */
function findValueEnd(text: string, start: number): number {
  const rest = text.slice(start);
  const begin = rest.length - rest.trimStart().length;
  const value = rest.slice(begin);
  const fence = /^```[^\n]*\n[\s\S]*?\n[ \t]*```(?=[ \t]*(?:\n|$))|^```[^\n`]*```/.exec(value)?.[0];
  if (fence !== undefined) return start + begin + fence.length;
  const [object] = value.startsWith("{") ? findJsonObjects(value).objects : [];
  return object === undefined ? start : start + begin + object.length;
}

/** An answer together with an action is unclear, because only one of them can be meant. */
function readAnswer(before: string, { body }: Part, later: readonly Part[]): WrittenCalls | undefined {
  const calls = later.some(isStart) ? [undefined] : [{ final_answer: body }];
  return body === "" ? undefined : { before, calls };
}

/** Reads the actions with their inputs; returns none if the first one says that there is none. */
function readActions(parts: readonly Part[], resolve: ResolveName | undefined): WrittenCalls["calls"] {
  return parts.flatMap(({ label, body }, index) => {
    if (label !== "action" || NOTHING.test(body)) return [];
    const next = parts[index + 1];
    const call = readActionCall(body, next?.label === "input" ? next.body : undefined, resolve);
    return [call];
  });
}

const NOTHING = /^(?:none|null|n\/a|no (?:input|arguments?|action)(?: needed)?|\(none\)|[-–—])?\.?$/i;
const FINISH = /^(?:finish|final[ _-]?answer)$/i;
/** `read_file`, with quotes or brackets around it, or as in "use the read_file tool". */
const NAME =
  /^(?:(?:use|call|run|invoke)[ \t]+)?(?:the[ \t]+)?[`"'[*<]*([\w.-]*\w)[`"'\]*>]*(?:\(\))?(?:[ \t]+(?:tool|command|function))?[.,;:]?$/i;
/** `read_file(…)`, `Search[…]`. */
const CALLED = /^[`*]*([\w.-]+)[ \t]*(?:\(([\s\S]*)\)|\[([\s\S]*)\])[`*.;]*$/;
/** `read_file {…}`, `execute_shell: npm test`, or the input on the next line. */
const BESIDE = /^[`"'*]*([\w.-]+)[`"'*]*(?:[ \t]*(?=\{)|[ \t]*:[ \t]+|[ \t]*\n)([\s\S]+)$/;

type WrittenCall = WrittenCalls["calls"][number];

function readActionCall(body: string, input: string | undefined, resolve: ResolveName | undefined): WrittenCall {
  const action = stripFence(body);
  if (action.startsWith("{")) return readLeadingObject(action);
  const name = (FINISH.exec(action) ?? NAME.exec(action)?.slice(1))?.[0];
  if (name !== undefined) return readCallInput(name, input ?? "", resolve);
  if (input !== undefined) return undefined;
  const [, called, round, square] = CALLED.exec(action) ?? [];
  if (called !== undefined)
    return (
      (round === undefined ? undefined : parsePythonCall(`${called}(${round})`)) ??
      readCallInput(called, stripQuotes((round ?? square ?? "").trim()), resolve)
    );
  const [, beside, rest = ""] = BESIDE.exec(action) ?? [];
  const isKnown = beside !== undefined && (resolve === undefined || resolve(beside) !== undefined);
  return isKnown ? readCallInput(beside, rest, resolve) : undefined;
}

/** The call with its input: an object, Python's keywords, or the only argument as plain text. */
function readCallInput(name: string, given: string, resolve: ResolveName | undefined): WrittenCall {
  const input = stripFence(given.trim());
  if (FINISH.test(name) && resolve?.(name) === undefined)
    return input === "" ? undefined : { final_answer: stripQuotes(input) };
  if (NOTHING.test(input)) return { name, arguments: {} };
  if (input.startsWith("{")) {
    const args = readLeadingObject(input);
    return isObject(args) ? { name, arguments: args } : args;
  }
  const keywords = parsePythonCall(`${PLACEHOLDER}(${input})`);
  if (keywords) return { ...keywords, name };
  return { name, action_input: stripQuotes(input) };
}

const PLACEHOLDER = "call";

/**
 * Reads the object that a text begins with. Words may follow it, but not another string, because then the object is part of a broken one.
 */
function readLeadingObject(text: string): WrittenCall {
  const { objects, cutOff } = findJsonObjects(text);
  const [first] = objects;
  if (first === undefined) return cutOff ? "cutOff" : undefined;
  const parsed = tryJson(first) ?? (hasLooseEnd(text) ? undefined : parseRepairedJson(first));
  return isObject(parsed) && !hasLooseEnd(text) ? parsed : undefined;
}

/** Removes the fence or the backticks around a whole text. */
function stripFence(text: string): string {
  const inside = /^```[^\n`]*\n([\s\S]*?)\n?[ \t]*```$|^```(?:json)?[ \t]*([^\n]*?)[ \t]*```$|^`([^`\n]+)`$/.exec(text);
  if (inside) return (inside[1] ?? inside[2] ?? inside[3] ?? "").trim();
  return text.replace(/^```[^\n`{]*\n?/, "").trim();
}

/** Removes the quotes around a whole text, if it contains no others. */
function stripQuotes(text: string): string {
  const json = text.startsWith('"') ? tryJson(text) : undefined;
  if (typeof json === "string") return json;
  return /^'[^'\n]*'$|^"[^"\n]*"$/.test(text) ? text.slice(1, -1) : text;
}
