import type { NextSteps } from "./next-steps.ts";

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
