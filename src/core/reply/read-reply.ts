import { findJsonObjects, isObject, type Json, tryJson } from "../base/json.ts";
import { isMisspelled } from "../base/text.ts";
import { COMMAND, isReading } from "../commands/command-traits.ts";
import { type Completion, ENDLESS, type ReplyFormat, type ToolCall } from "../ports/model.ts";
import {
  findThoughtsBeside,
  type ResolveName,
  readShapedCalls,
  type ShapedCalls,
  stripNameDecorations,
} from "./call-shapes.ts";
import { findFinalAnswer, hasCallInText, readCallsInText, type WrittenCalls } from "./calls-in-text.ts";
import { type Complaints, selectComplaints } from "./complaints.ts";
import { hasFence, readFilesReply, readWordsReply } from "./files-reply.ts";
import {
  cutInventedResult,
  findFirstMark,
  hasMarkEnd,
  hasWords,
  isBare,
  isLineContinued,
  isQuoting,
  isThinking,
} from "./marks.ts";
import { hasLooseEnd, type ParsedObject, parseObject } from "./parse-object.ts";
import { reactCalls } from "./react.ts";
import { readThoughts } from "./read-thoughts.ts";
import {
  type Call,
  type Proposal,
  type Reply,
  THOUGHT_FIELDS,
  type ThoughtStyle,
  type Thoughts,
  type UnreadableReply,
} from "./reply.ts";
import { listFormFaults, listToleratedFaults } from "./reply-check.ts";

/** How the reply was requested. */
export interface ReadingOptions {
  /** Complaints are in the terms of this format; a call is read in any form. */
  readonly format?: ReplyFormat;
  /** Resolves the offered commands, so that their names can be keys. */
  readonly resolve?: ResolveName | undefined;
  /** The requested thoughts. With "short" ones, a tool call needs none. */
  readonly thoughts?: ThoughtStyle | undefined;
  /** The reply was requested in the text form of ReAct. */
  readonly isReact?: boolean | undefined;
  /** See `FormatSelector`. */
  readonly doWordsEnd?: boolean | undefined;
  /** See `FilesOptions`. */
  readonly task?: string | undefined;
}

interface Reading {
  readonly format: ReplyFormat;
  readonly complaints: Complaints;
  readonly resolve: ResolveName | undefined;
  readonly thoughts: ThoughtStyle | undefined;
  readonly isReact: boolean;
}

/** Reads a reply in any format. An unreadable reply explains the problem in one sentence. */
export function readReply(
  completion: Completion,
  { format = "text", resolve, thoughts, isReact = false, doWordsEnd = true, task }: ReadingOptions = {},
): Reply {
  const reading = { format, complaints: selectComplaints(format, isReact), resolve, thoughts, isReact };
  const broken = detectBrokenReply(completion, reading.complaints);
  if (broken) return broken;
  if (format === "files" && completion.calls.length === 0) return readFiles(completion, reading, { doWordsEnd, task });
  return readCalls(completion.calls, completion.text, reading) ?? readText(completion.text, reading);
}

/** Reads a reply in whole files. Without a file, it may be a call in another form, or words to the user. */
function readFiles(
  { text, finish }: Completion,
  reading: Reading,
  { doWordsEnd, task }: { readonly doWordsEnd: boolean; readonly task: string | undefined },
): Reply {
  const spoken = stripReasoning(text);
  if (spoken === undefined) return createUnreadableReply(reading.complaints.unclear);
  if (spoken.trim() === "") return createUnreadableReply(reading.complaints.empty);
  const isEndless = finish === ENDLESS;
  const files = readFilesReply(spoken, { isEndless, task });
  if (files) return files;
  const call = readText(spoken, { ...reading, format: "text" });
  if (call.kind === "proposal") return { ...call, faults: [] };
  return isEndless || hasFence(spoken) || !doWordsEnd
    ? createUnreadableReply(reading.complaints.noCall)
    : readWordsReply(spoken);
}

/** True for a reply that broke off: it states no reason for its end, and not all of its calls are whole. */
function detectBrokenReply({ finish, calls }: Completion, complaints: Complaints): UnreadableReply | undefined {
  if (finish === "length") return createCutOffReply(complaints.tooLong);
  if (finish === "content_filter") return createUnreadableReply(complaints.withheld);
  const areWhole = calls.length > 0 && calls.every(({ arguments: args }) => isObject(tryJson(args)));
  return finish === "" && !areWhole ? createCutOffReply(complaints.brokeOff) : undefined;
}

