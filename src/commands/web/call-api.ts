import { headerProblem, METHODS, responseText } from "../../core/base/http-message.ts";
import { isObject, tryJson } from "../../core/base/json.ts";
import { plainlyVisible } from "../../core/base/text.ts";
import { type Command, type PreparedCall, prepared } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { displayText } from "../../texts/display-text.ts";
import { type Args, objectSchema, requiredText, TEXT_OR_JSON, text, textOrJson } from "../arguments.ts";
import { done, failed } from "../outcomes.ts";
import { readAddress, URL_ALIASES, URL_ARGUMENT } from "./page-command.ts";
import { isMissing, type ServiceDependencies, serviceOf, whyMissing, withServiceErrors } from "./services.ts";

const REQUEST = {
  url: URL_ARGUMENT,
  method: { type: "string", enum: METHODS },
  headers: { type: "object", additionalProperties: { type: "string" } },
} as const;

/** Sends a single HTTP request. It never carries a key of the user's. */
export function callApi(parts: ServiceDependencies): Command {
  return {
    name: "call_api",
    aliases: ["make_api_call", "http_request", "api_call", "send_request"],
    category: "web",
    effect: "network",
    description: "Sends one HTTP request without keys, and returns the response.",
    parameters: objectSchema({ ...REQUEST, body: TEXT_OR_JSON }, ["url"]),
    offered: objectSchema(
      { ...REQUEST, body: { type: "string", description: "JSON as text, or any text." } },
      ["url"],
    ),
    argumentAliases: { ...URL_ALIASES, endpoint: "url", verb: "method", data: "body", json: "body" },
    withheld: () => whyMissing(serviceOf(parts, "web")),
    prepare: async (args) => prepare(parts, args),
  };
}

function prepare(parts: ServiceDependencies, args: Args): PreparedCall | Outcome {
  const web = serviceOf(parts, "web");
  if (isMissing(web)) return failed("The web is turned off.");
  const url = readAddress(requiredText(args, "url"));
  if (typeof url === "string") return failed(url);
  const method = text(args, "method") ?? "GET";
  const written = textOrJson(args, "body");
  const headers = headersOf(args, written);
  const problem = Object.entries(headers).flatMap(([name, value]) => headerProblem(name, value) ?? [])[0];
  if (problem !== undefined) return failed(problem);
  if (written !== "" && (method === "GET" || method === "HEAD"))
    return failed(`A ${method} request has no body. Put its values into the address, or use POST.`);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const shown = [`${method} ${url.href}`, ...lines, ...(written === "" ? [] : ["", written])].join("\n");
  const body = written === "" ? {} : { body: new TextEncoder().encode(written) };
  return prepared(
    "network",
    plainlyVisible(shown),
    ({ signal }) =>
      withServiceErrors(async () => {
        const answer = await web.send(url, { method, headers, signal, ...body });
        const { status } = answer;
        const summary = displayText("results.httpStatus", { status: String(status) });
        return {
          ...done(responseText(answer), summary),
          source: { kind: "web", name: answer.url },
        };
      }),
    { hosts: [url.hostname] },
  );
}

/** The given headers; the type of a body is added where it isn't given. */
function headersOf(args: Args, body: string): Readonly<Record<string, string>> {
  const given = isObject(args.headers) ? args.headers : {};
  const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
  if (body === "" || Object.keys(headers).some((name) => name.toLowerCase() === "content-type"))
    return headers;
  const type = tryJson(body) === undefined ? "text/plain; charset=utf-8" : "application/json";
  return { ...headers, "content-type": type };
}
