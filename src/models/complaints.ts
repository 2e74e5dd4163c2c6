import type { ModelRequest } from "../core/ports.ts";
import type { Complaint } from "./error-answer.ts";
import type { ServerTrouble } from "./server-trouble.ts";

/** How servers say that a prompt is too long: OpenAI and Azure, vLLM, llama.cpp, Ollama, LM Studio and their kin. */
const TOO_LONG = [
  /context_length_exceeded|exceed_context_size|context_window_exceeded|string_above_max_length/i,
  /maximum context length|max(imum)? (model|context|sequence)[ _]?len|maximum allowed length/i,
  /(exceed|larger than|longer than|overflow|greater than|reached|too (long|large) for)[^.]{0,60}context[ _-]?(size|length|window)/i,
  /context[ _-]?(size|length|window|the)[^.]{0,60}(exceeded|overflows|too small)/i,
  /prompt (is )?too long|input length exceeds|input (is )?too long|too many (input )?tokens/i,
  /(token count|number of (input )?tokens)[^.]{0,80}exceeds/i,
  /reduce (the length of|your) (the )?(messages|prompt|input)/i,
];
const TOO_LONG_FOR_ANY_MINUTE = /request too large for/i;

/** True when a server says that the prompt does not fit into the model. */
export function saysTooLong({ status, complaint }: ServerTrouble): boolean {
  // A limit of tokens a minute is something else, unless no minute would ever do.
  if (status === 429) return TOO_LONG_FOR_ANY_MINUTE.test(complaint.message);
  return status === 413 || TOO_LONG.some((pattern) => pattern.test(wordsOf(complaint)));
}

const OF_TOOLS = /\btools?\b|tool[_ -]?(choice|use|call)|function[_ -]?call|\bfunctions?\b|--jinja/i;
const OF_SCHEMA =
  /response[_ -]?format|json[_ -]?(schema|object|mode)|structured[_ -]?output|grammar|guided|\bschema\b/i;
/** A server's own failure is a refusal only where it says so; else the model just wrote a bad call this time. */
const REFUSES =
  /(not|un|n't) ?(be )?(support|implement)|requires?|not allowed|grammar|no endpoints|must be set/i;

/** True when a server says that it does not take the reply format that was asked for. */
export function saysWrongFormat({ status, complaint }: ServerTrouble, request: ModelRequest): boolean {
  const words = wordsOf(complaint);
  const named = (request.tools && OF_TOOLS.test(words)) || (request.schema && OF_SCHEMA.test(words));
  if (!named) return false;
  return status === 400 || status === 422 || REFUSES.test(words);
}

/** True when the account has no credit left, which no waiting mends. */
export function saysNoCredit({ status, complaint }: ServerTrouble): boolean {
  return (
    status === 402 ||
    /insufficient[_ ](quota|balance|funds|credits?)|billing_(hard_limit|not_active)|credit balance is too low|exceeded your current quota/i.test(
      wordsOf(complaint),
    )
  );
}

/** True when a provider's filter withheld the prompt or the reply. */
export function saysFiltered({ complaint }: ServerTrouble): boolean {
  return /content[_ ]?(filter|policy)|ResponsibleAIPolicy|content management policy/i.test(
    wordsOf(complaint),
  );
}

/** True when the server does not have the model. */
export function saysUnknownModel({ status, complaint }: ServerTrouble): boolean {
  return (
    /model_not_found|DeploymentNotFound|invalid_model|model_not_available/i.test(wordsOf(complaint)) ||
    (status === 404 && /\bmodels?\b|deployment/i.test(complaint.message)) ||
    /model\b[^.]{0,80}(not found|does not exist|not exist|is not available|unknown)|(unknown|invalid|no such) model|not a valid model/i.test(
      complaint.message,
    )
  );
}

/** True when the server is short of something for now, even if it says so in the middle of a stream. */
export function saysBusy({ complaint }: ServerTrouble): boolean {
  return /rate[_ -]?limit|overload|too many requests|temporar|unavailable|time[d -]*out|capacity|server_error|internal[_ ](server[_ ])?error|loading model|try again/i.test(
    wordsOf(complaint),
  );
}

/** Everything a complaint says, as one text to look for words in. */
export function wordsOf({ message, code, type, param }: Complaint): string {
  return [code, type, param, message].join(" ");
}