/** Reads the first call; undefined if there is none. */
function readCalls([call, ...further]: readonly ToolCall[], text: string, reading: Reading): Reply | undefined {
  if (!call) return undefined;
  const reply = readCall(call, text, reading);
  if (reply.kind === "unreadable") return reply;
  return addFurtherCalls(
    reply,
    further.map((other) => ({ name: other.name, reply: readCall(other, "", reading) })),
  );
}

function readCall(call: ToolCall, text: string, { complaints, resolve, thoughts: style }: Reading): Reply {
  const parsed = parseObject(call.arguments.trim() === "" ? "{}" : call.arguments);
  if (!("object" in parsed)) return createParseComplaint(parsed, complaints);
  const { thoughts, args } = separateThoughts(parsed.object);
  const said = readThoughts(thoughts);
  const spoken = said.text === "" ? { ...said, text: text.trim() } : said;
  const name = stripNameDecorations(call.name, resolve);
  if (name === "") return createQuestion(spoken);
  const isSilent = style === "full" && THOUGHT_FIELDS.every((field) => spoken[field] === "");
  return addFaults(
    { kind: "proposal", thoughts: spoken, call: { name, args } },
    isSilent ? ['the first argument of the tool call, "thoughts", is missing'] : [],
  );
}

function addFaults(reply: Proposal, faults: readonly string[]): Proposal {
  return faults.length === 0 ? reply : { ...reply, faults };
}

/** Separates the thoughts from arguments, also under a misspelled name or one object deeper. */
function separateThoughts(given: Json): { readonly thoughts: unknown; readonly args: Json } {
  const names = Object.keys(given);
  const name =
    names.find((one) => one === "thoughts") ??
    names.find((one) => isObject(given[one]) && isMisspelled(one, ["thoughts"]));
  if (name !== undefined) {
    const { [name]: thoughts, ...args } = given;
    return { thoughts, args };
  }
  const [only, more] = Object.entries(given);
  const [key, value] = only ?? [];
  if (more || key === undefined || !isObject(value) || !isObject(value.thoughts))
    return { thoughts: undefined, args: given };
  const { thoughts, ...args } = value;
  return { thoughts, args: { [key]: args } };
}

/** Reads a text reply without private reasoning: calls in a written form, or objects. */
function readText(text: string, reading: Reading): Reply {
  const { complaints, resolve } = reading;
  const spoken = stripReasoning(text);
  if (spoken === undefined) return createUnreadableReply(complaints.unclear);
  if (spoken.trim() === "") return createUnreadableReply(complaints.empty);
  const direct = tryJson(stripFence(spoken));
  if (isObject(direct)) return readReplyObject(direct, reading);
  if (Array.isArray(direct) && direct.length > 0 && direct.every(isObject))
    return readReplyObject({ tool_calls: direct }, reading);
  const written = (reading.isReact ? reactCalls(spoken, resolve) : undefined) ?? readCallsInText(spoken, resolve);
  return written ? readWritten(written, reading) : readObjects(spoken, reading);
}

function stripFence(text: string): string {
  return /^\s*```(?:json)?[ \t]*\n([\s\S]*?)\n```\s*$/.exec(text)?.[1] ?? text;
}

/** Takes the first object that is a call, unless the text shows that it isn't meant. */
function readObjects(spoken: string, reading: Reading): Reply {
  const { complaints } = reading;
  const { objects, cutOff: broken } = findJsonObjects(spoken);
  let end = 0;
  const replies = objects.map((one) => {
    const at = spoken.indexOf("{", end);
    end = at + one.length;
    const parsed = parseObject(one);
    return {
      at,
      end,
      reply: "object" in parsed ? readReplyObject(parsed.object, reading) : createParseComplaint(parsed, complaints),
    };
  });
  const calls = replies.flatMap(({ reply, ...place }) => (reply.kind === "proposal" ? [{ ...place, reply }] : []));
  const [first] = calls;
  if (first) {
    if (hasLooseEnd(spoken)) return createUnreadableReply(complaints.explainNotJson(LOOSE_END));
    const isOpen = reading.format === "tools" && areWordsAfter(spoken.slice(first.end));
    if (isOpen || !isMeant(calls, spoken, reading.resolve)) return createUnreadableReply(complaints.unclear);
    return addIgnoredNames(first.reply, listNames(calls.filter((call) => !isSameCall(call, first))));
  }
  if (broken) return createCutOffReply(complaints.cutOff);
  const answer = replies.length === 0 ? findFinalAnswer(spoken) : undefined;
  if (answer !== undefined) return readReplyObject({ final_answer: answer }, reading);
  return replies[0]?.reply ?? createUnreadableReply(complaints.noCall);
}

