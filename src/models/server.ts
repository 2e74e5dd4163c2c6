import { hostOf } from "./base-url.ts";
import { IN_EDITOR, type NextSteps } from "./next-steps.ts";

/** A server as the sentences about it need it. */
export interface Server {
  /** Its address for people. */
  readonly name: string;
  readonly host: string;
  /** The model or deployment asked for. */
  readonly model: string;
  /** Never told; it is here so that it can be taken out of what servers say. */
  readonly apiKey: string;
  /** 0: without end. */
  readonly timeoutSeconds: number;
  readonly steps: NextSteps;
}

/** A server that speaks OpenAI's API at a base URL. */
export function openAiServer(
  baseUrl: string,
  { model, apiKey, timeoutSeconds }: Pick<Server, "model" | "apiKey" | "timeoutSeconds">,
  steps: NextSteps = IN_EDITOR,
): Server {
  return { name: baseUrl, host: hostOf(baseUrl), model, apiKey, timeoutSeconds, steps };
}

/** What to do about a proxy that lets nobody through without a name. */
export function proxySentence({ host, steps }: Pick<Server, "host" | "steps">): string {
  return `The proxy between here and ${host} asks for a name and password. Put them into ${steps.proxy}.`;
}

const MAX_QUOTE = 300;
const LOOKS_LIKE_A_KEY = /\b(sk|pk|key|gsk|xai|AIza)[-_][\w*-]{8,}|Bearer\s+[\w.~+/-]{8,}/gi;

/** A server's own words as a sentence, on one line, cut short, without the key; "" when it said nothing. */
export function quotedWords(words: string, { apiKey }: Pick<Server, "apiKey">): string {
  const withoutKey = apiKey.length < 4 ? words : words.replaceAll(apiKey, "[key]");
  const line = withoutKey
    .replace(LOOKS_LIKE_A_KEY, "[key]")
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim()
    .replace(/\.+$/, "");
  const short = line.length <= MAX_QUOTE ? line : `${line.slice(0, MAX_QUOTE - 1)}…`;
  return short === "" ? "" : ` It said: "${short}".`;
}
