import { isThisMachine } from "../../core/base/http-message.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
/** Where people can fix problems that keep a model from answering, as parts of sentences. They depend on the host. */
export interface NextSteps {
  /** "Correct …" */
  readonly address: Sentence;
  /** "Choose another model with …" */
  readonly model: Sentence;
  /** "Change …" */
  readonly api: Sentence;
  /** "Change …", to options of providers. */
  readonly providers: Sentence;
  /** "Change …" */
  readonly effort: Sentence;
  /** "To set a key, …" */
  readonly key: Sentence;
  /** "Put name and password into …" */
  readonly proxy: Sentence;
  /** "If a company's proxy signs it, …" */
  readonly certificate: Sentence;
  /** The remote machine on which this program runs, for a user at another one: "ssh-remote". */
  readonly remote?: string | undefined;
}

export const IN_EDITOR: NextSteps = {
  address: "autogpt.model.baseUrl",
  model: '"AutoGPT: Select Model…"',
  api: "autogpt.model.api",
  providers: "autogpt.model.providers",
  effort: "autogpt.model.reasoningEffort",
  key: displayText("trouble.runSetKey"),
  proxy: displayText("trouble.proxySetting"),
  certificate: displayText("trouble.installCertificate"),
};

export const ON_COMMAND_LINE: NextSteps = {
  address: "--base-url",
  model: "--model",
  api: "--api",
  providers: "--set model.providers",
  effort: "--set model.reasoningEffort",
  key: "put it into OPENAI_API_KEY",
  proxy: "HTTPS_PROXY",
  certificate: "name its root certificate in NODE_EXTRA_CA_CERTS",
};

/** A provider's option for choosing an API, as a part of a sentence. */
export function describeApiOption(provider: string, { providers }: Pick<NextSteps, "providers">): Sentence {
  return displayText("trouble.apiOfProvider", { provider, setting: providers });
}

/** Normalizes a typed address so that paths can be appended: with a scheme, without a trailing slash. */
export function normalizeBaseUrl(text: string): string {
  const bare = text
    .trim()
    .replace(/\/+$/, "")
    .replace(/\/chat\/completions$/, "")
    .replace(/\/+$/, "");
  if (bare === "" || /^[a-z][a-z0-9+.-]*:\/\//i.test(bare)) return bare;
  return `${isLocal(`http://${bare}`) ? "http" : "https"}://${bare}`;
}

/** The endpoint of an Azure resource, extracted from a pasted address. */
export function extractAzureEndpoint(address: string): string {
  return normalizeBaseUrl(address.replace(/\/openai(\/.*)?$|\?.*$/, ""));
}

/** Why an address can't be used, as a sentence; undefined when it can. `steps` say where to correct it, `example` shows a valid one. */
export function explainBaseUrlProblem(
  address: string,
  steps: Pick<NextSteps, "address" | "key">,
  example = "https://api.openai.com/v1",
): Sentence | undefined {
  const url = URL.parse(address);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:"))
    return displayText("trouble.notAWebAddress", { address, address2: steps.address, example });
  if (url.username !== "" || url.password !== "")
    return displayText("trouble.addressHasPassword", { address: steps.address, key: steps.key });
  return undefined;
}

/** True for an address of this machine, as servers of models have them: nothing is granted by it. */
export function isLoopback(address: string): boolean {
  const host = getHost(address);
  return isThisMachine(host) || host.endsWith(".localhost");
}

/** True for an address of this machine or a private network, where a server may need no key. */
export function isLocal(address: string): boolean {
  const host = getHost(address);
  return (
    isLoopback(address) ||
    /^(10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\.[\d.]+$/.test(host) ||
    /^\[f[cde][0-9a-f]{2}:/.test(host) ||
    /\.(local|lan|internal|home\.arpa)$/.test(host) ||
    (host !== "" && !host.includes(".") && !host.startsWith("["))
  );
}

/** True for an address of OpenAI's own API. */
export function isOpenAi(address: string): boolean {
  return getHost(address) === "api.openai.com";
}

/** The host of an address in lower case; "" if the address is invalid. */
export function getHost(address: string): string {
  return URL.parse(address)?.hostname.toLowerCase() ?? "";
}

/** Why a key can't be sent, as a sentence that doesn't contain the key; undefined when it can. */
export function explainKeyProblem(
  apiKey: string,
  server: string,
  need: "needed" | "optional",
  steps: NextSteps = IN_EDITOR,
): Sentence | undefined {
  if (apiKey === "" && need === "needed") return displayText("trouble.noKeySet", { server, key: steps.key });
  return isSendable(apiKey) ? undefined : displayText("trouble.keyHasOddCharacters", { server, key: steps.key });
}

/** True for a key that is valid in a header. */
export function isSendable(apiKey: string): boolean {
  return /^[\x21-\x7e]*$/.test(apiKey);
}

/** Facts about a server for messages about it. */
export interface Server {
  /** Address for people. */
  readonly name: string;
  readonly host: string;
  /** The requested model or deployment. */
  readonly model: string;
  /** Never shown. It's used to remove the key from quotes of the server. */
  readonly apiKey: string;
  /** 0: no limit. */
  readonly timeoutSeconds: number;
  readonly steps: NextSteps;
}

/** A server with OpenAI's API at a base URL. */
export function createOpenAiServer(
  baseUrl: string,
  { model, apiKey, timeoutSeconds }: Pick<Server, "model" | "apiKey" | "timeoutSeconds">,
  steps: NextSteps = IN_EDITOR,
): Server {
  return { name: baseUrl, host: getHost(baseUrl), model, apiKey, timeoutSeconds, steps };
}

/** Next step for a proxy that requires authentication. */
export function describeProxyStep({ host, steps }: Pick<Server, "host" | "steps">): Sentence {
  return displayText("trouble.proxyNeedsLogin", { host, proxy: steps.proxy });
}

const MAX_QUOTE = 300;
const LOOKS_LIKE_A_KEY = /\b(sk|pk|key|gsk|xai|AIza)[-_][\w*-]{8,}|Bearer\s+[\w.~+/-]{8,}/gi;

/** A server's message as one shortened line without the key; undefined if it sent none. */
export function quoteServerWords(words: string, { apiKey }: Pick<Server, "apiKey">): Sentence | undefined {
  const withoutKey = apiKey.length < 4 ? words : words.replaceAll(apiKey, "[key]");
  const line = withoutKey
    .replace(LOOKS_LIKE_A_KEY, "[key]")
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim()
    .replace(/\.+$/, "");
  const short = line.length <= MAX_QUOTE ? line : `${line.slice(0, MAX_QUOTE - 1)}…`;
  return short === "" ? undefined : displayText("trouble.said", { words: short });
}
