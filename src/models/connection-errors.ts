import { ModelError } from "../core/ports.ts";
import { BusyError } from "./busy-error.ts";
import { proxySentence, quotedWords, type Server } from "./server.ts";

/** Why no answer came, as a sentence that says what to do next. */
export function connectionError(error: unknown, server: Server): ModelError {
  const chain = causes(error);
  const code = chain.map(codeOf).find((each) => each !== "") ?? "";
  const setup = chain.some(({ message }) => /proxy response \(407\)/i.test(message))
    ? proxySentence(server)
    : setupSentence(code, server);
  if (setup !== undefined) return new ModelError("setup", setup);
  const words = quotedWords(chain.at(-1)?.message ?? String(error), server);
  if (chain.some((cause) => cause instanceof SyntaxError))
    return new BusyError(
      `${server.name} sent something that is no part of a reply.${words}`,
      "Go on to try again.",
    );
  return new BusyError(
    `The connection to ${server.name} was lost${code === "" ? "" : ` (${code})`}.${words}`,
    "Check the network, and go on to try again.",
  );
}

function setupSentence(code: string, { name, host, steps }: Server): string | undefined {
  if (code === "ECONNREFUSED")
    return `Nothing answers at ${name}. Start the server there, or correct ${steps.address}.`;
  if (code === "ENOTFOUND")
    return `There is no host "${host}". Check that this machine is online, and the spelling in ${steps.address}.`;
  if (CERTIFICATE.test(code))
    return `The certificate of ${host} is not trusted here (${code}). If a company's proxy signs it, ${steps.certificate}; otherwise correct ${steps.address}.`;
  if (/^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/.test(code))
    return `${host} does not speak https at this address. If it is a server of your own, write http:// instead in ${steps.address}.`;
  if (/^(HPE_|UND_ERR_INVALID_ARG|ERR_INVALID_URL)/.test(code))
    return `What answers at ${name} is no web server. Correct ${steps.address}.`;
  return undefined;
}

const CERTIFICATE = /^(DEPTH_ZERO_)?SELF_SIGNED_CERT|^UNABLE_TO_(VERIFY|GET_ISSUER)|^CERT_|^ERR_TLS_CERT_/;

/** The error and what caused it, outermost first; of several attempts the last one's. */
function causes(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  let next = error;
  while (next instanceof Error && chain.length < 8) {
    chain.push(next);
    next = next instanceof AggregateError ? next.errors.at(-1) : next.cause;
  }
  return chain;
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
