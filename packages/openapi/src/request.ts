import { findHeaderProblem } from "../../../src/plugins/library.ts";
import type { Operation, OperationParameter } from "./operations.ts";
import type { Credential } from "./servers.ts";

type Args = Readonly<Record<string, unknown>>;

/** A request as shown and sent, without the user's key. */
export interface ApiCall {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Creates a call's request. Throws a sentence for arguments that would change its destination. */
export function createRequest(operation: Operation, args: Args): ApiCall {
  const { method, server, path, bodyType } = operation;
  const given = operation.arguments.filter(({ argument }) => args[argument] !== undefined);
  const paths = new Map(given.filter(({ in: place }) => place === "path").map((one) => [one.name, one]));
  const filled = path.replace(/\{([^{}]+)\}/g, (_whole, name: string) => {
    const parameter = paths.get(name);
    return parameter ? encodeSegment(parameter, args) : throwMissingArgument(name);
  });
  const url = new URL(`${server}${filled}`);
  const base = new URL(server);
  // A name such as ".." is taken out of an address together with the one before it.
  const isAsWritten =
    countNames(url.pathname) === countNames(base.pathname) + countNames(filled.split(/[?#]/)[0] ?? "");
  if (url.origin !== base.origin || !url.pathname.startsWith(base.pathname) || !isAsWritten)
    throw new Error(`The arguments lead out of ${server}.`);
  for (const parameter of given) if (parameter.in === "query") addQuery(url, parameter, args);
  const headers = Object.fromEntries(
    given.filter(({ in: place }) => place === "header").map((one) => createHeader(one, args)),
  );
  if (args.body === undefined || bodyType === undefined) return { method, url, headers };
  return {
    method,
    url,
    headers: { ...headers, "content-type": chooseSentType(bodyType) },
    body: encodeBody(args.body, bodyType),
  };
}

/** The number of names in a path; each begins with a slash. */
function countNames(path: string): number {
  return path.replace(/\/$/, "").split("/").length - 1;
}

function throwMissingArgument(name: string): never {
  throw new Error(`The argument "${name}" is missing, which is a part of the address.`);
}

/** Encodes one name in the path, so that it can't lead to another place. */
function encodeSegment(parameter: OperationParameter, args: Args): string {
  const text = joinValues(args[parameter.argument], parameter.separator ?? ",");
  if (text === "" || text === "." || text === "..")
    throw new Error(`"${parameter.argument}" can't be ${JSON.stringify(text)}, since it's a part of the address.`);
  return encodeURIComponent(text);
}

function addQuery(url: URL, { argument, name, separator, isDeep }: OperationParameter, args: Args): void {
  const value = args[argument];
  if (isDeep && typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) url.searchParams.append(`${name}[${key}]`, formatValue(item));
  } else if (Array.isArray(value) && separator === undefined) {
    for (const item of value) url.searchParams.append(name, formatValue(item));
  } else url.searchParams.append(name, joinValues(value, separator ?? ","));
}

function createHeader({ argument, name, separator }: OperationParameter, args: Args): readonly [string, string] {
  const value = joinValues(args[argument], separator ?? ",");
  const problem = findHeaderProblem(name, value);
  if (problem !== undefined) throw new Error(problem);
  return [name, value];
}

function joinValues(value: unknown, separator: string): string {
  return Array.isArray(value) ? value.map(formatValue).join(separator) : formatValue(value);
}

function formatValue(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Forms need no parts, because files aren't sent. */
function chooseSentType(type: string): string {
  return /form-data/i.test(type) ? "application/x-www-form-urlencoded" : type.replace(/[^\w/+.;= -]/g, "");
}

function encodeBody(body: unknown, type: string): string {
  if (/form/i.test(type) && typeof body === "object" && body !== null) {
    const fields = new URLSearchParams();
    for (const [name, value] of Object.entries(body))
      for (const item of [value].flat()) fields.append(name, formatValue(item));
    return fields.toString();
  }
  return typeof body === "string" && !/json/i.test(type) ? body : JSON.stringify(body, undefined, 2);
}

/** Describes everything in a request; of the key, only its place. */
export function formatApiCall({ method, url, headers, body }: ApiCall, keyFor: string | undefined): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const key = keyFor === undefined ? "Without a key." : `With your key for ${keyFor}.`;
  return [`${method} ${url.href}`, ...lines, key, ...(body === undefined ? [] : ["", body])].join("\n");
}

/** Adds the user's key to a request. */
export function addKey(
  { url, headers }: ApiCall,
  credential: Credential,
  key: string,
): Pick<ApiCall, "url" | "headers"> {
  switch (credential.kind) {
    case "header":
      return { url, headers: { ...headers, [credential.name]: `${credential.prefix}${key}` } };
    case "basic":
      return {
        url,
        headers: { ...headers, authorization: `Basic ${Buffer.from(key).toString("base64")}` },
      };
    case "query": {
      const named = new URL(url);
      named.searchParams.set(credential.name, key);
      return { url: named, headers };
    }
  }
}
