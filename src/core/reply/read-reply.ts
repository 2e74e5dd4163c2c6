import { isObject, type Json, objectsIn, tryJson } from "../base/json.ts";
import { isMisspelled } from "../base/text.ts";
import { type Completion, ENDLESS, type ReplyFormat, type ToolCall } from "../ports/model.ts";
import { callsOf, plainName, type ResolveName, type ShapedCalls, thoughtsBeside } from "./call-shapes.ts";
import { callsInText, finalAnswerIn, hasCallInText, type WrittenCalls } from "./calls-in-text.ts";
import { type Complaints, complaintsIn } from "./complaints.ts";
import { filesReply, hasFence, wordsReply } from "./files-reply.ts";
import { READS } from "./further-calls.ts";
import { endsMark, firstMark, goesOn, hasWords, isBare, isQuoting, isThinking, ownPart } from "./marks.ts";
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
import { formFaults, toleratedFaults } from "./reply-check.ts";

/** How a reply was asked for. */
export interface ReadingOptions {
  /** Complaints are in the terms of this format; a call is read in any form. */
  readonly format?: ReplyFormat;
  /** Knows the offered commands, so that their names can be keys. */
  readonly resolve?: ResolveName | undefined;
  /** The requested thoughts. With "short" ones, a tool call needs none. */
  readonly thoughts?: ThoughtStyle | undefined;
  /** It was asked for in the text form of ReAct. */
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
  const reading = { format, complaints: complaintsIn(format, isReact), resolve, thoughts, isReact };
  const broken = brokenOff(completion, reading.complaints);
  if (broken) return broken;
  if (format === "files" && completion.calls.length === 0)
    return readFiles(completion, reading, { doWordsEnd, task });
  return readCalls(completion.calls, completion.text, reading) ?? readText(completion.text, reading);
}

/** Reads a reply in whole files; one without any may be a call in another form, or words to the user. */
function readFiles(
  { text, finish }: Completion,
  reading: Reading,
  { doWordsEnd, task }: { readonly doWordsEnd: boolean; readonly task: string | undefined },
): Reply {
  const spoken = withoutReasoning(text);
  if (spoken === undefined) return unreadable(reading.complaints.unclear);
  if (spoken.trim() === "") return unreadable(reading.complaints.empty);
  const isEndless = finish === ENDLESS;
  const files = filesReply(spoken, { isEndless, task });
  if (files) return files;
  const call = readText(spoken, { ...reading, format: "text" });
  if (call.kind === "proposal") return { ...call, faults: [] };
  return isEndless || hasFence(spoken) || !doWordsEnd
    ? unreadable(reading.complaints.noCall)
    : wordsReply(spoken);
}

/** A reply without a reason for its end broke off, unless all of its calls are whole. */
function brokenOff({ finish, calls }: Completion, complaints: Complaints): UnreadableReply | undefined {
  if (finish === "length") return cutOff(complaints.tooLong);
  if (finish === "content_filter") return unreadable(complaints.withheld);
  const areWhole = calls.length > 0 && calls.every(({ arguments: args }) => isObject(tryJson(args)));
  return finish === "" && !areWhole ? cutOff(complaints.brokeOff) : undefined;
}

/** Reads the first call; undefined if there is none. */
function readCalls(
  [call, ...further]: readonly ToolCall[],
  text: string,
  reading: Reading,
): Reply | undefined {
  if (!call) return undefined;
  const reply = readCall(call, text, reading);
  if (reply.kind === "unreadable") return reply;
  return withFurther(
    reply,
    further.map((other) => ({ name: other.name, reply: readCall(other, "", reading) })),
  );
}

function readCall(call: ToolCall, text: string, { complaints, resolve, thoughts: style }: Reading): Reply {
  const parsed = parseObject(call.arguments.trim() === "" ? "{}" : call.arguments);
  if (!("object" in parsed)) return complaintAbout(parsed, complaints);
  const { thoughts, args } = thoughtsAmong(parsed.object);
  const said = readThoughts(thoughts);
  const spoken = said.text === "" ? { ...said, text: text.trim() } : said;
  const name = plainName(call.name, resolve);
  if (name === "") return question(spoken);
  const isSilent = style === "full" && THOUGHT_FIELDS.every((field) => spoken[field] === "");
  return withFaults(
    { kind: "proposal", thoughts: spoken, call: { name, args } },
    isSilent ? ['the first argument of the tool call, "thoughts", is missing'] : [],
  );
}

function withFaults(reply: Proposal, faults: readonly string[]): Proposal {
  return faults.length === 0 ? reply : { ...reply, faults };
}

