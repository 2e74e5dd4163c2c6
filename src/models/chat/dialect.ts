import type { ModelRequest, ReasoningEffort } from "../../core/ports/model.ts";
import type { Dialect, EffortWords } from "../../schema/dialect.ts";
import {
  isFormatComplaint,
  isMessageOrderComplaint,
  isNoCreditComplaint,
  isPictureComplaint,
  isTooLongComplaint,
  isWrongKeyComplaint,
  joinComplaintFields,
  readPictureLimit,
} from "../http/complaints.ts";
import type { ServerTrouble } from "../http/error-response.ts";
import { FREE_ORDER, findStricterOrder } from "./message-order.ts";
import { listSentPictures } from "./sent-pictures.ts";

export type { Api, Dialect, SchemaForm } from "../../schema/dialect.ts";

type Effort = Exclude<ReasoningEffort, "auto">;

const EFFORTS: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Maps each effort to the nearest known one; of two equally near ones, to the lower. */
export function mapNearestEfforts(known: readonly string[]): EffortWords {
  const words = EFFORTS.filter((word) => known.includes(word));
  const measureEffortDistance = (one: Effort, other: Effort): number =>
    Math.abs(EFFORTS.indexOf(one) - EFFORTS.indexOf(other));
  const findNearestEffort = (effort: Effort): Effort =>
    words.toSorted((a, b) => measureEffortDistance(a, effort) - measureEffortDistance(b, effort))[0] ?? effort;
  return {
    none: findNearestEffort("none"),
    minimal: findNearestEffort("minimal"),
    low: findNearestEffort("low"),
    medium: findNearestEffort("medium"),
    high: findNearestEffort("high"),
    xhigh: findNearestEffort("xhigh"),
    max: findNearestEffort("max"),
  };
}

const FOUR_EFFORTS = mapNearestEfforts(["minimal", "low", "medium", "high"]);
export const THREE_EFFORTS = mapNearestEfforts(["low", "medium", "high"]);
export const NONE_TO_HIGH = mapNearestEfforts(["none", "low", "medium", "high"]);
/** Anthropic's names of efforts. */
export const LOW_TO_MAX = mapNearestEfforts(["low", "medium", "high", "xhigh", "max"]);

/** The form that most servers accept. OpenAI's newest models accept only the newer name of the reply limit, many other servers only the older. */
export const COMMON_DIALECT: Dialect = {
  api: "chat",
  replyLimits: ["max_tokens", "max_completion_tokens"],
  mostTokens: 0,
  thinkingRoom: 0,
  streamUsage: true,
  streams: true,
  temperature: true,
  stop: true,
  parallelToolCalls: true,
  toolChoice: "required",
  schemaForms: ["json_schema", "json_object with schema", "json_object", "guided_json", "json_schema field"],
  order: FREE_ORDER,
  reasoning: "none",
  efforts: FOUR_EFFORTS,
  thinkingOff: "absent",
  plainWhileReasoning: false,
  sendsBack: [],
  reasoningBesideText: true,
  needsReasoning: false,
  callIds: "any",
  signatures: "none",
  openSchemas: true,
  pictures: true,
  resultPictures: true,
  // With more of them, Anthropic takes only smaller ones.
  mostPictures: 20,
  sealedReasoning: true,
  summaries: true,
  verbosity: false,
  cacheKey: false,
  cacheMarks: false,
  cachePoints: false,
  cacheHours: true,
};

/**
 * The dialect for another attempt after a refusal; undefined if the dialect isn't the cause. A reply limit up to `taken` isn't the cause,
 * as the server has accepted it before.
 */
