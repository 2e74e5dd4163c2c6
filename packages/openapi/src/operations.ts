import { createHash } from "node:crypto";
import {
  type ApiDocuments,
  type ApiSettings,
  cutText,
  isObject,
  type Json,
  type JsonSchema,
  omitUndefined,
} from "../../../src/plugins/library.ts";
import { buildModelSchema, list, quoteDescription, References } from "./schemas.ts";
import { type Credential, findCredentials, resolveServerUrl } from "./servers.ts";

/** An argument's place in a request. */
export interface OperationParameter {
  readonly argument: string;
  readonly name: string;
  readonly in: "path" | "query" | "header";
  /** The separator between a list's values; absent: each value is written separately. */
  readonly separator?: string;
  /** Objects are written as `name[key]=value`. */
  readonly isDeep: boolean;
}

/** An operation of an API, ready to be offered as a command. */
export interface Operation {
  readonly command: string;
  readonly method: string;
  readonly path: string;
  /** The address to which the path is appended. */
  readonly server: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly arguments: readonly OperationParameter[];
  /** Media type of the argument `body`; absent if there is none. */
  readonly bodyType?: string;
  /** How to send the user's key, if the operation requires one. */
  readonly credential?: Credential;
}

/** The operations of a description. */
export interface ApiDescription {
  readonly title: string;
  readonly operations: readonly Operation[];
  /** Number of operations that exceed the limit. */
  readonly leftOut: number;
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;
const MOST_OPERATIONS = 500;
/** The most characters for the schemas of all operations, and of one. */
const SCHEMA_CHARS = 600_000;
const LONGEST_SCHEMA = 4_000;

/** One operation before its conversion. */
interface RawOperation {
  readonly method: string;
  readonly path: string;
  readonly at: string;
  readonly operation: Json;
  readonly item: Json;
}

/** Reads the operations of a description in OpenAPI 3 or Swagger 2.0. Throws a sentence for anything else. */
export function readOperations(documents: ApiDocuments, settings: ApiSettings): ApiDescription {
  const references = new References(documents);
  const root = references.resolve({ $ref: documents.root }, documents.root)?.value ?? {};
  const version = String(root.openapi ?? root.swagger ?? "");
  if (!/^(?:2\.0|3\.)/.test(version))
    throw new Error("This is no description of an API: it says neither OpenAPI 3 nor Swagger 2.0.");
  const found = listRawOperations(root, documents.root, references, settings);
  const all = found.slice(0, MOST_OPERATIONS);
  const names = createCommandNames(settings.name, all);
  const most = Math.min(LONGEST_SCHEMA, Math.floor(SCHEMA_CHARS / Math.max(1, all.length)));
  const context: Context = { root, documents, references, settings, most, isOld: version === "2.0" };
  const info = isObject(root.info) ? root.info : {};
  return {
    title: quoteDescription(info.title, 100) ?? settings.name,
    operations: all.map((raw, index) => createOperation(raw, names[index] ?? "", context)),
    leftOut: found.length - all.length,
  };
}

interface Context {
  readonly root: Json;
  readonly documents: ApiDocuments;
  readonly references: References;
  readonly settings: ApiSettings;
  /** The most characters for one operation's schema. */
  readonly most: number;
  /** Swagger 2.0. */
  readonly isOld: boolean;
}

function listRawOperations(
  root: Json,
  at: string,
  references: References,
  { paths }: ApiSettings,
): readonly RawOperation[] {
  const items = Object.entries(isObject(root.paths) ? root.paths : {}).filter(
    ([path]) => path.startsWith("/") && (paths.length === 0 || paths.some((one) => path.startsWith(one))),
  );
  return items.flatMap(([path, value]) => {
    const node = references.resolve(value, at);
    return METHODS.flatMap((method) => {
      const operation = node?.value[method];
      return node && isObject(operation)
        ? [{ method: method.toUpperCase(), path, at: node.at, operation, item: node.value }]
        : [];
    });
  });
}

/** Stable names: the operation's id, or method and path; those that would be equal get a part of a hash. */
function createCommandNames(api: string, all: readonly RawOperation[]): readonly string[] {
  const plain = all.map(({ method, path, operation: { operationId } }) => {
    const id = typeof operationId === "string" ? operationId : "";
    return createCommandName(api, /[A-Za-z0-9]/.test(id) ? id : `${method.toLowerCase()}_${path}`);
  });
  const counts = Map.groupBy(plain, (name) => name.toLowerCase());
  return plain.map((name, index) => {
    const raw = all[index];
    const isAlone = counts.get(name.toLowerCase())?.length === 1 && name.length <= LONGEST_NAME;
    if (isAlone || !raw) return name;
    const hash = createHash("sha256").update(`${raw.method} ${raw.path}`).digest("hex").slice(0, 8);
    return `${name.slice(0, LONGEST_NAME - 9)}_${hash}`;
  });
}

const LONGEST_NAME = 64;

function createCommandName(api: string, text: string): string {
  const words = text
    .replace(/\{([^{}]*)\}/g, "by_$1")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  return `${api}_${words}`.replaceAll("-", "_").replace(/^(?=\d)/, "_");
}

function createOperation(raw: RawOperation, command: string, context: Context): Operation {
  const { method, path, operation } = raw;
  const parameters = collectParameters(raw, context);
  const body = findBody(raw, parameters, context);
  const named = nameArguments(parameters.filter((one) => isSent(one)));
  const words = quoteDescription(operation.summary, 160) ?? quoteDescription(operation.description, 160);
  const credential = findCredentials(operation, context.root, context.references, context.documents.root);
  return {
    command,
    method,
    path,
    server: resolveServerUrl(raw, context.root, context.documents.root, context.settings),
    description: `${method} ${cutText(path, 200)}${words === undefined ? "" : `; described as ${words}`}`,
    parameters: buildSchema(named, body, raw.at, context),
    arguments: named.map(({ argument, raw: parameter }) => createParameter(argument, parameter)),
    ...(body ? { bodyType: body.type } : {}),
    ...omitUndefined({ credential }),
  };
}

/** The operation's own parameters, those of its path that it doesn't override, and names in the path that the description lacks. */
function collectParameters({ operation, item, at, path }: RawOperation, { references }: Context): readonly Json[] {
  const resolved = [...list(item.parameters), ...list(operation.parameters)]
    .map((one) => references.resolve(one, at)?.value)
    .filter((one) => one !== undefined);
  const named = new Map(resolved.map((one) => [`${one.in} ${one.name}`, one]));
  const inPath = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => ({
    in: "path",
    name,
    type: "string",
  }));
  return [...inPath.filter(({ name }) => !named.has(`path ${name}`)), ...named.values()];
}