/** Separates the thoughts from arguments, also under a misspelled name and one object deeper. */
function thoughtsAmong(given: Json): { readonly thoughts: unknown; readonly args: Json } {
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
  const spoken = withoutReasoning(text);
  if (spoken === undefined) return unreadable(complaints.unclear);
  if (spoken.trim() === "") return unreadable(complaints.empty);
  const direct = tryJson(unfenced(spoken));
  if (isObject(direct)) return replyFrom(direct, reading);
  if (Array.isArray(direct) && direct.length > 0 && direct.every(isObject))
    return replyFrom({ tool_calls: direct }, reading);
  const written = (reading.isReact ? reactCalls(spoken, resolve) : undefined) ?? callsInText(spoken, resolve);
  return written ? readWritten(written, reading) : readObjects(spoken, reading);
}

function unfenced(text: string): string {
  return /^\s*```(?:json)?[ \t]*\n([\s\S]*?)\n```\s*$/.exec(text)?.[1] ?? text;
}

/** Takes the first object that is a call, unless something says that it isn't meant. */
function readObjects(spoken: string, reading: Reading): Reply {
  const { complaints } = reading;
  const { objects, cutOff: broken } = objectsIn(spoken);
  let end = 0;
  const replies = objects.map((one) => {
    const at = spoken.indexOf("{", end);
    end = at + one.length;
    const parsed = parseObject(one);
    return {
      at,
      end,
      reply: "object" in parsed ? replyFrom(parsed.object, reading) : complaintAbout(parsed, complaints),
    };
  });
  const calls = replies.flatMap(({ reply, ...place }) =>
    reply.kind === "proposal" ? [{ ...place, reply }] : [],
  );
  const [first] = calls;
  if (first) {
    if (hasLooseEnd(spoken)) return unreadable(complaints.notJson(LOOSE_END));
    const isOpen = reading.format === "tools" && areWordsAfter(spoken.slice(first.end));
    if (isOpen || !isMeant(calls, spoken, reading.resolve)) return unreadable(complaints.unclear);
    return withIgnored(first.reply, namesOf(calls.filter((call) => !isSameCall(call, first))));
  }
  if (broken) return cutOff(complaints.cutOff);
  const answer = replies.length === 0 ? finalAnswerIn(spoken) : undefined;
  if (answer !== undefined) return replyFrom({ final_answer: answer }, reading);
  return replies[0]?.reply ?? unreadable(complaints.noCall);
}

/** A call in a text, with its place. */
interface PlacedCall {
  readonly at: number;
  readonly end: number;
  readonly reply: Proposal;
}

/**
 * True if nothing says that the calls may only be talked about. Words between different ones may weigh them against each other. The end
 * of a mark after a call makes it a part of what the mark holds. A call in the middle of a line may be a part of a sentence, so one that
 * changes anything isn't run.
 */
