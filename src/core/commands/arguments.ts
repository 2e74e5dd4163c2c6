import type { JsonSchema } from "../base/json.ts";
import { isObject, type Json, tryJson } from "../base/json.ts";

/**
 * Converts a value that is only written differently from its schema, for example `"5"` for 5. A valid value never changes, and one that
 * can't be converted stays for the validator to explain.
 */
export function fitValue(value: unknown, schema: JsonSchema): unknown {
  const branches = findBranches(schema);
  if (branches) return fitToOneBranch(value, branches);
  if (Array.isArray(schema.enum)) return fitToEnum(value, schema.enum);
  const types = listSchemaTypes(schema);
  if (hasFittingType(value, types)) return fitNestedValues(value, schema);
  for (const type of types) {
    const other = convertToType(value, type, schema);
    if (other !== undefined) return other;
  }
  return value;
}

/** Does the same for the arguments of a call. */
export function fitObject(object: Json, { properties, required }: JsonSchema): Json {
  const schemas: Json = isObject(properties) ? properties : {};
  const isRequired = new Set(Array.isArray(required) ? required : []);
  const entries = Object.entries(object);
  const results = entries.flatMap(([name, value]): [string, unknown][] => {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    if (!isObject(schema)) return [[name, value]];
    const result = fitValue(value, schema);
    // Many models write null for what they leave out.
    return result === null && !isRequired.has(name) && !canBeNull(schema) ? [] : [[name, result]];
  });
  const isSame =
    results.length === entries.length && results.every(([, result], index) => result === entries[index]?.[1]);
  return isSame ? object : Object.fromEntries(results);
}

/** Normalizes a choice for comparison: case and separators don't matter. */
export function normalizeChoice(value: unknown): string {
  return String(value)
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
}

function fitToOneBranch(value: unknown, branches: readonly JsonSchema[]): unknown {
  const alike = branches.filter((branch) => isUntyped(branch) || hasFittingType(value, listSchemaTypes(branch)));
  const [only] = alike;
  if (alike.length > 1) return value;
  if (only) return fitValue(value, only);
  return branches.map((branch) => fitValue(value, branch)).find((result) => result !== value) ?? value;
}

function fitToEnum(value: unknown, choices: readonly unknown[]): unknown {
  if (choices.includes(value) || typeof value === "object") return value;
  const alike = choices.filter((choice) => normalizeChoice(choice) === normalizeChoice(value));
  return alike.length === 1 ? alike[0] : value;
}

function fitNestedValues(value: unknown, schema: JsonSchema): unknown {
  if (isObject(value)) return fitObject(value, schema);
  const { items } = schema;
  if (!Array.isArray(value) || !isObject(items)) return value;
  const results = value.map((item) => fitValue(item, items));
  return results.every((result, index) => result === value[index]) ? value : results;
}

function convertToType(value: unknown, type: unknown, schema: JsonSchema): unknown {
  switch (type) {
    case "integer": {
      const number = parseNumber(value);
      return Number.isSafeInteger(number) ? number : undefined;
    }
    case "number":
      return parseNumber(value);
    case "boolean":
      return typeof value === "string" ? BOOLEANS.get(value.trim().toLowerCase()) : undefined;
    case "string": {
      const item: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
      return ["string", "number", "boolean"].includes(typeof item) ? String(item) : undefined;
    }
    case "object": {
      const object = typeof value === "string" ? tryJson(value) : undefined;
      return isObject(object) ? fitObject(object, schema) : undefined;
    }
    case "array":
      return convertToList(value, schema);
    default:
      return undefined;
  }
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;

function parseNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && NUMBER.test(value) ? Number(value) : undefined;
  return Number.isFinite(number) ? number : undefined;
}

/** Reads a list from JSON, or wraps a single item. */
function convertToList(value: unknown, schema: JsonSchema): unknown {
  const { items } = schema;
  const parsed = typeof value === "string" ? tryJson(value) : undefined;
  if (Array.isArray(parsed)) return fitNestedValues(parsed, schema);
  if (value === null || !isObject(items)) return undefined;
  if (typeof value === "string" && value.trim() === "") return [];
  const item = fitValue(value, items);
  const isItem = Array.isArray(items.enum) ? items.enum.includes(item) : hasFittingType(item, listSchemaTypes(items));
  return isItem ? [item] : undefined;
}

function findBranches({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] | undefined {
  const branches = anyOf ?? oneOf;
  return Array.isArray(branches) && branches.every(isObject) ? branches : undefined;
}

function listSchemaTypes({ type }: JsonSchema): readonly unknown[] {
  return type === undefined ? [] : [type].flat();
}

function isUntyped(schema: JsonSchema): boolean {
  return listSchemaTypes(schema).length === 0;
}

function canBeNull(schema: JsonSchema): boolean {
  if (Array.isArray(schema.enum)) return schema.enum.includes(null);
  return hasFittingType(null, listSchemaTypes(schema)) || (findBranches(schema) ?? []).some(canBeNull);
}

/** True if the value has one of the types; a schema without types accepts any value. */
function hasFittingType(value: unknown, types: readonly unknown[]): boolean {
  return types.length === 0 || types.some((type) => hasType(value, type));
}

function hasType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    case "string":
    case "boolean":
      return typeof value === type;
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    default:
      return true;
  }
}