/** A call in a text, with its place. */
interface PlacedCall {
  readonly at: number;
  readonly end: number;
  readonly reply: Proposal;
}

/**
 * True if nothing suggests that the calls are only mentioned. Words between different ones may weigh them against each other. The end of a
 * mark after a call makes the call a part of the mark's text. A call in the middle of a line may be a part of a sentence, so it isn't run
 * if it changes anything.
 */
function isMeant(calls: readonly PlacedCall[], text: string, resolve: ResolveName | undefined): boolean {
  const [first] = calls;
  const from = first?.end ?? 0;
  const before = text.slice(0, first?.at);
  const spoken = text.slice(0, from) + cutInventedResult(text.slice(from), before);
  const own = calls.filter(({ end }) => end <= spoken.length);
  const isClear = own.every((call, index) => {
    const next = own[index + 1];
    return !next || isSameCall(call, next) || isBare(spoken.slice(call.end, next.at));
  });
  const last = own.at(-1);
  const after = spoken.slice(last?.end);
  const name = first?.reply.call.name ?? "";
  const isHarmless = isReading({ name: resolve?.(name) ?? name });
  return (
    isClear &&
    !isQuoting(before) &&
    (isHarmless || !isLineContinued(after, before)) &&
    !hasMarkEnd(after, spoken.slice(0, last?.at))
  );
}

function isSameCall(one: PlacedCall, other: PlacedCall): boolean {
  return JSON.stringify(one.reply.call) === JSON.stringify(other.reply.call);
}

/** A part of a sentence. */
const LOOSE_END = "a string or an object in it has no clear end";

/** True if there are words after an object. Models that call tools write such objects only when they talk about them. */
function areWordsAfter(rest: string): boolean {
  const [words = ""] = rest.split("{");
  return hasWords(cutInventedResult(words, ""));
}

/** The beginning of reasoning in a channel of gpt-oss. */
const CHANNEL = /^\s*(?:<\|start\|>assistant)?<\|channel\|>analysis<\|message\|>/i;
const CHANNEL_END = /<\|end\|>|(?=<\|(?:start|channel)\|>)/;

/** More parts of reasoning in one reply are unclear. */
const MOST_PARTS = 20;

/** Removes reasoning at the beginning; undefined if its extent isn't clear. If its end is missing, the whole text is reasoning. */
function stripReasoning(text: string): string | undefined {
  let rest = text;
  for (let part = 0; part < MOST_PARTS; part++) {
    const spoken = findTextAfterReasoning(rest);
    if (spoken === undefined || spoken === rest) return spoken;
    rest = spoken;
  }
  return undefined;
}

/**
 * The text after the reasoning that it begins with. Some templates put the opening mark into the prompt, so the reply contains only the
 * closing one. In an object, a mark is a part of a text.
 */
