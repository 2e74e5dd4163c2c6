import { isObject, type Json, tryJson } from "../base/json.ts";
import type { ResolveName } from "./call-shapes.ts";
import {
  type CallList,
  MOST_CALLS,
  parsePythonCall,
  parsePythonCalls,
  type ReadCalls,
  readObjectCalls,
  readOwnTagCalls,
  readPairCalls,
  readTagCalls,
  SPACE,
} from "./call-values.ts";
import { cutInventedResult, hasMarkEnd, hasWords, isQuoting } from "./marks.ts";

/** Calls that a server left in the text, each as an object of one of the shapes; undefined where one can't be read. */
export interface WrittenCalls {
  /** The words before the first call. */
  readonly before: string;
  readonly calls: CallList;
}

/** A form in which models write calls as text. */
interface CallForm {
  /** Begins a call. */
  readonly mark: RegExp;
  /** The mark is only a name, its only group, which must be the name of a command. */
  readonly isPlain?: boolean;
  /** Reads a call, or a list of calls, in a text that begins with the mark. */
  read(text: string, mark: RegExpExecArray): ReadCalls;
}

const NAME = String.raw`[A-Za-z_][\w.-]*`;
/** Words in the marks of calls. The lookahead ensures that a mark matches in only one way. */
const CALLISH = String.raw`(?=[^<>\n]{0,60}(?:tool|call|action|plugin|python))`;
const NO_RESULT = String.raw`(?![^<>\n]{0,60}(?:respon|result|output))`;
/** A mark of a chat template that begins calls, as `<tool_call>`, `<|tool_call_begin|>`, `<|START_ACTION|>` or `[TOOL_CALLS]`. */
const BEGIN = String.raw`(?:<${NO_RESULT}${CALLISH}[\w:.▁｜|\\ -]{1,60}>|\[TOOL_(?:CALLS?|REQUEST)\]|functools(?=\s*\[)|function call<\|role_sep\|>)\s*`;
/** Any mark between the parts of a call. */
const BETWEEN = String.raw`(?:<[|｜][^<>\n]{1,40}>|\[[A-Z_]+\]|<tool_sep>)\s*`;
/** A word and a mark before the name: DeepSeek's type of a call. */
const TYPE = String.raw`(?:[\w-]{1,40}\s*<[|｜][^<>\n]{1,40}>\s*)?`;
const FENCE = String.raw`(?:${"```"}\w*\s*)?`;
/** A name in quotes or without. */
const QUOTED = String.raw`["']?(${NAME})["']?`;
/** Where a call without a mark may begin. */
const START = String.raw`(?:>>>|(?<=^|[\n>\]]))[ \t]*`;

