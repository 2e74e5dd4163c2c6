import { isObject, type Json, objectsIn, tryJson } from "../base/json.ts";
import type { ResolveName } from "./call-shapes.ts";
import { endsMark, RESULT } from "./marks.ts";
import { hasLooseEnd, repairedJson } from "./parse-object.ts";
import { pythonCall, pythonCalls } from "./python-call.ts";

/** A call that a server left in the text, as an object of one of the shapes; undefined where it can't be read. */
export interface WrittenCalls {
  /** The words before the first call. */
  readonly before: string;
  readonly calls: readonly (Json | "cutOff" | undefined)[];
}

/** A form in which models write calls as text. */
interface CallForm {
  /** Begins a call. */
  readonly mark: RegExp;
  /** Reads a call, or a list of calls, in a text that begins with the mark. */
  read(text: string, mark: RegExpExecArray): ReadCalls;
}

/** Calls with the text after them; `calls` ends with the first that can't be read. */
interface ReadCalls {
  readonly calls: WrittenCalls["calls"];
  readonly rest: string;
}

const NAME = String.raw`[A-Za-z_][\w.-]*`;
/** Words in the marks of calls. A lookahead, so that a mark is matched in one way only. */
const CALLISH = String.raw`(?=[^<>\n]{0,60}(?:tool|call|action|plugin|python))`;
/** A mark of a chat template that begins calls, as `<tool_call>`, `<|tool_call_begin|>`, `<|START_ACTION|>` or `[TOOL_CALLS]`. */
const BEGIN = String.raw`(?:<(?![^<>\n]{0,60}(?:respon|result|output))${CALLISH}[\w:.▁｜|-]{1,60}>|\[TOOL_CALLS?\]|functools(?=\s*\[)|function call<\|role_sep\|>)\s*`;
/** Any mark between the parts of a call. */
const BETWEEN = String.raw`(?:<[|｜][^<>\n]{1,40}>|\[[A-Z_]+\]|<tool_sep>)\s*`;
/** A word and a mark before the name: DeepSeek's type of a call. */
const TYPE = String.raw`(?:[\w-]{1,40}\s*<[|｜][^<>\n]{1,40}>\s*)?`;
const FENCE = String.raw`(?:${"```"}\w*\s*)?`;
/** The beginning of a tag in any namespace. */
const TAG = String.raw`<[\w:｜]{0,20}?`;

