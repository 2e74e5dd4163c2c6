import { isObject, type JsonSchema } from "../../core/base/json.ts";
import { THOUGHT_FIELDS } from "../../core/reply/reply.ts";
import { toListOrEmpty, toObjectOrEmpty } from "../http/json.ts";

const TEXT = { type: "string" } as const;
const THOUGHTS: JsonSchema = {
  type: "object",
  properties: Object.fromEntries(THOUGHT_FIELDS.map((field) => [field, TEXT])),
};
/** A placeholder for an object's possible fields. */
const ANY_FIELD: JsonSchema = { key: TEXT };

/** A tool's parameters for servers that support neither objects without fields nor lists of types; undefined if it has none. */
export function normalizeParameters(parameters: JsonSchema): JsonSchema | undefined {
  return Object.keys(toObjectOrEmpty(parameters.properties)).length === 0 ? undefined : normalizeSchema(parameters);
}

function normalizeSchema(schema: JsonSchema): JsonSchema {
  const { type, items: _, properties: __, ...rest } = schema;
  if (Array.isArray(type))
    return { ...rest, anyOf: type.map((one: unknown) => normalizeSchema(createTypeSchema(one, schema))) };
  const fields = Object.entries(toObjectOrEmpty(schema.properties));
  const properties = Object.fromEntries(
    fields.map(([name, field]) => [name, normalizeField(name, toObjectOrEmpty(field))]),
  );
  return {
    ...schema,
    ...(type === "object" ? { properties: fields.length === 0 ? ANY_FIELD : properties } : {}),
    ...(isObject(schema.items) ? { items: normalizeSchema(schema.items) } : {}),
    ...(schema.anyOf ? { anyOf: toListOrEmpty(schema.anyOf).map((one) => normalizeSchema(toObjectOrEmpty(one))) } : {}),
  };
}

function normalizeField(name: string, field: JsonSchema): JsonSchema {
  return name === "thoughts" && !field.properties ? { ...field, ...THOUGHTS } : normalizeSchema(field);
}

/** A schema for one of several types, with the parts that apply to it. */
function createTypeSchema(type: unknown, { items, properties }: JsonSchema): JsonSchema {
  return {
    type,
    ...(type === "array" ? { items: items ?? TEXT } : {}),
    ...(type === "object" ? { properties: properties ?? {} } : {}),
  };
}
