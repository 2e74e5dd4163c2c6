/** Where a person fixes what keeps a model from answering, as part of a sentence. It depends on the host. */
export interface NextSteps {
  /** "Correct …" */
  readonly address: string;
  /** "Choose another model with …" */
  readonly model: string;
  /** "To set a key, …" */
  readonly key: string;
  /** "Put name and password into …" */
  readonly proxy: string;
  /** "If a company's proxy signs it, …" */
  readonly certificate: string;
}

export const IN_EDITOR: NextSteps = {
  address: "autogpt.model.baseUrl",
  model: '"AutoGPT: Select Model…"',
  key: 'run "AutoGPT: Set API Key…"',
  proxy: "VS Code's http.proxy setting",
  certificate: "have its root certificate installed on this machine",
};

export const ON_COMMAND_LINE: NextSteps = {
  address: "--base-url",
  model: "--model",
  key: "put it into OPENAI_API_KEY",
  proxy: "HTTPS_PROXY",
  certificate: "name its root certificate in NODE_EXTRA_CA_CERTS",
};

/** An address as people write it, made into one that paths can be put behind: with a scheme, without a trailing slash. */
export function plainBaseUrl(text: string): string {
  const bare = text
    .trim()
    .replace(/\/+$/, "")
    .replace(/\/chat\/completions$/, "")
    .replace(/\/+$/, "");
  if (bare === "" || /^[a-z][a-z0-9+.-]*:\/\//i.test(bare)) return bare;
  return `${isLocal(`http://${bare}`) ? "http" : "https"}://${bare}`;
}

/** The endpoint of an Azure resource, without what follows it in a pasted address. */
export function azureEndpoint(address: string): string {
  return plainBaseUrl(address.replace(/\/openai(\/.*)?$|\?.*$/, ""));
}

/** Why an address cannot be used, as a sentence; undefined when it can. `steps` say where to correct it, to something like `example`. */
export function baseUrlProblem(
  address: string,
  steps: Pick<NextSteps, "address" | "key">,
  example = "https://api.openai.com/v1",
): string | undefined {
  const url = URL.parse(address);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:"))
    return `"${address}" is not a web address. Set ${steps.address} to one like ${example}.`;
  if (url.username !== "" || url.password !== "")
    return `The address in ${steps.address} contains a user name or password. Remove it. To set a key, ${steps.key}.`;
  return undefined;
}

/** True for an address of this very machine. */
export function isLoopback(address: string): boolean {
  const host = hostOf(address);
  return (
    host === "localhost" ||
    host.endsWith(".localhost") ||
    host === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/.test(host)
  );
}

/** True for an address of this machine or of a private network, where a server may well ask for no key. */
export function isLocal(address: string): boolean {
  const host = hostOf(address);
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
  return hostOf(address) === "api.openai.com";
}

/** The host of an address in lower case; "" when the address is none. */
export function hostOf(address: string): string {
  return URL.parse(address)?.hostname.toLowerCase() ?? "";
}

/** Why a key cannot be sent, as a sentence that does not hold the key; undefined when it can. */
export function keyProblem(
  apiKey: string,
  server: string,
  need: "needed" | "optional",
  steps: NextSteps = IN_EDITOR,
): string | undefined {
  if (apiKey === "" && need === "needed")
    return `No API key is set for ${server}. To set one, ${steps.key}. A server that needs none accepts any word.`;
  return isSendable(apiKey)
    ? undefined
    : `The API key for ${server} contains characters that no key has, so something else was pasted with it. To change it, ${steps.key}.`;
}

/** True for a key that a header can carry. */
export function isSendable(apiKey: string): boolean {
  return /^[\x21-\x7e]*$/.test(apiKey);
}

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