/** The forms of the published chat templates. Each is a shape that several families share. */
const FORMS: readonly CallForm[] = [
  // Qwen3-Coder, Llama 3.1, Claude, MiniMax M2, Seed, Step, DeepSeek V3.2: tags with parameters or JSON in them.
  {
    mark: createFormPattern(
      `(?:${BEGIN}){0,4}${TYPE}<${SPACE}(?:function=|(?:invoke|function_call|function|tool_call|tool) name=)${QUOTED}\\s*>`,
    ),
    read: (text, [mark, name = ""]) => readTagCalls(name, text.slice(mark.length)),
  },
  // Claude 2, and prompts that describe tools in XML: the name in a tag of its own, or as the tag around the arguments.
  {
    mark: createFormPattern(`(?:${BEGIN}|<invoke>\\s*){1,4}<(?:tool_)?name>\\s*(${NAME})\\s*<\\/(?:tool_)?name>\\s*`),
    read: (text, [mark, name = ""]) => {
      const { calls, rest } = readOwnTagCalls(name, text.slice(mark.length));
      return { calls, rest: rest.replace(/^\s*<\/invoke>/, "") };
    },
  },
  {
    mark: createFormPattern(`<(?=(${NAME})>)`),
    isPlain: true,
    read: (text, [, name = ""]) => readOwnTagCalls(name, text),
  },
  // GLM, LongCat, Hunyuan, Solar: the name, then pairs of tags.
  {
    mark: createFormPattern(`${BEGIN}(${NAME})\\s*(?:<tool_sep>\\s*)?(?=<\\|?[\\w:]*arg|<\\/[\\w:]*tool_call)`),
    read: (text, [mark, name = ""]) => readPairCalls(name, text.slice(mark.length)),
  },
  // Gemma: strings between marks of their own.
  {
    mark: createFormPattern(`${BEGIN}call:(${NAME})\\s*(?=\\{)`),
    read: (text, [mark, name]) =>
      readObjectCalls(
        name,
        text.slice(mark.length).replace(GEMMA_STRING, (_, __, value) => JSON.stringify(value)),
      ),
  },
  { mark: /^```tool_code\s*$/m, read: readToolCodeCalls },
  // ToolACE and Llama 4 after words: a list of calls as Python writes them.
  {
    mark: createFormPattern(`(?<=^|\\n)[ \\t]*\\[(?=\\s*(${NAME})\\()`),
    isPlain: true,
    read: readPythonCalls,
  },
  // GLM-4, Functionary, and servers that swallow the first marks: a name on its own before its arguments.
  {
    mark: createFormPattern(
      `${START}(${NAME})(?::\\d+)?(?:[ \\t]*:)?\\s*(?:${BETWEEN}){0,4}${FENCE}(?=\\{|<\\|?[\\w:]*arg)`,
    ),
    isPlain: true,
    read: (text, [mark, name = ""]) => {
      const args = text.slice(mark.length);
      return args.startsWith("{") ? readObjectCalls(name, args) : readPairCalls(name, args);
    },
  },
  // Llama 4, LFM2, Olmo 3: calls as Python writes them.
  {
    mark: createFormPattern(`(?:${BEGIN}){1,4}${FENCE}(?=\\[?\\s*${NAME}\\()`),
    read: (text, [mark]) => readPythonCalls(text.slice(mark.length)),
  },
  // gpt-oss, also without its marks.
  {
    mark: createFormPattern(
      `(?:<\\|start\\|>)?(?:assistant\\s*)?(?:<\\|channel\\|>)?(?:commentary|analysis)?\\s{0,9}to=(?:functions[.:])?(${NAME})\\s*(?:<\\|channel\\|>\\w*)?\\s*(?:<\\|constrain\\|>)?\\s*(?:json|code)?\\s*(?:<\\|message\\|>)?\\s*(?=\\{)`,
    ),
    read: (text, [mark, name]) => readObjectCalls(name, text.slice(mark.length)),
  },
  // Hermes, Qwen, Mistral, DeepSeek, Kimi, Granite, Phi, Command, Nemotron and others: JSON, the name in it or before it.
  {
    mark: createFormPattern(
      `(?:${BEGIN}){1,4}(?:${TYPE}(${NAME})(?::\\d+)?\\s*(?:\\[CALL_ID\\][\\w-]*\\s*)?(?:${BETWEEN}){0,4})?${FENCE}\\[?\\s*(?=\\{)`,
    ),
    read: (text, [mark, name]) => readObjectCalls(name, text.slice(mark.length)),
  },
];

function createFormPattern(source: string): RegExp {
  return new RegExp(source, "i");
}

/** Begins a call, whatever follows. */
const ANY_MARK = /<tool_calls?>|\[TOOL_CALLS\]|<\|python_tag\|>|<[|｜]tool[▁_]calls?[\w▁]*[|｜]>|<\w+:tool_call>/;

/** Reads calls that were written as text, if they come before any other object. */
export function readCallsInText(text: string, resolve: ResolveName | undefined): WrittenCalls | undefined {
  const found = FORMS.flatMap((one) => {
    const match = findNextMark(one, text, resolve);
    return match ? [{ at: match.index, form: one }] : [];
  });
  const [first] = found.toSorted((a, b) => a.at - b.at);
  if (!first) return readBarePythonCalls(text, resolve) ?? readReactCalls(text, resolve) ?? findUnreadForm(text);
  const before = text.slice(0, first.at);
  if (before.includes("{")) return undefined;
  const isQuoted = before.endsWith("`") || isQuoting(before);
  const findNext = (rest: string): RegExpExecArray | undefined => findNextMark(first.form, rest, resolve);
  return {
    before,
    calls: isQuoted ? [undefined] : readAllCalls(first.form, findNext, before, text.slice(first.at)),
  };
}

/** The first mark of a form in a text. */
function findNextMark(
  { mark, isPlain }: CallForm,
  text: string,
  resolve: ResolveName | undefined,
): RegExpExecArray | undefined {
  if (!isPlain) return mark.exec(text) ?? undefined;
  for (const match of text.matchAll(new RegExp(mark.source, "gi")))
    if (resolve?.(match[1] ?? "") !== undefined) return match;
  return undefined;
}

function findUnreadForm(text: string): WrittenCalls | undefined {
  const at = text.search(ANY_MARK);
  const before = text.slice(0, at);
  return at === -1 || before.includes("{") ? undefined : { before, calls: [undefined] };
}

/** Reads all calls of a form. A call with words after it is only mentioned, and a result that the model invents doesn't count. */
function readAllCalls(
  { read }: CallForm,
  nextIn: (text: string) => RegExpExecArray | undefined,
  before: string,
  text: string,
): CallList {
  const all: (Json | "cutOff" | undefined)[] = [];
  let rest = text;
  for (let next = nextIn(rest); next?.index === 0 && all.length < MOST_CALLS; next = nextIn(rest)) {
    const { calls, rest: after } = read(rest, next);
    all.push(...calls);
    if (!isObject(calls.at(-1))) return all;
    rest = after.replace(AFTER_CALL, "");
  }
  return isEnd(rest, before) ? all : [undefined];
}

/** True if a reply ends after its calls: only marks or an invented result follow. */
function isEnd(rest: string, before: string): boolean {
  const left = cutInventedResult(rest, before);
  return !hasWords(left) && !hasMarkEnd(left, before) && !/<\/?\w*[=:]?(?:param|function\b|invoke|arg_)/.test(left);
}

/** Marks that end a call or a list of calls. */
const AFTER_CALL = createFormPattern(
  `^(?:\\s|${"```"}|[\\],;]|<${NO_RESULT}${CALLISH}(?=[|｜]?\\/|[^<>\\n]*(?:end|suffix)|\\|call|\\w+\\|)[^<>\\n]{1,60}>|\\[(?:\\/|END_)[A-Z_]+\\])+`,
);

/** True if a call in one of the forms begins in the text. */
export function hasCallInText(text: string): boolean {
  return FORMS.some(({ mark, isPlain }) => !isPlain && mark.test(text)) || ANY_MARK.test(text) || ANY_ACTION.test(text);
}

const GEMMA_STRING = /(<escape>|<\|"\|>)([\s\S]*?)\1/g;

function readToolCodeCalls(text: string): ReadCalls {
  const [whole, code] = /^```tool_code\s*\n([\s\S]*?)^```/m.exec(text) ?? [];
  if (whole === undefined || code === undefined) return { calls: ["cutOff"], rest: "" };
  return { calls: [parsePythonCall(code)], rest: text.slice(whole.length) };
}

function readPythonCalls(text: string): ReadCalls {
  const { calls, end } = parsePythonCalls(text);
  return { calls, rest: text.slice(end) };
}

/** Reads a whole reply of Llama 3.2 and 4: only calls of known commands in Python's form. */
function readBarePythonCalls(text: string, resolve: ResolveName | undefined): WrittenCalls | undefined {
  const code = text.replace(/^\s*```(?:python|py)?\s*\n/, "");
  const name = createFormPattern(`^\\s*(${NAME})\\(`).exec(code)?.[1];
  if (name === undefined || resolve?.(name) === undefined) return undefined;
  const { calls, rest } = readPythonCalls(code);
  return isEnd(rest.replace(AFTER_CALL, ""), "") ? { before: "", calls } : undefined;
}

const ACTION = /^[ \t]*(?:\*\*)?Action(?:\*\*)?[ \t]*:[ \t]*(?:\*\*)?[ \t]*[`"[]?([\w.-]+)[`"\]]?[ \t]*$/im;
const INPUT = /^\s*(?:\*\*)?Action Input(?:\*\*)?[ \t]*:(?:\*\*)?/i;

/** Reads the lines of ReAct: `Action: name`, then `Action Input: {…}`. Ignores anything after an invented observation. */
function readReactCalls(text: string, resolve: ResolveName | undefined): WrittenCalls | undefined {
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
    calls: [readInputCall(name, input)],
  };
}

function readInputCall(name: string, input: string): Json | "cutOff" | undefined {
  if (input === "") return { name, arguments: {} };
  if (input.startsWith("{")) {
    const { calls, rest } = readObjectCalls(name, input);
    return /\p{L}/u.test(rest) ? undefined : calls[0];
  }
  const text = tryJson(input.replace(/\s*```$/, ""));
  return typeof text === "string" ? { name, action_input: text } : undefined;
}

const FINAL = /^[ \t]*(?:\*\*)?Final Answer(?:\*\*)?[ \t]*:(?:\*\*)?([\s\S]+)$/im;

/** The final answer of a ReAct reply that does nothing else. */
export function findFinalAnswer(text: string): string | undefined {
  const answer = FINAL.exec(text)?.[1]?.trim();
  return answer === undefined || answer === "" || hasCallInText(text) ? undefined : answer;
}

const ANY_ACTION = /^[ \t]*(?:\*\*)?Action(?: Input)?(?:\*\*)?[ \t]*:/im;
