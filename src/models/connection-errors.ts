import { ModelError } from "../core/ports/model.ts";
import type { ConnectionProblem } from "../core/ports/model-source.ts";
import { BusyError } from "./busy-error.ts";
import { proxySentence, quotedWords, type Server } from "./server.ts";

/** Why a connection could not be made. */
export function whyUnreachable(error: unknown): { readonly why: ConnectionProblem; readonly code: string } {
  const chain = causes(error);
  const code = chain.map(codeOf).find((each) => each !== "") ?? "";
  if (chain.some(({ message }) => /proxy response \(407\)/i.test(message))) return { why: "proxy", code };
  return { why: CODES.find(([, codes]) => codes.test(code))?.[0] ?? "lost", code };
}

const CODES: readonly (readonly [ConnectionProblem, RegExp])[] = [
  ["refused", /^ECONNREFUSED$/],
  ["unknownHost", /^ENOTFOUND$/],
  ["certificate", /^(DEPTH_ZERO_)?SELF_SIGNED_CERT|^UNABLE_TO_(VERIFY|GET_ISSUER)|^CERT_|^ERR_TLS_CERT_/],
  ["noHttps", /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/],
  ["noHttp", /^(HPE_|UND_ERR_INVALID_ARG|ERR_INVALID_URL)/],
];

/** Why no answer came, as a sentence that says what to do next. */
export function connectionError(error: unknown, server: Server): ModelError {
  const { why, code } = whyUnreachable(error);
  const { name, host, steps } = server;
  switch (why) {
    case "refused":
      return setup(`Can't reach ${name}. Start the server there, or correct ${steps.address}.`);
    case "unknownHost":
      return setup(
        `There is no host "${host}". Check that this machine is online, and the spelling in ${steps.address}.`,
      );
    case "certificate":
      return setup(
        `The certificate of ${host} isn't trusted on this machine (${code}). If a company's proxy signs it, ${steps.certificate}; otherwise correct ${steps.address}.`,
      );
    case "noHttps":
      return setup(
        `${host} doesn't speak HTTPS at this address. If it's your own server, write http:// instead in ${steps.address}.`,
      );
    case "noHttp":
      return setup(`What answers at ${name} isn't a web server. Correct ${steps.address}.`);
    case "proxy":
      return setup(proxySentence(server));
    case "lost":
      return lost(error, code, server);
  }
}

function setup(sentence: string): ModelError {
  return new ModelError("setup", sentence);
}

function lost(error: unknown, code: string, server: Server): ModelError {
  const chain = causes(error);
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
