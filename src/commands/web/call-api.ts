import { findHeaderProblem, METHODS, renderResponse } from "../../core/base/http-message.ts";
import { isObject, tryJson } from "../../core/base/json.ts";
import { escapeForApproval } from "../../core/base/text.ts";
import { type Command, createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { displayText } from "../../texts/display-text.ts";
import {
  type Args,
  createObjectSchema,
  getRequiredText,
  getTextArgument,
  getTextOrJson,
  TEXT_OR_JSON,
} from "../arguments.ts";
import { createFailure, createSuccess } from "../outcomes.ts";
import { readAddress, URL_ALIASES, URL_ARGUMENT } from "./page-command.ts";
import {
  catchServiceErrors,
  explainMissingService,
  findService,
  isMissing,
  type ServiceDependencies,
} from "./services.ts";

const REQUEST = {
  url: URL_ARGUMENT,
  method: { type: "string", enum: METHODS },
  headers: { type: "object", additionalProperties: { type: "string" } },
} as const;

/** Sends a single HTTP request, never with one of the user's keys. */
export function callApi(parts: ServiceDependencies): Command {
  return {
    name: "call_api",
    aliases: ["make_api_call", "http_request", "api_call", "send_request"],
    category: "web",
    effect: "network",
    traits: {
      titles: [{ code: "CallApi", address: "url" }],
      question: { code: "callApi", address: "url" },
      rank: 280,
    },
    description: "Sends one HTTP request without keys, and returns the response.",
    parameters: createObjectSchema({ ...REQUEST, body: TEXT_OR_JSON }, ["url"]),
    offered: createObjectSchema({ ...REQUEST, body: { type: "string", description: "JSON as text, or any text." } }, [
      "url",
    ]),
    argumentAliases: { ...URL_ALIASES, endpoint: "url", verb: "method", data: "body", json: "body" },
    withheld: () => explainMissingService(findService(parts, "web")),
    prepare: async (args) => prepare(parts, args),
  };
}

function prepare(parts: ServiceDependencies, args: Args): PreparedCall | Outcome {
  const web = findService(parts, "web");
  if (isMissing(web)) return createFailure("The web is turned off.");
  const url = readAddress(getRequiredText(args, "url"));
  if (typeof url === "string") return createFailure(url);
  const method = getTextArgument(args, "method") ?? "GET";
  const written = getTextOrJson(args, "body");
  const headers = buildHeaders(args, written);
  const problem = Object.entries(headers).flatMap(([name, value]) => findHeaderProblem(name, value) ?? [])[0];
  if (problem !== undefined) return createFailure(problem);
  if (written !== "" && (method === "GET" || method === "HEAD"))
    return createFailure(`A ${method} request has no body. Put its values into the address, or use POST.`);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const shown = [`${method} ${url.href}`, ...lines, ...(written === "" ? [] : ["", written])].join("\n");
  const body = written === "" ? {} : { body: new TextEncoder().encode(written) };
  return createPreparedCall(
    "network",
    escapeForApproval(shown),
    ({ signal }) =>
      catchServiceErrors(async () => {
        const answer = await web.send(url, { method, headers, signal, ...body });
        const { status } = answer;
        const summary = displayText("results.httpStatus", { status: String(status) });
        return {
          ...createSuccess(renderResponse(answer), summary),
          source: { kind: "web", name: answer.url },
        };
      }),
    { hosts: [url.hostname] },
  );
}

/** Builds the given headers, and adds the type of the body if it's missing. */
function buildHeaders(args: Args, body: string): Readonly<Record<string, string>> {
  const given = isObject(args.headers) ? args.headers : {};
  const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
  if (body === "" || Object.keys(headers).some((name) => name.toLowerCase() === "content-type")) return headers;
  const type = tryJson(body) === undefined ? "text/plain; charset=utf-8" : "application/json";
  return { ...headers, "content-type": type };
}