/** The forms of the published chat templates. Each is a shape that several families share. */
const FORMS: readonly CallForm[] = [
  // Qwen3-Coder, Llama 3.1, Claude, MiniMax M2, Seed, Step, DeepSeek V3.2: tags with parameters or JSON in them.
  {
    mark: form(
      `(?:${BEGIN}){0,4}${TYPE}${TAG}(?:function=|(?:invoke|function_call|function) name=")(${NAME})"?\\s*>`,
    ),
    read: (text, [mark, name = ""]) => inTags(name, text.slice(mark.length)),
  },
  // GLM, LongCat, Hunyuan, Solar: the name, then pairs of tags.
  {
    mark: form(`${BEGIN}(${NAME})\\s*(?:<tool_sep>\\s*)?(?=<\\|?[\\w:]*arg|<\\/[\\w:]*tool_call)`),
    read: (text, [mark, name = ""]) => inPairs(name, text.slice(mark.length)),
  },
  // Gemma: strings between marks of their own.
  {
    mark: form(`${BEGIN}call:(${NAME})\\s*(?=\\{)`),
    read: (text, [mark, name]) =>
      inObjects(
        name,
        text.slice(mark.length).replace(GEMMA_STRING, (_, __, value) => JSON.stringify(value)),
      ),
  },
  { mark: /^```tool_code\s*$/m, read: inToolCode },
  // Llama 4, LFM2, Olmo 3: calls as Python writes them.
  {
    mark: form(`(?:${BEGIN}){1,4}${FENCE}(?=\\[?\\s*${NAME}\\()`),
    read: (text, [mark]) => inPython(text.slice(mark.length)),
  },
  // gpt-oss, also without its marks.
  {
    mark: form(
      `(?:<\\|start\\|>)?(?:assistant\\s*)?(?:<\\|channel\\|>)?(?:commentary|analysis)?\\s{0,9}to=(?:functions[.:])?(${NAME})\\s*(?:<\\|channel\\|>\\w*)?\\s*(?:<\\|constrain\\|>)?\\s*(?:json|code)?\\s*(?:<\\|message\\|>)?\\s*(?=\\{)`,
    ),
    read: (text, [mark, name]) => inObjects(name, text.slice(mark.length)),
  },
  // Hermes, Qwen, Mistral, DeepSeek, Kimi, Granite, Phi, Command, Nemotron and others: JSON, the name in it or before it.
  {
    mark: form(
      `(?:${BEGIN}){1,4}(?:${TYPE}(${NAME})(?::\\d+)?\\s*(?:\\[CALL_ID\\][\\w-]*\\s*)?(?:${BETWEEN}){0,4})?${FENCE}\\[?\\s*(?=\\{)`,
    ),
    read: (text, [mark, name]) => inObjects(name, text.slice(mark.length)),
  },
];

function form(source: string): RegExp {
  return new RegExp(source, "i");
}

/** Begins a call, whatever follows. */
const ANY_MARK =
  /<tool_calls?>|\[TOOL_CALLS\]|<\|python_tag\|>|<[|｜]tool[▁_]calls?[\w▁]*[|｜]>|<\w+:tool_call>/;

/** Reads calls that were written as text, if they come before any other object. */
export function callsInText(text: string, resolve: ResolveName | undefined): WrittenCalls | undefined {
  const found = FORMS.flatMap(({ mark, read }) => {
    const match = mark.exec(text);
    return match ? [{ at: match.index, mark, read }] : [];
  });
  const [first] = found.toSorted((a, b) => a.at - b.at);
  if (!first) return inBarePython(text, resolve) ?? inReact(text, resolve) ?? unreadForm(text);
  const before = text.slice(0, first.at);
  if (before.includes("{")) return undefined;
  const isQuoted = /(?:`|(?:^|\n)[ \t]*>[^\n]*)$/.test(before);
  return { before, calls: isQuoted ? [undefined] : allCalls(first, before, text.slice(first.at)) };
}

function unreadForm(text: string): WrittenCalls | undefined {
  const at = text.search(ANY_MARK);
  const before = text.slice(0, at);
  return at === -1 || before.includes("{") ? undefined : { before, calls: [undefined] };
}

/** A reply with more calls goes on without end. */
const MOST_CALLS = 50;

/** All calls of a form. A call with words after it is only talked about; what a model invents as its result doesn't count. */
function allCalls({ mark, read }: CallForm, before: string, text: string): WrittenCalls["calls"] {
  const all: (Json | "cutOff" | undefined)[] = [];
  let rest = text;
  for (let next = mark.exec(rest); next?.index === 0 && all.length < MOST_CALLS; next = mark.exec(rest)) {
    const { calls, rest: after } = read(rest, next);
    all.push(...calls);
    if (!isObject(calls.at(-1))) return all;
    rest = after.replace(AFTER_CALL, "");
  }
  const [left = ""] = rest.split(RESULT);
  const words = left.replace(/```\w*|<[^<>\n]*>|\[\/\w+\]/g, "");
  const isMeant =
    !/\p{L}/u.test(words) &&
    !endsMark(left, before) &&
    !/<\/?\w*[=:]?(?:param|function\b|invoke|arg_)/.test(left);
  return isMeant ? all : [undefined];
}

/** The ends of a call and of a list. */
const AFTER_CALL = form(
  `^(?:\\s|${"```"}|[\\],;]|<${CALLISH}(?=[|｜]?\\/|[^<>\\n]*(?:end|suffix)|\\|call|\\w+\\|)[^<>\\n]{1,60}>|\\[\\/[A-Z_]+\\])+`,
);

/** True if a call in one of the forms begins in the text. */
export function hasCallInText(text: string): boolean {
  return FORMS.some(({ mark }) => mark.test(text)) || ANY_MARK.test(text) || ANY_ACTION.test(text);
}

/** JSON after the name of a command, or objects that are calls themselves. */
function inObjects(name: string | undefined, text: string): ReadCalls {
  const { objects } = objectsIn(text);
  if (objects.length === 0) return { calls: ["cutOff"], rest: "" };
  if (hasLooseEnd(text)) return { calls: [undefined], rest: "" };
  const calls: (Json | undefined)[] = [];
  let end = 0;
  for (const object of objects.slice(0, name === undefined ? MOST_CALLS : 1)) {
    const at = text.indexOf("{", end);
    if (calls.length > 0 && !/^\s*[,;]?\s*$/.test(text.slice(end, at))) break;
    end = at + object.length;
    const read = tryJson(object) ?? repairedJson(object);
    if (!isObject(read)) return { calls: [...calls, undefined], rest: "" };
    calls.push(name === undefined ? read : { name, arguments: read });
  }
  return { calls, rest: text.slice(end) };
}

const TAG_END = form(`<\\/[\\w:｜]{0,20}?(?:function|invoke|function_call)>`);
const PARAMETER =
  /<[\w:｜]{0,20}?param(?:eter)?(?:=([\w.-]+)| name="([\w.-]+)")[^>\n]*>\n?([\s\S]*?)\n?<\/[\w:｜]{0,20}?param(?:eter)?>/g;
const PARAMETER_START = /<[\w:｜]{0,20}?param(?:eter)?[= ]/;
const PARAMETER_END = /<\/[\w:｜]{0,20}?param(?:eter)?>/;

/** JSON or parameters in a tag. */
function inTags(name: string, text: string): ReadCalls {
  if (/^\s*\{/.test(text)) {
    const { calls, rest } = inObjects(name, text);
    return { calls, rest: rest.replace(form(`^\\s*${TAG_END.source}`), "") };
  }
  return withValues(name, text, {
    end: TAG_END,
    value: PARAMETER,
    starts: PARAMETER_START,
    ends: PARAMETER_END,
  });
}

const PAIR_END = /<\/[\w:]*tool_call[\w:]*>|<\|tool_call:end\|>/;
const PAIR =
  /<\|?[\w:]*arg(?:_key[\w:]*>|:start\|>)([^<>]*)<(?:\/[\w:]*arg_key[\w:]*>\s*<[\w:]*arg_value[\w:]*|\|tool_arg:value\|)>()([\s\S]*?)<(?:\/[\w:]*arg_value[\w:]*|\|tool_arg:end\|)>/g;
const PAIR_START = /<\|?[\w:]*arg(?:_key[\w:]*>|:start\|>)/;
const VALUE_END = /<\/[\w:]*arg_value[\w:]*>|<\|tool_arg:end\|>/;

function inPairs(name: string, text: string): ReadCalls {
  return withValues(name, text, { end: PAIR_END, value: PAIR, starts: PAIR_START, ends: VALUE_END });
}

/** Tags that a value in tags can't have in it, because it may end early and set other parameters. */
const OWN_TAG = /<[\w:｜|/]{0,20}?(?:param(?:eter)?\b|function\b|invoke\b|tool_call\b|arg_key|arg_value)/;

/** How values in tags are written. */
interface ValueTags {
  /** Ends the call. */
  readonly end: RegExp;
  /** A value with its name. */
  readonly value: RegExp;
  readonly starts: RegExp;
  readonly ends: RegExp;
}

function withValues(name: string, text: string, { end, value, starts, ends }: ValueTags): ReadCalls {
  const match = end.exec(text);
  if (!match) return { calls: ["cutOff"], rest: "" };
  const body = text.slice(0, match.index);
  const isPaired = body.split(starts).length === body.split(ends).length;
  const pairs = isPaired ? [...body.matchAll(value)] : [];
  const entries = pairs.map(([, key, other, given = ""]) => [(key || other || "").trim(), given] as const);
  const isClear =
    isPaired &&
    body.replace(value, "").trim() === "" &&
    entries.every(([, given]) => !OWN_TAG.test(given)) &&
    new Set(entries.map(([key]) => key)).size === entries.length;
  const rest = text.slice(match.index + match[0].length);
  return { calls: [isClear ? { name, arguments: Object.fromEntries(entries) } : undefined], rest };
}

const GEMMA_STRING = /(<escape>|<\|"\|>)([\s\S]*?)\1/g;

function inToolCode(text: string): ReadCalls {
  const [whole, code] = /^```tool_code\s*\n([\s\S]*?)^```/m.exec(text) ?? [];
  if (whole === undefined || code === undefined) return { calls: ["cutOff"], rest: "" };
  return { calls: [pythonCall(code)], rest: text.slice(whole.length) };
}

function inPython(text: string): ReadCalls {
  const { calls, end } = pythonCalls(text);
  return { calls, rest: text.slice(end) };
}

/** A whole reply of Llama 3.2 and 4: calls of known commands in Python's form, and nothing else. */
function inBarePython(text: string, resolve: ResolveName | undefined): WrittenCalls | undefined {
  const name = form(`^\\s*\\[?\\s*(${NAME})\\(`).exec(text)?.[1];
  if (name === undefined || resolve?.(name) === undefined) return undefined;
  const { calls, rest } = inPython(text);
  return rest.trim() === "" ? { before: "", calls } : undefined;
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
    const { calls, rest } = inObjects(name, input);
    return /\p{L}/u.test(rest) ? undefined : calls[0];
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