/** False for credentials and cookies, which aren't arguments: the user supplies keys. */
function isSent({ in: place, name }: Json): boolean {
  if (typeof name !== "string" || name === "") return false;
  if (place === "header") return !/^(?:authorization|cookie|accept|content-type)$/i.test(name);
  return place === "path" || place === "query";
}

interface NamedParameter {
  readonly argument: string;
  readonly raw: Json;
}

/** Arguments have the names of their parameters. If names are equal, they also contain the place. */
function nameArguments(parameters: readonly Json[]): readonly NamedParameter[] {
  const taken = new Set(["body"]);
  return parameters.map((raw) => {
    const plain = String(raw.name)
      .replace(/[^\w.-]+/g, "_")
      .slice(0, 60);
    let argument = taken.has(plain) ? `${plain}_${String(raw.in)}` : plain;
    while (taken.has(argument)) argument += "_";
    taken.add(argument);
    return { argument, raw };
  });
}

function createParameter(argument: string, raw: Json): OperationParameter {
  const { in: place, name, style, explode, collectionFormat } = raw;
  const isExploded = typeof explode === "boolean" ? explode : collectionFormat === undefined;
  const separators: Readonly<Record<string, string>> = {
    ssv: " ",
    spaceDelimited: " ",
    pipes: "|",
    pipeDelimited: "|",
    tsv: "\t",
  };
  const separator = separators[String(collectionFormat ?? style)] ?? ",";
  const isRepeated =
    place === "query" &&
    (collectionFormat === "multi" || (collectionFormat === undefined && isExploded && !isOldList(raw)));
  return {
    argument,
    name: String(name),
    in: place === "path" || place === "header" ? place : "query",
    isDeep: style === "deepObject",
    ...(isRepeated ? {} : { separator }),
  };
}

/** In Swagger 2.0, a list without `collectionFormat` is joined by commas. */
function isOldList({ type, schema }: Json): boolean {
  return type === "array" && schema === undefined;
}

interface RequestBody {
  readonly type: string;
  readonly schema: unknown;
  readonly isRequired: boolean;
}

/** Supported media types for bodies, best first. */
const WRITABLE = [/json/i, /x-www-form-urlencoded/i, /^text\//i, /multipart\/form-data/i, /./];

function findBody(
  { operation, at }: RawOperation,
  parameters: readonly Json[],
  { references, root, isOld }: Context,
): RequestBody | undefined {
  if (isOld) return findOldBody(parameters, list(operation.consumes ?? root.consumes));
  const body = references.resolve(operation.requestBody, at)?.value;
  const content = isObject(body?.content) ? Object.entries(body.content) : [];
  const best = WRITABLE.flatMap((kind) => content.find(([type]) => kind.test(type)) ?? [])[0];
  if (typeof best !== "string") return undefined;
  const media = content.find(([type]) => type === best)?.[1];
  const schema = isObject(media) ? media.schema : undefined;
  return { type: best, schema: schema ?? {}, isRequired: body?.required === true };
}

function findOldBody(parameters: readonly Json[], consumes: readonly unknown[]): RequestBody | undefined {
  const whole = parameters.find((one) => one.in === "body");
  if (whole)
    return {
      type: String(consumes[0] ?? "application/json"),
      schema: whole.schema ?? {},
      isRequired: whole.required === true,
    };
  const fields = parameters.filter((one) => one.in === "formData" && one.type !== "file");
  if (fields.length === 0) return undefined;
  const required = fields.filter((one) => one.required === true).map(({ name }) => name);
  const properties = Object.fromEntries(fields.map((one) => [String(one.name), { ...one, required: [] }]));
  return {
    type: "application/x-www-form-urlencoded",
    schema: { type: "object", properties, required },
    isRequired: required.length > 0,
  };
}

function buildSchema(
  named: readonly NamedParameter[],
  body: RequestBody | undefined,
  at: string,
  { references, most }: Context,
): JsonSchema {
  const share = Math.floor((most * (body ? 0.5 : 1)) / Math.max(1, named.length));
  const properties = named.map(({ argument, raw }) => {
    const schema = isObject(raw.schema) ? raw.schema : { ...raw, description: undefined };
    const words = quoteDescription(raw.description, 80);
    const plain = buildModelSchema(schema, at, references, share);
    return [argument, { ...plain, ...omitUndefined({ description: words }) }] as const;
  });
  const required = named.filter(({ raw }) => raw.in === "path" || raw.required === true);
  return {
    type: "object",
    properties: {
      ...Object.fromEntries(properties),
      ...(body ? { body: buildModelSchema(body.schema, at, references, Math.floor(most / 2)) } : {}),
    },
    required: [...required.map(({ argument }) => argument), ...(body?.isRequired ? ["body"] : [])],
    additionalProperties: false,
  };
}
