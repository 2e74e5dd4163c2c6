import { isObject, type Json, type JsonSchema } from "../core/base/json.ts";
import { cutText, escapeInvisible } from "../core/base/text.ts";
import { isUsableSchema } from "../core/commands/command-set.ts";

const LONGEST_DESCRIPTION = 1_000;
/** The most characters of a description to read. */
const MOST_READ = 100_000;
const LONGEST_DETAIL = 300;
/** The most characters of a schema. A longer one is reduced to its arguments' names and types. */
const LONGEST_SCHEMA = 12_000;
const DEEPEST = 12;

/** A foreign description for the model: on one line, with nothing hidden and with a limited length. */
export function cleanForeignWords(description: string): string {
  return cutText(escapeInvisible(description.slice(0, MOST_READ)), LONGEST_DESCRIPTION);
}

/** A foreign schema: one version for the model, and one for checking arguments. */
export function parseForeignSchema(schema: unknown): {
  readonly parameters: JsonSchema;
  readonly offered: JsonSchema;
} {
  const offered = normalizeSchema(schema);
  const parameters = removePatterns(offered);
  return isUsableSchema(parameters) ? { parameters, offered } : { parameters: ANYTHING, offered: ANYTHING };
}

const ANYTHING: JsonSchema = { type: "object", properties: {} };

function normalizeSchema(schema: unknown): JsonSchema {
  const cleaned = cleanSchema(schema, 0);
  if (!isObject(cleaned)) return ANYTHING;
  const { $schema: _, $id: __, ...rest } = cleaned;
  const properties = isObject(rest.properties) ? rest.properties : {};
  const required = Array.isArray(rest.required) ? { required: rest.required.filter(isText) } : {};
  const whole = { ...rest, type: "object", properties: keepObjects(properties), ...required };
  if (JSON.stringify(whole).length <= LONGEST_SCHEMA) return whole;
  return { type: "object", properties: shortenProperties(properties), ...required };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function keepObjects(properties: Json): Json {
  return Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, isObject(one) ? one : {}]));
}

const MOST_ARGUMENTS = 60;

function shortenProperties(properties: Json): Json {
  const entries = Object.entries(properties).slice(0, MOST_ARGUMENTS);
  return Object.fromEntries(
    entries.map(([key, one]) => [key, isObject(one) && isText(one.type) ? { type: one.type } : {}]),
  );
}

/** Makes hidden text visible and cuts texts. `__proto__` isn't an argument. */
function cleanSchema(value: unknown, depth: number): unknown {
  if (typeof value === "string") return cutLongText(escapeInvisible(value));
  if (depth > DEEPEST) return {};
  if (Array.isArray(value)) return value.map((item) => cleanSchema(item, depth + 1));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => key !== "__proto__");
  return Object.fromEntries(
    entries.map(([key, inner]) => [escapeInvisible(key).slice(0, 100), cleanSchema(inner, depth + 1)]),
  );
}

function cutLongText(text: string): string {
  return text.length <= LONGEST_DETAIL ? text : `${text.slice(0, LONGEST_DETAIL)}…`;
}

/** A pattern can be crafted to run forever, so only the server checks it. */
function removePatterns(value: JsonSchema): JsonSchema {
  const strip = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(strip);
    if (!isObject(inner)) return inner;
    const kept = Object.entries(inner).filter(([key, one]) => !(PATTERNS.has(key) && !isNamed(key, one)));
    return Object.fromEntries(kept.map(([key, one]) => [key, strip(one)]));
  };
  const { properties, ...rest } = value;
  const stripped = isObject(properties)
    ? Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, strip(one)]))
    : {};
  return { ...(strip(rest) as JsonSchema), properties: stripped };
}

const PATTERNS: ReadonlySet<string> = new Set(["pattern", "patternProperties", "format"]);

/** True for an argument that is itself called "pattern". */
function isNamed(key: string, value: unknown): boolean {
  return key !== "patternProperties" && isObject(value);
}
