import { tryJson } from "../../core/base/json.ts";
import type { ModelRequest, TroubleDetails } from "../../core/ports/model.ts";
import type { Api } from "../../schema/dialect.ts";
import { type Complaint, readComplaint, type ServerTrouble, WEB_PAGE } from "./error-response.ts";

/** Messages about a prompt that is too long, from OpenAI, Azure, vLLM, llama.cpp, Ollama, LM Studio and similar servers. */
const TOO_LONG = [
  /context_length_exceeded|exceed_context_size|context_window_exceeded|string_above_max_length/i,
  /maximum context length|max(imum)? (model|context|sequence)[ _]?len|maximum allowed length/i,
  /(exceed|larger than|longer than|overflow|greater than|reached|too (long|large) for)[^.]{0,60}context[ _-]?(size|length|window|limit)/i,
  /context[ _-]?(size|length|window|the)[^.]{0,60}(exceeded|overflows|too small)/i,
  /prompt (is )?too long|input length exceeds|input (is )?too long|too many (input )?tokens/i,
  /(token count|number of (input )?tokens)[^.]{0,80}exceeds/i,
  /reduce (the length of|your) (the )?(messages|prompt|input)/i,
];
const TOO_LONG_FOR_ANY_MINUTE = /request too large for/i;

/** True if a server reports that the prompt doesn't fit into the model. */
export function isTooLongComplaint({ status, complaint }: ServerTrouble): boolean {
  // A limit of tokens per minute is something else, unless no minute would ever be enough.
  if (status === 429) return TOO_LONG_FOR_ANY_MINUTE.test(complaint.message);
  return status === 413 || TOO_LONG.some((pattern) => pattern.test(joinComplaintFields(complaint)));
}

const SIZES =
  /\b(tokens?|context|prompts?|inputs?)\b[^.\n]{0,80}\d[,.]?\d{3}|\d[,.]?\d{3}[^.\n]{0,60}\b(tokens?|context|prompts?|inputs?)\b/i;

/** True if a complaint compares numbers of tokens, in whatever words. */
export function isTokenCountComplaint({ complaint }: ServerTrouble): boolean {
  return SIZES.test(complaint.message);
}

/** True if a server or its proxy refused the request's number of bytes, and not of tokens. */
export function isTooManyBytesComplaint(trouble: ServerTrouble): boolean {
  const words = joinComplaintFields(trouble.complaint);
  return trouble.status === 413 && !isTokenCountComplaint(trouble) && !TOO_LONG.some((pattern) => pattern.test(words));
}

