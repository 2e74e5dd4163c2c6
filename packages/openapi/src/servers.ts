import { type ApiSettings, isObject, type Json } from "../../../src/plugins/library.ts";
import { list, type References } from "./schemas.ts";

/** How to send a key. */
export type Credential =
  | { readonly kind: "header"; readonly name: string; readonly prefix: string }
  | { readonly kind: "query"; readonly name: string }
  /** The key is `user:password`. */
  | { readonly kind: "basic" };

/** The address to which an operation's path is appended, without a final slash. Throws a sentence. */
export function resolveServerUrl(
  { operation, item }: { readonly operation: Json; readonly item: Json },
  root: Json,
  at: string,
  { server, variables, name }: ApiSettings,
): string {
  const described = [operation.servers, item.servers, root.servers].map((one) => list(one)[0]).find(isObject);
  const text = server ?? (described ? fillUrlVariables(described, variables) : getSwaggerServerUrl(root, at));
  const url = URL.parse(text, at);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new Error(
      `The description names no address of a server that can be asked. Set "server" in autogpt.plugins.config.openapi.${name}.`,
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function fillUrlVariables({ url, variables: described }: Json, given: Readonly<Record<string, string>>): string {
  return String(url ?? "/").replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = isObject(described) && Object.hasOwn(described, name) ? described[name] : undefined;
    const value = Object.hasOwn(given, name) ? given[name] : isObject(variable) ? variable.default : undefined;
    return value === undefined ? whole : String(value);
  });
}

/** The server in Swagger 2.0; missing parts come from the description's address. */
function getSwaggerServerUrl({ host, basePath, schemes }: Json, at: string): string {
  const base = URL.parse(at);
  const scheme = list(schemes).includes("https") ? "https" : (list(schemes)[0] ?? base?.protocol.slice(0, -1));
  const place = typeof host === "string" && host !== "" ? host : base?.host;
  return `${String(scheme)}://${place}${typeof basePath === "string" ? basePath : ""}`;
}

/** How an operation requires the key; undefined if it requires none, or one that can't be sent. */
export function findCredentials(
  operation: Json,
  root: Json,
  references: References,
  at: string,
): Credential | undefined {
  const components = isObject(root.components) ? root.components : {};
  const schemes = components.securitySchemes ?? root.securityDefinitions;
  if (!isObject(schemes)) return undefined;
  const wanted = list(operation.security ?? root.security).filter(isObject);
  const names = wanted.flatMap((one) => Object.keys(one));
  const found = names.flatMap((name) => {
    const scheme = Object.hasOwn(schemes, name) ? references.resolve(schemes[name], at)?.value : undefined;
    return (scheme && parseCredential(scheme)) ?? [];
  });
  return found[0];
}

function parseCredential({ type, in: place, name, scheme }: Json): Credential | undefined {
  const bearer = { kind: "header", name: "Authorization", prefix: "Bearer " } as const;
  switch (type) {
    case "apiKey":
      if (typeof name !== "string" || !/^[\w-]{1,100}$/.test(name)) return undefined;
      if (place === "header") return { kind: "header", name, prefix: "" };
      return place === "query" ? { kind: "query", name } : undefined;
    case "http":
      return String(scheme).toLowerCase() === "basic" ? { kind: "basic" } : bearer;
    case "basic":
      return { kind: "basic" };
    case "oauth2":
    case "openIdConnect":
      return bearer;
    default:
      return undefined;
  }
}