function isMeant(calls: readonly PlacedCall[], text: string, resolve: ResolveName | undefined): boolean {
  const [first] = calls;
  const from = first?.end ?? 0;
  const before = text.slice(0, first?.at);
  const spoken = text.slice(0, from) + ownPart(text.slice(from), before);
  const own = calls.filter(({ end }) => end <= spoken.length);
  const isClear = own.every((call, index) => {
    const next = own[index + 1];
    return !next || isSameCall(call, next) || isBare(spoken.slice(call.end, next.at));
  });
  const last = own.at(-1);
  const after = spoken.slice(last?.end);
  const name = first?.reply.call.name ?? "";
  const isHarmless = READS.has(resolve?.(name) ?? name);
  return (
    isClear &&
    !isQuoting(before) &&
    (isHarmless || !goesOn(after, before)) &&
    !endsMark(after, spoken.slice(0, last?.at))
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
  return hasWords(ownPart(words, ""));
}

/** The beginning of reasoning in a channel of gpt-oss. */
const CHANNEL = /^\s*(?:<\|start\|>assistant)?<\|channel\|>analysis<\|message\|>/i;
const CHANNEL_END = /<\|end\|>|(?=<\|(?:start|channel)\|>)/;

/** More parts of reasoning in one reply are unclear. */
const MOST_PARTS = 20;

/** Removes reasoning at the beginning; undefined where it isn't clear what is reasoning. Without its end, all is. */
function withoutReasoning(text: string): string | undefined {
  let rest = text;
  for (let part = 0; part < MOST_PARTS; part++) {
    const spoken = afterReasoning(rest);
    if (spoken === undefined || spoken === rest) return spoken;
    rest = spoken;
  }
  return undefined;
}

/**
 * The text after the reasoning that it begins with. Some templates put its beginning into the prompt, so that only its end is in the
 * reply. In an object, a mark is a part of a text.
 */
function afterReasoning(text: string): string | undefined {
  const channel = CHANNEL.exec(text)?.[0];
  if (channel !== undefined) {
    const end = CHANNEL_END.exec(text.slice(channel.length));
    return end ? text.slice(channel.length + end.index + end[0].length) : "";
  }
  const open = /^\s*[<[◁]/.test(text) ? firstMark(text, () => true) : undefined;
  const isOpened = open && !open.isClosing && isThinking(open) && text.slice(0, open.at).trim() === "";
  const end = firstMark(
    text,
    (mark) => mark.isClosing && (isOpened ? mark.name === open.name : isThinking(mark)),
  );
  if (isOpened && !end) return /^\[(?!THINK\])/.test(text.trimStart()) ? text : "";
  if (!end || isObject(tryJson(text))) return text;
  const before = text.slice(0, end.at);
  if (!isOpened && hasCallInText(before)) return undefined;
  return !isOpened && objectsIn(before).cutOff ? text : text.slice(end.end);
}

/** Reads calls that a server left in the text. If the first can't be read, none is. */
function readWritten({ before, calls }: WrittenCalls, reading: Reading): Reply {
  const { complaints } = reading;
  const [first, ...further] = calls;
  if (first === "cutOff") return cutOff(complaints.cutOff);
  if (first === undefined) return unreadable(complaints.unclear);
  const reply = replyFrom(first, reading);
  if (reply.kind === "unreadable") return reply;
  const { thoughts } = reply;
  const spoken = thoughts.text === "" ? { ...thoughts, text: before.trim() } : thoughts;
  const others = further.map((one) => ({
    name: "an unreadable call",
    reply: isObject(one) ? replyFrom(one, reading) : unreadable(complaints.unclear),
  }));
  return withFurther({ ...reply, thoughts: spoken }, others);
}

/** Adds the further calls of a reply up to the first that can't be read, and the names of the others. */
function withFurther(
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
  return withIgnored(also.length === 0 ? reply : { ...reply, also }, lost);
}

function namesOf(calls: readonly PlacedCall[]): readonly string[] {
  return calls.map(({ reply }) => reply.call.name);
}

function withIgnored(reply: Proposal, names: readonly string[]): Proposal {
  const ignored = [...(reply.ignored ?? []), ...names];
  return ignored.length === 0 ? reply : { ...reply, ignored };
}

function replyFrom(object: Json, { format, complaints, resolve, isReact }: Reading): Reply {
  const shaped = callsOf(object, resolve);
  const isDescribed = format !== "tools" && !isReact;
  if ("fault" in shaped) {
    const isClear = shaped.fault !== "severalNames" && shaped.fault !== "unclear";
    const details = isDescribed && isClear ? detailsOf(formFaults(object)) : "";
    return unreadable(`${complaintOf(shaped, complaints)}${details}`);
  }
  const [call, ...further] = shaped.calls;
  const thoughts = readThoughts(thoughtsBeside(object));
  const reply = call.name === "" ? question(thoughts) : withThoughtsOutside(thoughts, call);
  const whole = withFaults(reply, isDescribed ? toleratedFaults(object) : []);
  return withIgnored(further.length === 0 ? whole : { ...whole, also: further }, shaped.lost);
}

function complaintOf(fault: Extract<ShapedCalls, { fault: string }>, complaints: Complaints): string {
  return fault.fault === "severalNames" ? complaints.severalNames(fault.names) : complaints[fault.fault];
}

/** The faults that the complaint itself doesn't name. */
function detailsOf(faults: readonly string[]): string {
  const others = faults.filter((fault) => !SAID_ANYWAY.has(fault));
  return others.length === 0 ? "" : ` In detail: ${others.join("; ")}.`;
}

const SAID_ANYWAY = new Set(['"command" is missing', '"command.name" is missing']);

/** Moves thoughts out of the arguments, if there are none beside the call. */
function withThoughtsOutside(thoughts: Thoughts, call: Call): Proposal {
  if (thoughts.text !== "" || !isObject(call.args.thoughts)) return { kind: "proposal", thoughts, call };
  const { thoughts: inside, ...args } = call.args;
  return { kind: "proposal", thoughts: readThoughts(inside), call: { ...call, args } };
}

/** Turns a reply without a command into a question to the user. */
function question(thoughts: Thoughts): Proposal {
  const text = thoughts.speak || thoughts.text || "What should I do next?";
  return { kind: "proposal", thoughts, call: { name: "ask_user", args: { question: text } } };
}

function complaintAbout(
  parsed: Exclude<ParsedObject, { object: Json }>,
  complaints: Complaints,
): UnreadableReply {
  return parsed.trouble === "cutOff" ? cutOff(complaints.cutOff) : unreadable(complaints.notJson(parsed.why));
}

function unreadable(problem: string): UnreadableReply {
  return { kind: "unreadable", problem };
}

function cutOff(problem: string): UnreadableReply {
  return { kind: "unreadable", problem, cutOff: true };
}