/** Patterns for the window size and the size of the refused prompt in those messages. */
const WINDOW_SIZE = [
  /(?:context|model|sequence)[ _]?(?:length|size|window)(?: is| of)?(?: only)?[ :(]*(\d[\d,]*)/i,
  /(\d[\d,]*) (?:tokens )?maximum\b/i,
  /maximum number of tokens allowed \((\d[\d,]*)\)/i,
];
const PROMPT_SIZE = [
  /(\d[\d,]*) (?:tokens )?in the (?:messages|prompt)/i,
  /(?:request|prompt|messages?)(?: \(| has | contains | resulted in )(?:length )?(\d[\d,]*)(?: input)? tokens/i,
  /\b(\d[\d,]*) tokens > \d/i,
  /input token count \((\d[\d,]*)\)/i,
];

/** The sizes in a message about a prompt that is too long. */
export function readTokenSizes({ complaint }: ServerTrouble): Pick<TroubleDetails, "window" | "promptTokens"> {
  return {
    window: complaint.window ?? findTokenSize(complaint.message, WINDOW_SIZE),
    promptTokens: findTokenSize(complaint.message, PROMPT_SIZE),
  };
}

function findTokenSize(message: string, patterns: readonly RegExp[]): number | undefined {
  const [found] = patterns.flatMap((pattern) => pattern.exec(message)?.[1] ?? []);
  return found === undefined ? undefined : Number(found.replaceAll(",", ""));
}

const NO_SYSTEM =
  /developer instruction is not enabled|not support ['"`]system['"`] with|system (role|message|prompt)s? (is |are )?not supported|(not|n't) support (the )?['"`]?system['"`]? (role|message|prompt)/i;

/** Messages about the order of messages, from chat templates, Bedrock, Anthropic, Google, Mistral, OpenAI and Perplexity. */
const WRONG_ORDER = [
  NO_SYSTEM,
  /(must|should|have to|need to) alternate|alternat\w+ (between|with) (user|assistant)/i,
  /\b(conversations?|messages?|prompts?) (must|should|has to|have to|needs? to) (start|begin|end) with/i,
  /\b(first|last) (message|turn|role)\b[^.]{0,60}\b(user|assistant|tool)\b/i,
  /(un)?expected (last )?role\b|\brole ['"`]?\w+['"`]? (after|before|following)\b/i,
  /\bonly [^.]{0,40}\broles (are )?supported/i,
  /system message must be (at the beginning|(the )?first)/i,
  /function (call|response) turn|number of function (calls?|responses?)\b[^.]{0,40}\b(responses?|calls?)\b/i,
  /tool_?(use|result)['"`]? blocks?|tool_?(use|result)['"`]? ids? were found/i,
  /must be followed by tool messages|must be a response to a prece+ding message/i,
];

/** True if a server refuses the order of messages, which is no reason to change the reply format. */
export function isMessageOrderComplaint({ complaint }: ServerTrouble): boolean {
  return WRONG_ORDER.some((pattern) => pattern.test(complaint.message));
}

/** True if a server supports no system message. */
export function isSystemMessageComplaint({ complaint }: ServerTrouble): boolean {
  return NO_SYSTEM.test(complaint.message);
}

const OF_TOOLS = /\btools?\b|tool[_ -]?(choice|use|call)|function[_ -]?call|\bfunctions?\b|--jinja/i;
const OF_SCHEMA =
  /(response|output)[_ -]?format|json[_ -]?(schema|object|mode)|structured[_ -]?output|output_config|grammar|guided|\bschema\b/i;
/** A time unit in a rate limit. */
const OF_TIME = /\bper[ -](second|minute|min|hour|day)|\b[tr]p[mdh]\b|\/ ?min|again|\breset/i;

/** True if a prompt's length may have caused an error that usually means a busy server. */
export function mayMeanLength(trouble: ServerTrouble): boolean {
  const { status, complaint } = trouble;
  if (status === 429)
    return (
      complaint.waitMs === undefined &&
      /\b(context|prompts?|inputs?)\b/i.test(complaint.message) &&
      !OF_TIME.test(complaint.message)
    );
  // A page, or no word, is a proxy's before a server that is down.
  const isOther = complaint.message === "" || isBusyComplaint(trouble) || isMessageOrderComplaint(trouble);
  return status !== undefined && status >= 500 && !isOther;
}

/** A server error counts as a refusal only if it says so or names a field of the request. Otherwise the model just wrote a bad call. */
const REFUSES =
  /(not|un|n't) ?(be )?(support|implement)|requires?|not allowed|grammar|no endpoints|must be set|\bvalidation\b/i;
const TOOL_FIELDS = /\b(tools|tool_choice|parallel_tool_calls|functions)\b/;
const SCHEMA_FIELDS = /\b(response_format|json_schema|json_object|schema)\b/;

/** True if a server refuses the requested reply format. */
export function isFormatComplaint(trouble: ServerTrouble, request: ModelRequest): boolean {
  const { status, complaint } = trouble;
  if (isMessageOrderComplaint(trouble) || isTokenCountComplaint(trouble)) return false;
  const words = joinComplaintFields(complaint);
  const isFailure = status !== undefined && status >= 500;
  if (isFailure && (request.tools || request.schema) && /\bvalidation\b/i.test(words)) return true;
  const named = (request.tools && OF_TOOLS.test(words)) || (request.schema && OF_SCHEMA.test(words));
  if (!named) return false;
  if (status === 400 || status === 422 || REFUSES.test(words)) return true;
  const fields = request.tools ? TOOL_FIELDS : SCHEMA_FIELDS;
  return isFailure && fields.test(words);
}

const OF_LENGTH = /\b(long|lang|length|large|big|(too|zu) \w+|exceeds?|above|more than)\b|[过過]长|超/i;

/** True if a complaint about parts of the reply format concerns their length and not their support. */
export function isFormatLengthComplaint({ complaint }: ServerTrouble): boolean {
  return OF_LENGTH.test(complaint.message) && !REFUSES.test(joinComplaintFields(complaint));
}

/** Messages about pictures in a prompt, from OpenAI, Anthropic, Google, Mistral, DeepSeek, OpenRouter, Groq, vLLM, llama.cpp, Ollama and LM Studio. */
const OF_PICTURES =
  /\bimages?\b|image_?url|\bvision\b|multi-?modal|mmproj|unsupported content\[\]\.type|\bcontent['"`]? must be a string|\boutput\b[^.;]{0,40} string\b/i;

/** True if a server complains about a request's pictures: it accepts none, or not these. */
export function isPictureComplaint({ complaint }: ServerTrouble, request: ModelRequest): boolean {
  return hasPictures(request) && OF_PICTURES.test(joinComplaintFields(complaint));
}

/** True for a request that contains pictures. */
export function hasPictures({ messages }: ModelRequest): boolean {
  return messages.some(
    (message) =>
      (message.role === "user" || message.role === "tool") &&
      message.pictures?.some(({ unsent }) => unsent === undefined),
  );
}

const BAD_PICTURE =
  /could not process|unable to (read|load|process)|too (large|big|small)|exceed|corrupt|invalid[_ ](image|base64)|decod|image_parse_error|appears to be|media[_ ]?type|\bpixels?\b|(not|n't) (represent )?(a )?valid|not match|(uploaded an|unsupported)[_ ](unsupported[_ ])?image([_ ](format|media|type|file)|\.)/i;

/** True if a complaint about pictures concerns only these, so that others may be accepted. */
export function isBadPictureComplaint({ complaint }: ServerTrouble): boolean {
  return BAD_PICTURE.test(joinComplaintFields(complaint));
}

const TOO_MANY_PICTURES =
  /too many images|(?:at most|up to|maximum(?: number)?(?: of| is)?|max(?: is)?|limit(?:ed)?(?: of| to)?)\W*\d+ image/i;
const MOST_PICTURES =
  /(?:at most|up to|maximum(?: number)?(?: of| is)?|max(?: is)?|limit(?:ed)?(?: of| to)?|>)\W*(\d+)/i;

/** The most pictures that a server accepts, from its complaint about `count` of them; undefined if it's about something else. */
export function readPictureLimit({ complaint }: ServerTrouble, count: number): number | undefined {
  if (!TOO_MANY_PICTURES.test(complaint.message)) return undefined;
  const most = Number(MOST_PICTURES.exec(complaint.message)?.[1] ?? 0);
  return most > 0 && most < count ? most : Math.max(1, Math.floor(count / 2));
}

/** How servers name an API. */
const API_NAMES: Readonly<Record<Api, string>> = {
  chat: "/?(?:v1/)?chat[/ ]?completions?",
  responses: "(?:(?:/?v1)?/responses\\b|responses (?:api|endpoint))",
  messages: "(?:(?:/?v1)?/messages\\b|messages (?:api|endpoint))",
};
const APIS = ["chat", "responses", "messages"] as const;

/** Matches phrases of OpenAI, Azure, GitHub, LiteLLM and OpenRouter that name the API to use, or one that doesn't serve the model. */
function isApiSuggested(api: Api, words: string): boolean {
  const path = `(?: (?:in|on|via|with|by|through|over|the|at|using|openai|openai's))* ["'\`]?${API_NAMES[api]}`;
  return new RegExp(
    `(?:\\b(?:use|try|call)|\\bonly (?:be )?(?:supported|available|served|accessible|used|works?))${path}`,
    "i",
  ).test(words);
}

function isApiRejected(api: Api, words: string): boolean {
  const no =
    "(?:(?:not|n't|un) ?(?:be )?(?:support|accessible|available|served|enabled|compatible)\\w*|only enabled|enabled only)";
  const patterns = [`${no}[^.]{0,60}${API_NAMES[api]}`, `${API_NAMES[api]}[^.]{0,60}${no}`, OPERATIONS[api]];
  return new RegExp(patterns.join("|"), "i").test(words);
}

/** Azure's messages about an API that a deployment doesn't support. */
const NO_OPERATION = "unsupported_api_for_model|requested operation is (not supported|unsupported)";
const OPERATIONS: Readonly<Record<Api, string>> = {
  chat: `chat_?completion operation does not work|${NO_OPERATION}`,
  responses: `responses? operation does not work|${NO_OPERATION}`,
  messages: `messages? operation does not work|${NO_OPERATION}`,
};
const NO_SUCH_PATH = new Set([404, 405, 410, 501]);
const OF_A_PART = /\b(parameter|argument|field|value|item)\b/i;
const NO_PATH =
  /unexpected endpoint|(unknown|invalid|unrecognized) (request )?url|no (such )?(route|endpoint|path)|\b(route|endpoint|path)\b[^.]{0,60}not found|unsupported endpoint|api version not supported|^\W*not found\W*$|NotImplementedError/i;

function findSuggestedApi(api: Api, words: string): Api | undefined {
  return APIS.find((other) => other !== api && isApiSuggested(other, words));
}

function isWrongApiComplaint(api: Api, words: string): boolean {
  return !OF_A_PART.test(words) && isApiRejected(api, words);
}

/** True if a server says that another API serves the model. */
export function isOtherApiComplaint(api: Api, { complaint }: ServerTrouble): boolean {
  const words = joinComplaintFields(complaint);
  return findSuggestedApi(api, words) !== undefined || (!isApiSuggested(api, words) && isWrongApiComplaint(api, words));
}

/** The API to use if a server lacks one, or lacks it for this model; undefined if the complaint is about something else. */
export function findOtherApi(api: Api, trouble: ServerTrouble): Api | undefined {
  const { status, complaint } = trouble;
  const words = joinComplaintFields(complaint);
  const named = findSuggestedApi(api, words);
  if (named || isApiSuggested(api, words)) return named;
  const usual = api === "chat" ? "responses" : "chat";
  if (isWrongApiComplaint(api, words)) return usual;
  if (api === "chat") return undefined;
  const isMissing = status !== undefined && NO_SUCH_PATH.has(status) && !isUnknownModelComplaint(trouble);
  const isNoAnswer = isMissing && !OF_A_PART.test(words);
  // A proxy's page about a server that is down says nothing about its APIs.
  const isPage = complaint.code === WEB_PAGE && (status ?? 0) < 500;
  return isNoAnswer || isPage || NO_PATH.test(words) ? usual : undefined;
}

const OF_SENT_BACK =
  /encrypted[_ ]content|\b(rs|fc|msg)_\w{8,}|input\[\d+\]\.(encrypted_content|summary|content|status|phase|id)\b|\breasoning['"`]? items?\b/i;

/** True if a server refuses reasoning that a request sends back because it's another model's, expired or damaged. */
export function isStaleReasoningComplaint({ complaint }: ServerTrouble): boolean {
  return (
    OF_SENT_BACK.test(joinComplaintFields(complaint)) && !/encrypted content is not supported/i.test(complaint.message)
  );
}

/** The text of a reply that Groq withholds because its call or object is invalid; undefined for other errors. */
export function findWithheldReply({ complaint }: ServerTrouble): string | undefined {
  if (!/\b(tool_use_failed|json_validate_failed)\b/.test(joinComplaintFields(complaint))) return undefined;
  // Gateways quote the provider's whole answer in their message.
  const quoted = tryJson(/\{.*\}/s.exec(complaint.message)?.[0] ?? "");
  return complaint.generation ?? readComplaint(quoted).generation ?? "";
}

const NO_CREDIT = [
  /insufficient[_ ](quota|balance|funds|credits?)|billing_(hard_limit|not_active)|credit balance is too low/i,
  /exceeded your current quota|budget (has been |was )?exceeded|budget_exceeded/i,
  /(reached|exceeded|over) (your|its|the) [^.]{0,40}\b(usage|spend(ing)?|credit|budget) limits?\b/i,
  /\b(key|usage|spend(ing)?|credit) limits? (has been |was )?(exceeded|reached)/i,
  /(\bused (up )?all|(not|n't) have any|\b(no|out of))\b[^.]{0,30}\bcredits?\b/i,
];

/** True if the account is out of credit, so that waiting doesn't help. */
export function isNoCreditComplaint({ complaint, status = complaint.status }: ServerTrouble): boolean {
  if (status === 402) return true;
  // Google calls a limit per minute a quota, and says when it is free again.
  return complaint.waitMs === undefined && NO_CREDIT.some((pattern) => pattern.test(joinComplaintFields(complaint)));
}

const WRONG_KEY =
  /\b(incorrect|invalid|wrong|malformed|expired|missing|no)\b[^.]{0,20}\bapi[_ -]?key\b|\bapi[_ -]?key\b[^.]{0,30}\b(not valid|invalid|incorrect|expired|missing|not found|not provided)|multiple authentication credentials/i;

/** True if a server rejects the key. Google and xAI report that like an invalid request. */
export function isWrongKeyComplaint({ complaint, status = complaint.status }: ServerTrouble): boolean {
  return status === 401 || ((status === 400 || status === 403) && WRONG_KEY.test(joinComplaintFields(complaint)));
}

const CLOSED =
  /\borganization (has been|is|was) (disabled|restricted|suspended|deactivated)|\baccount (has been|is|was) (disabled|restricted|suspended|deactivated)|not (yet )?(available|enabled) for (this|your) (subscription|organization|account|plan)/i;

/** True if a server doesn't serve this account, or not with this model. */
export function isForbiddenComplaint({ complaint, status = complaint.status }: ServerTrouble): boolean {
  return status === 403 || (status === 400 && CLOSED.test(complaint.message));
}

/** True if a provider's filter withheld the prompt or the reply. */
export function isFilterComplaint({ complaint }: ServerTrouble): boolean {
  return /content[_ ]?(filter|policy)|ResponsibleAIPolicy|content management policy|\b(usage|safety) polic|invalid_prompt/i.test(
    joinComplaintFields(complaint),
  );
}

/** True if the server doesn't have the model. */
export function isUnknownModelComplaint({ status, complaint }: ServerTrouble): boolean {
  return (
    /model_not_found|DeploymentNotFound|invalid_model|model_not_available/i.test(joinComplaintFields(complaint)) ||
    (status === 404 && /\bmodels?\b|deployment/i.test(complaint.message)) ||
    /model\b[^.]{0,80}(not found|does not exist|not exist|is not available|unknown)|(unknown|invalid|no such) model|not a valid model/i.test(
      complaint.message,
    )
  );
}

/** True if the server is temporarily overloaded, even if it reports that within a stream. */
export function isBusyComplaint({ complaint }: ServerTrouble): boolean {
  return /rate[_ -]?limit|overload|too many requests|temporar|unavailable|time[d -]*out|capacity|server_error|internal[_ ](server[_ ])?error|loading model|slow[_ ]?down|try again/i.test(
    joinComplaintFields(complaint),
  );
}

/** All fields of a complaint as one searchable text. */
export function joinComplaintFields({ message, code, type, param }: Complaint): string {
  return [code, type, param, message].join(" ");
}