function findTextAfterReasoning(text: string): string | undefined {
  const channel = CHANNEL.exec(text)?.[0];
  if (channel !== undefined) {
    const end = CHANNEL_END.exec(text.slice(channel.length));
    return end ? text.slice(channel.length + end.index + end[0].length) : "";
  }
  const open = /^\s*[<[◁]/.test(text) ? findFirstMark(text, () => true) : undefined;
  const isOpened = open && !open.isClosing && isThinking(open) && text.slice(0, open.at).trim() === "";
  const end = findFirstMark(text, (mark) => mark.isClosing && (isOpened ? mark.name === open.name : isThinking(mark)));
  if (isOpened && !end) return /^\[(?!THINK\])/.test(text.trimStart()) ? text : "";
  if (!end || isObject(tryJson(text))) return text;
  const before = text.slice(0, end.at);
  if (!isOpened && hasCallInText(before)) return undefined;
  return !isOpened && findJsonObjects(before).cutOff ? text : text.slice(end.end);
}

/** Reads calls that a server left in the text. If the first can't be read, none is read. */
function readWritten({ before, calls }: WrittenCalls, reading: Reading): Reply {
  const { complaints } = reading;
  const [first, ...further] = calls;
  if (first === "cutOff") return createCutOffReply(complaints.cutOff);
  if (first === undefined) return createUnreadableReply(complaints.unclear);
  const reply = readReplyObject(first, reading);
  if (reply.kind === "unreadable") return reply;
  const { thoughts } = reply;
  const spoken = thoughts.text === "" ? { ...thoughts, text: before.trim() } : thoughts;
  const others = further.map((one) => ({
    name: "an unreadable call",
    reply: isObject(one) ? readReplyObject(one, reading) : createUnreadableReply(complaints.unclear),
  }));
  return addFurtherCalls({ ...reply, thoughts: spoken }, others);
}

/** Adds the further calls of a reply up to the first that can't be read, and the names of the others. */
function addFurtherCalls(
  reply: Proposal,
  further: readonly { readonly name: string; readonly reply: Reply }[],
): Proposal {
  const end = further.findIndex((one) => one.reply.kind === "unreadable");
  const readable = end === -1 ? further : further.slice(0, end);
  const calls = readable.flatMap((one) => (one.reply.kind === "proposal" ? [one.reply.call] : []));
  const lost = further
    .slice(readable.length)
    .map((one) => (one.reply.kind === "proposal" ? one.reply.call.name : one.name));
  const also = [...(reply.also ?? []), ...calls];
  return addIgnoredNames(also.length === 0 ? reply : { ...reply, also }, lost);
}

function listNames(calls: readonly PlacedCall[]): readonly string[] {
  return calls.map(({ reply }) => reply.call.name);
}

function addIgnoredNames(reply: Proposal, names: readonly string[]): Proposal {
  const ignored = [...(reply.ignored ?? []), ...names];
  return ignored.length === 0 ? reply : { ...reply, ignored };
}

function readReplyObject(object: Json, { format, complaints, resolve, isReact }: Reading): Reply {
  const shaped = readShapedCalls(object, resolve);
  const isDescribed = format !== "tools" && !isReact;
  if ("fault" in shaped) {
    const isClear = shaped.fault !== "severalNames" && shaped.fault !== "unclear";
    const details = isDescribed && isClear ? renderFaultDetails(listFormFaults(object)) : "";
    return createUnreadableReply(`${explainFault(shaped, complaints)}${details}`);
  }
  const [call, ...further] = shaped.calls;
  const thoughts = readThoughts(findThoughtsBeside(object));
  const reply = call.name === "" ? createQuestion(thoughts) : moveThoughtsOut(thoughts, call);
  const whole = addFaults(reply, isDescribed ? listToleratedFaults(object) : []);
  return addIgnoredNames(further.length === 0 ? whole : { ...whole, also: further }, shaped.lost);
}

function explainFault(fault: Extract<ShapedCalls, { fault: string }>, complaints: Complaints): string {
  return fault.fault === "severalNames" ? complaints.explainSeveralNames(fault.names) : complaints[fault.fault];
}

/** Describes the faults that the complaint itself doesn't mention. */
function renderFaultDetails(faults: readonly string[]): string {
  const others = faults.filter((fault) => !SAID_ANYWAY.has(fault));
  return others.length === 0 ? "" : ` In detail: ${others.join("; ")}.`;
}

const SAID_ANYWAY = new Set(['"command" is missing', '"command.name" is missing']);

/** Moves thoughts out of the arguments, if there are none beside the call. */
function moveThoughtsOut(thoughts: Thoughts, call: Call): Proposal {
  if (thoughts.text !== "" || !isObject(call.args.thoughts)) return { kind: "proposal", thoughts, call };
  const { thoughts: inside, ...args } = call.args;
  return { kind: "proposal", thoughts: readThoughts(inside), call: { ...call, args } };
}

/** Turns a reply without a command into a question to the user. */
function createQuestion(thoughts: Thoughts): Proposal {
  const text = thoughts.speak || thoughts.text || "What should I do next?";
  return { kind: "proposal", thoughts, call: { name: COMMAND.ask, args: { question: text } } };
}

function createParseComplaint(
  parsed: Exclude<ParsedObject, { object: Json }>,
  complaints: Complaints,
): UnreadableReply {
  return parsed.trouble === "cutOff"
    ? createCutOffReply(complaints.cutOff)
    : createUnreadableReply(complaints.explainNotJson(parsed.why));
}

function createUnreadableReply(problem: string): UnreadableReply {
  return { kind: "unreadable", problem };
}

function createCutOffReply(problem: string): UnreadableReply {
  return { kind: "unreadable", problem, cutOff: true };
}