export function adaptDialect(
  dialect: Dialect,
  trouble: ServerTrouble,
  request: ModelRequest,
  taken = 0,
): Dialect | undefined {
  const { complaint, status = complaint.status } = trouble;
  const words = joinComplaintFields(complaint);
  const isInvalid = /^(invalid|unsupported|image|empty_image)_/.test(complaint.code || complaint.type);
  const isOfAccount = isNoCreditComplaint(trouble) || isWrongKeyComplaint(trouble);
  const isRefusal = ((status ?? 0) >= 400 || isInvalid) && !isOfAccount && !isTooLongComplaint(trouble);
  if (isRefusal && dialect.pictures && isPictureComplaint(trouble, request))
    return reducePictures(dialect, trouble, request);
  const refined = isRefusal
    ? (reduceCacheMarks(dialect, words, request) ??
      changeCalls(dialect, words, request) ??
      (dialect.api === "messages" ? changeThinking : changeReasoning)(dialect, words, request))
    : undefined;
  if (refined) return refined;
  const order = isMessageOrderComplaint(trouble) ? findStricterOrder(dialect.order, trouble, request) : undefined;
  if (order) return { ...dialect, order };
  if (!isRefusal) return undefined;
  if (request.schema && isFormatComplaint(trouble, request) && dialect.schemaForms.length > 1)
    return { ...dialect, schemaForms: listOtherForms(dialect.schemaForms, words) };
  if ((status ?? 0) >= 500 && !NAMES_A_FIELD.test(words)) return undefined;
  if (request.tools && dialect.parallelToolCalls && /parallel[_ ]tool/i.test(words))
    return { ...dialect, parallelToolCalls: false };
  if (request.tools && dialect.toolChoice !== "auto" && /tool[_ ]?choice/i.test(words))
    return { ...dialect, toolChoice: "auto" };
  if (dialect.cachePoints && /prompt_cache_(breakpoint|options)/i.test(words))
    return { ...dialect, cachePoints: false };
  if (dialect.cacheKey && /prompt_cache/i.test(words)) return { ...dialect, cacheKey: false };
  if (request.isBrief && dialect.verbosity && /\bverbosity\b/i.test(words)) return { ...dialect, verbosity: false };
  if (dialect.streamUsage && /stream[_ ]options|include[_ ]usage/i.test(words))
    return { ...dialect, streamUsage: false };
  if (dialect.streams && NO_STREAM.test(words)) return { ...dialect, streams: false };
  if (request.temperature !== undefined && dialect.temperature && /\btemperature\b/i.test(words))
    return { ...dialect, temperature: false };
  if (request.stop && dialect.stop && /\bstop\b/i.test(words)) return { ...dialect, stop: false };
  const isOnly = dialect.api === "responses";
  const [limit] = isOnly && dialect.replyLimits.length > 0 ? ["max_output_tokens"] : dialect.replyLimits;
  const { maxReplyTokens = 0 } = request;
  if (maxReplyTokens > taken && limit !== undefined && new RegExp(`\\b${limit}\\b`).test(words))
    return changeLimit(dialect, words, isOnly);
  return undefined;
}

/** Uses the reply limit that the server names, another field name, or no limit. Messages requires a limit. */
function changeLimit(dialect: Dialect, words: string, isOnly: boolean): Dialect {
  const most = Number(/> ?(\d{3,})\b|\bat most (\d{3,})\b/.exec(words)?.slice(1).join("") ?? 0);
  if (dialect.api === "messages" && most > 0 && dialect.mostTokens === 0) return { ...dialect, mostTokens: most };
  return { ...dialect, replyLimits: isOnly || TOO_LARGE.test(words) ? [] : dialect.replyLimits.slice(1) };
}

