import { isObject, type Json, objectsIn, tryJson } from "../base/json.ts";
import type { ResolveName } from "./call-shapes.ts";
import { hasLooseEnd, repairedJson } from "./parse-object.ts";
import { pythonCall } from "./python-call.ts";

/** A call that a server left in the text, as an object of one of the shapes; undefined where it can't be read. */
export interface WrittenCalls {
  /** The words before the first call. */
  readonly before: string;
  readonly calls: readonly (Json | "cutOff" | undefined)[];
}

/** A form in which models write calls as text. */
interface CallForm {
  /** Begins the first call. */
  readonly mark: RegExp;
  /** Reads the calls in the text from the mark on. */
  read(text: string): WrittenCalls["calls"];
}

/** The forms of the published chat templates, each with the families that use it. */
const FORMS: readonly CallForm[] = [
  // Hermes and Qwen; with `<function=…>` inside also Qwen3-Coder.
  { mark: /<tool_call>/, read: inHermes },
  // Llama 3.1 and Qwen3-Coder.
  { mark: /<function=[\w.-]+>/, read: (text) => blocks(text, /(?=<function=[\w.-]+>)/).map(inBlock) },
  // Claude.
  { mark: /<invoke name="[\w.-]+">/, read: (text) => blocks(text, /(?=<invoke name=)/).map(inBlock) },
  // Mistral.
  { mark: /\[TOOL_CALLS\]/, read: (text) => text.split("[TOOL_CALLS]").slice(1).flatMap(inMistral) },
  // Llama 3.
  { mark: /<\|python_tag\|>/, read: (text) => allObjects(text) },
  // gpt-oss.
  { mark: /\bto=functions\.[\w-]+/, read: (text) => blocks(text, /(?=to=functions\.)/).map(inHarmony) },
  // DeepSeek.
  { mark: /<｜tool▁call▁begin｜>/, read: (text) => blocks(text, /<｜tool▁call▁begin｜>/).map(inDeepSeek) },
  // Gemma and Gemini.
  { mark: /^```tool_code\s*$/m, read: (text) => [inToolCode(text)] },
];

/** Reads calls that were written as text, if they come before any other object. */
export function callsInText(text: string, resolve: ResolveName | undefined): WrittenCalls | undefined {
  const found = FORMS.map(({ mark, read }) => ({ at: text.search(mark), mark, read })).filter(
    ({ at }) => at !== -1,
  );
  const [first] = found.toSorted((a, b) => a.at - b.at);
  if (!first) return inReact(text, resolve);
  const before = text.slice(0, first.at);
  if (before.includes("{")) return undefined;
  const calls = text.slice(first.at);
  const isUnclear = isQuoted(before, calls, first.mark) || (!isInTags(calls) && hasLooseEnd(calls));
  return { before, calls: isUnclear ? [undefined] : first.read(calls) };
}

/** True if a call is only talked about: the line quotes it, or words follow it. What a model invents as its result doesn't count. */
function isQuoted(before: string, text: string, mark: RegExp): boolean {
  if (/(?:`|(?:^|\n)[ \t]*>[^\n]*)$/.test(before)) return true;
  const rest = text.slice(endOfCall(text));
  const next = rest.search(mark);
  const between = next === -1 ? rest : rest.slice(0, next);
  const [words = ""] = between.split(/<\/?tool_response>|<\|?(?:eot|im_end|end|start)/);
  return /\p{L}/u.test(words.replace(/<[^<>]*>|```\w*/g, ""));
}

/** True if the arguments of the first call aren't JSON. */
function isInTags(text: string): boolean {
  const tag = /^(?:<tool_call>\s*)?<(?:function=|invoke )[^>]*>/.exec(text);
  const isTagged = tag !== null && !/^\s*\{/.test(text.slice(tag[0].length));
  return isTagged || text.startsWith("```tool_code");
}

/** The index after the first call of a text that begins with it. */
function endOfCall(text: string): number {
  if (isInTags(text)) {
    const end = (text.startsWith("<") ? /<\/(?:function|invoke)>/ : /\n```/).exec(text);
    return end ? end.index + end[0].length : text.length;
  }
  const [first] = objectsIn(text).objects;
  const list = /^\[TOOL_CALLS\]\s*\[/.test(text) ? text.lastIndexOf("]") + 1 : 0;
  return first === undefined ? text.length : Math.max(list, text.indexOf(first) + first.length);
}

/** True if a call in one of the forms begins in the text. */
export function hasCallInText(text: string): boolean {
  return FORMS.some(({ mark }) => mark.test(text)) || ANY_ACTION.test(text);
}

function blocks(text: string, border: RegExp): readonly string[] {
  return text.split(border).filter((block) => block.trim() !== "");
}

function inHermes(text: string): WrittenCalls["calls"] {
  return /^<tool_call>\s*<function=/.test(text) ? blocks(text, /<tool_call>/).map(inBlock) : allObjects(text);
}

/** One block of tags: JSON, or a function with JSON or parameters in it. */
function inBlock(block: string): Json | "cutOff" | undefined {
  const tag = /<function=([\w.-]+)>|<invoke name="([\w.-]+)">/.exec(block);
  if (!tag) return allObjects(block)[0];
  const name = tag[1] ?? tag[2] ?? "";
  const body = block.slice(tag.index + tag[0].length);
  const end = body.search(/<\/(?:function|invoke)>/);
  if (/^\s*\{/.test(body)) {
    const [args] = allObjects(body);
    return isObject(args) ? { name, arguments: args } : args;
  }
  if (end === -1) return "cutOff";
  // Further ends belong to a text that has such tags in it.
  const isWhole =
    body.split(/<\/(?:parameter|function|invoke)>/).length ===
    body.slice(0, end).split("</parameter>").length + 1;
  return isWhole ? withParameters(name, body.slice(0, end)) : undefined;
}

const PARAMETER = /<parameter(?:=([\w.-]+)| name="([\w.-]+)")[^>\n]*>\n?([\s\S]*?)\n?<\/parameter>/g;

/** Undefined if a value has such tags in it, because it may end early and set other parameters. */
function withParameters(name: string, body: string): Json | undefined {
  if (body.split("<parameter").length !== body.split("</parameter>").length) return undefined;
  const rest = body.replace(PARAMETER, "");
  if (rest.trim() !== "") return undefined;
  const entries = [...body.matchAll(PARAMETER)].map(([, first, second, value]) => [first ?? second, value]);
  const isClear = entries.every(
    ([, value = ""]) => !/<(?:parameter|function|invoke|tool_call)\b/.test(value),
  );
  const isSingle = new Set(entries.map(([name]) => name)).size === entries.length;
  return isClear && isSingle ? { name, arguments: Object.fromEntries(entries) } : undefined;
}

/** A list of calls, or `name[ARGS]{…}`. */
function inMistral(text: string): WrittenCalls["calls"] {
  const named = /^\s*([\w.-]+)\s*(?:\[CALL_ID\][\w-]+)?(?:\[ARGS\])?\s*(?=\{)/.exec(text);
  const [args] = named ? allObjects(text) : [];
  if (named) return [isObject(args) ? { name: named[1], arguments: args } : args];
  return /^\s*\[/.test(text) ? allObjects(text) : [undefined];
}

function inHarmony(block: string): Json | "cutOff" | undefined {
  const name = /^to=functions\.([\w-]+)/.exec(block)?.[1];
  const [, body] = block.split("<|message|>");
  if (name === undefined || body === undefined) return undefined;
  const [args] = allObjects(body);
  return isObject(args) ? { name, arguments: args } : args;
}

function inDeepSeek(block: string): Json | "cutOff" | undefined {
  const name = /^(?:function<｜tool▁sep｜>)?([\w.-]+)/.exec(block)?.[1];
  const [args] = allObjects(block);
  return name !== undefined && isObject(args) ? { name, arguments: args } : args;
}

function inToolCode(text: string): Json | "cutOff" | undefined {
  const code = /^```tool_code\s*\n([\s\S]*?)^```/m.exec(text)?.[1];
  return code === undefined ? "cutOff" : pythonCall(code);
}

/** All objects of a text, and `cutOff` if it ends inside one. */
function allObjects(text: string): WrittenCalls["calls"] {
  const { objects, cutOff } = objectsIn(text);
  const read = objects.map((one) => {
    const parsed = tryJson(one) ?? repairedJson(one);
    return isObject(parsed) ? parsed : undefined;
  });
  return cutOff ? [...read, "cutOff"] : read.length === 0 ? [undefined] : read;
}

const ACTION = /^[ \t]*(?:\*\*)?Action(?:\*\*)?[ \t]*:[ \t]*(?:\*\*)?[ \t]*[`"[]?([\w.-]+)[`"\]]?[ \t]*$/im;
const INPUT = /^\s*(?:\*\*)?Action Input(?:\*\*)?[ \t]*:(?:\*\*)?/i;

/** The lines of ReAct: `Action: name`, then `Action Input: {…}`. Anything after an invented observation doesn't count. */
function inReact(text: string, resolve: ResolveName | undefined): WrittenCalls | undefined {
  const action = ACTION.exec(text);
  const name = action?.[1];
  if (!action || name === undefined || resolve?.(name) === undefined) return undefined;
  const before = text.slice(0, action.index);
  if (before.includes("{")) return undefined;
  const [rest = ""] = text.slice(action.index + action[0].length).split(/^[ \t]*(?:\*\*)?Observation/im);
  const label = INPUT.exec(rest);
  const input = (label ? rest.slice(label[0].length) : rest).replace(/^\s*```(?:json)?/, "").trim();
  return {
    before: before.replace(/^\s*(?:\*\*)?Thought(?:\*\*)?[ \t]*:/i, ""),
    calls: [withInput(name, input)],
  };
}

function withInput(name: string, input: string): Json | "cutOff" | undefined {
  if (input === "") return { name, arguments: {} };
  if (input.startsWith("{")) {
    const [args] = allObjects(input);
    if (/\p{L}/u.test(input.slice(endOfCall(input)))) return undefined;
    return isObject(args) ? { name, arguments: args } : args;
  }
  const text = tryJson(input.replace(/\s*```$/, ""));
  return typeof text === "string" ? { name, action_input: text } : undefined;
}

const FINAL = /^[ \t]*(?:\*\*)?Final Answer(?:\*\*)?[ \t]*:(?:\*\*)?([\s\S]+)$/im;

/** The final answer of a ReAct reply that does nothing else. */
export function finalAnswerIn(text: string): string | undefined {
  const answer = FINAL.exec(text)?.[1]?.trim();
  return answer === undefined || answer === "" || hasCallInText(text) ? undefined : answer;
}

const ANY_ACTION = /^[ \t]*(?:\*\*)?Action(?: Input)?(?:\*\*)?[ \t]*:/im;