/** OpenAI streams some models to verified organizations only. */
const NO_STREAM = /\bto stream\b|['"`]stream['"`]|\bstreaming\b.{0,40}(not|n't|un) ?support/i;

/** Moves pictures, reduces their number, or removes them, after a complaint about them. */
function reducePictures(dialect: Dialect, trouble: ServerTrouble, request: ModelRequest): Dialect {
  const count = listSentPictures(request).length;
  const most = readPictureLimit(trouble, count);
  if (most !== undefined && count > 1) return { ...dialect, mostPictures: Math.min(most, count - 1) };
  const areInResults = request.messages.some((message) => message.role === "tool" && message.pictures);
  return areInResults && dialect.api !== "chat" && dialect.resultPictures
    ? { ...dialect, resultPictures: false }
    : { ...dialect, pictures: false };
}

/**
 * The forms to try after the first was refused. Versions of vLLM that refuse the schema in its usual field accept it in a special field.
 */
function listOtherForms([, ...others]: Dialect["schemaForms"], words: string): Dialect["schemaForms"] {
  const isOldVllm = REFUSES_SCHEMA_FIELD.test(words) && others.includes("guided_json");
  return isOldVllm ? ["guided_json", ...others.filter((form) => form !== "guided_json")] : others;
}

const REFUSES_SCHEMA_FIELD = /response_format\W+(json_)?schema\b.{0,80}(extra|not permitted)/i;

/** Changes the form of calls and tools after a complaint about them. */
function changeCalls(dialect: Dialect, words: string, request: ModelRequest): Dialect | undefined {
  if (dialect.callIds === "any" && NINE_LETTERS.test(words)) return { ...dialect, callIds: "nine" };
  if (dialect.signatures !== "needed" && /thought_?signature/i.test(words)) return { ...dialect, signatures: "needed" };
  if (dialect.order.callsTogether && ONE_CALL.test(words))
    return { ...dialect, order: { ...dialect.order, callsTogether: false } };
  if (request.tools && dialect.openSchemas && CLOSED_SCHEMAS.test(words)) return { ...dialect, openSchemas: false };
  if (request.tools && dialect.toolChoice !== "auto" && FORCED_WHILE_REASONING.test(words))
    return { ...dialect, toolChoice: "auto" };
  return undefined;
}

/** Shortens the time of cache marks, or removes the marks, after a complaint about them. */
function reduceCacheMarks(dialect: Dialect, words: string, { cached }: ModelRequest): Dialect | undefined {
  if (!cached || !dialect.cacheMarks || !/cache_?control|cache_?point/i.test(words)) return undefined;
  return dialect.cacheHours && cached.minutes === 60 && /\bttl\b/i.test(words)
    ? { ...dialect, cacheHours: false }
    : { ...dialect, cacheMarks: false };
}

/** Changes how thinking is requested over Messages after a complaint about it. */
function changeThinking(dialect: Dialect, words: string, request: ModelRequest): Dialect | undefined {
  const { reasoning, thinkingOff, sendsBack, efforts, summaries } = dialect;
  if (sendsBack.length > 0 && THINKING_SENT_BACK.test(words)) return { ...dialect, sendsBack: [] };
  if (reasoning === "none" || !/thinking|output_config|\beffort\b/i.test(words)) return undefined;
  if (summaries && /\bdisplay\b/.test(words)) return { ...dialect, summaries: false };
  if (thinkingOff !== "between_tools" && /between_tools/.test(words))
    return { ...dialect, thinkingOff: "between_tools" };
  if (thinkingOff !== "never" && /\bdisabled\b.{0,40}not supported/i.test(words))
    return { ...dialect, thinkingOff: "never" };
  const isAdaptive = reasoning === "thinking.adaptive";
  if (
    !isAdaptive &&
    /\benabled\b.{0,40}not supported|budget_tokens.{0,40}(extra|not (permitted|supported))/i.test(words)
  )
    return { ...dialect, reasoning: "thinking.adaptive", efforts: LOW_TO_MAX };
  if (isAdaptive && /adaptive\b.{0,80}(not (match|support)|unsupported)/i.test(words))
    return { ...dialect, reasoning: "thinking.budget_tokens", thinkingOff: "absent" };
  const word = isEffort(request.reasoningEffort) ? efforts[request.reasoningEffort] : undefined;
  if ((word === "xhigh" || word === "max") && /\beffort\b/i.test(words)) return { ...dialect, efforts: THREE_EFFORTS };
  return { ...dialect, reasoning: "none", thinkingOff: "absent" };
}

/** Complaints about thinking that was sent back: from another model or conversation, or changed in transit. */
const THINKING_SENT_BACK =
  /\bsignature\b|thinking\W{1,4}blocks?\b[^.]{0,60}cannot be modified|bound to a different|\bthinking_blocks\b/i;

/** Changes the fields for reasoning after a complaint about them. */
function changeReasoning(dialect: Dialect, words: string, request: ModelRequest): Dialect | undefined {
  const isAsked = dialect.reasoning !== "none" && isEffort(request.reasoningEffort);
  const needed = findNeededField(words, request, [...dialect.sendsBack, ...(isAsked ? PARAMETERS : [])]);
  if (needed !== undefined) {
    const sendsBack = [needed, ...dialect.sendsBack.filter((name) => name !== needed)];
    const isKnown = dialect.needsReasoning && dialect.sendsBack[0] === needed;
    return isKnown ? undefined : { ...dialect, needsReasoning: true, sendsBack };
  }
  if (dialect.api === "responses") {
    if (dialect.summaries && /summar(y|ies)/i.test(words)) return { ...dialect, summaries: false };
    if (dialect.sealedReasoning && /encrypted|\binclude\b/i.test(words)) return { ...dialect, sealedReasoning: false };
  }
  if (isAsked && REASONING_FIELDS.test(words)) {
    const efforts = findOtherEfforts(dialect, words, request.reasoningEffort);
    if (efforts) return { ...dialect, efforts };
    // Even without an effort, a model that doesn't reason refuses the field.
    return { ...dialect, reasoning: "none", summaries: false };
  }
  if (dialect.api === "responses" && dialect.summaries && REASONING_FIELDS.test(words))
    return { ...dialect, summaries: false };
  if (dialect.sendsBack.length > 0 && SENT_BACK_FIELDS.test(words))
    return { ...dialect, sendsBack: [], needsReasoning: false };
  return undefined;
}

/**
 * Names for efforts after one was refused: those that the complaint lists, or fewer. Undefined if the complaint isn't only about the name.
 */
function findOtherEfforts(
  { efforts }: Dialect,
  words: string,
  effort: ReasoningEffort | undefined,
): EffortWords | undefined {
  if (!isEffort(effort)) return undefined;
  const refused = efforts[effort];
  const [, list = ""] = SUPPORTED_VALUES.exec(words) ?? [];
  const listed = EFFORTS.filter((each) => new RegExp(`\\b${each}\\b`, "i").test(list) && each !== refused);
  if (listed.length > 0) return mapNearestEfforts(listed);
  if (!/\b(value|minimal|none|xhigh|max)\b/i.test(words)) return undefined;
  return THREE_EFFORTS[effort] === refused ? undefined : THREE_EFFORTS;
}

const SUPPORTED_VALUES =
  /\b(?:supported|allowed|valid|possible|permitted) values?(?: are)?:?([^.]*)|must be one of([^.]*)/i;

/**
 * The reasoning field that a complaint names as missing from messages with calls. The server can't refuse an unsent field; for fields in
 * `sent`, the complaint must say "missing".
 */
function findNeededField(words: string, request: ModelRequest, sent: readonly string[]): string | undefined {
  const calling = request.messages.flatMap((message) =>
    message.role === "assistant" && message.calls?.length ? [message] : [],
  );
  if (calling.length === 0) return undefined;
  const own = new Set(calling.flatMap(({ sentBack }) => Object.keys(sentBack?.others ?? {})));
  const named = [...words.matchAll(FIELD_NAMES)]
    .flatMap(([, inQuotes, name = inQuotes]) => name ?? [])
    .filter((name) => own.has(name) || (OF_REASONING.test(name) && !OF_PARAMETER.test(name)));
  const spoken = MISSING.test(words) ? [...own].filter((name) => hasWord(words, name)) : [];
  return [...named, ...spoken].find((name) => !sent.includes(name) || (MISSING.test(words) && !UNWANTED.test(words)));
}

function hasWord(words: string, name: string): boolean {
  return new RegExp(`(?<![\\w-])${name.replace(/\W/g, "\\$&")}(?![\\w-])`).test(words);
}

/** Plain words are names only in quotes, in a path or as a field. Other words are recognized by their form. */
const FIELD_NAMES =
  /(?:[`'"]|\.)([a-z]\w*)(?![\w-])|\b([a-z]\w*_\w+|[a-z]+[A-Z]\w*|[a-z]+(?= (?:field|content|blocks?)\b))/g;
const OF_REASONING = /reason|think|thought/i;
/** Parameters of requests for reasoning, not its fields. */
const OF_PARAMETER = /effort|budget|enable|tokens|mode|level|config|kwargs/i;
const PARAMETERS = ["reasoning", "thinking"];
const MISSING =
  /missing|must (be|have|include|contain)|required|\bback\b|lacks?\b|(not|n't) (been )?(found|present|provided|passed|sent|included)/i;
const UNWANTED = /(not|n't|un) ?(be )?(allowed|permitted|support|recogni|expected|accept)|extra|unknown/i;
const CLOSED_SCHEMAS = /should be non-?empty for (object|type)|field is not repeating|missing field\W+items/i;
const NINE_LETTERS = /tool call id\b[^.]{0,120}length of 9/i;
const ONE_CALL = /only supports? single tool-?calls?|one tool call per/i;
const FORCED_WHILE_REASONING =
  /(thinking|reasoner)[^.]{0,120}(tool[_ ]?choice|forces tool use)|tool[_ ]?choice[^.]{0,120}thinking/i;
const REASONING_FIELDS =
  /reasoning[_.]?effort|\breasoning\b|\bthink(ing)?\b|enable_thinking|thinking_budget|chat_template_kwargs/i;
const SENT_BACK_FIELDS = /\b(reasoning_content|reasoning|thinking_blocks|reasoning_details|extra_content)\b/;

/** True for an effort that a request names. */
export function isEffort(effort: ReasoningEffort | undefined): effort is Effort {
  return effort !== undefined && effort !== "auto";
}

/** A server error concerns a field only if it says so. */
const NAMES_A_FIELD = /validation|not support|unsupported|unknown (parameter|field|argument|name)|not permitted/i;

/** The server refuses the number, not the field's name. Its own limit is then used. */
const TOO_LARGE = /too large|at most|less than|exceeds|maximum value|valid range/i;
