import {
  type ApiDocuments,
  decodeEscapes,
  escapeInvisible,
  isObject,
  type Json,
  type JsonSchema,
  omitUndefined,
} from "../../../src/plugins/library.ts";
import { parseDocument } from "./documents.ts";

/** A part of a description, with its document's address. */
export interface Node {
  readonly value: Json;
  readonly at: string;
}

/** Resolves references. */
export class References {
  private readonly documents: ReadonlyMap<string, Json>;

  constructor({ texts }: ApiDocuments) {
    this.documents = new Map([...texts].map(([address, text]) => [address, parseDocument(text)]));
  }

  /** Follows the references of a value; undefined if it isn't an object, or if a reference leads nowhere or in a circle. */
  resolve(value: unknown, at: string): Node | undefined {
    const seen = new Set<string>();
    let node: Node | undefined = isObject(value) ? { value, at } : undefined;
    while (node && typeof node.value.$ref === "string") {
      const target: URL | null = URL.parse(node.value.$ref, node.at);
      if (!target || seen.has(target.href)) return undefined;
      seen.add(target.href);
      node = this.lookUp(target);
    }
    return node;
  }

  private lookUp(target: URL): Node | undefined {
    const pointer = decodeEscapes(target.hash.slice(1));
    const plain = new URL(target);
    plain.hash = "";
    let value: unknown = this.documents.get(plain.href);
    for (const part of pointer.split("/").slice(1)) {
      const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
      value = Reflect.get(value, name);
    }
    return isObject(value) ? { value, at: plain.href } : undefined;
  }
}

const MOST_PROPERTIES = 60;
const MOST_CHOICES = 60;
const DEEPEST = 8;

const NUMBERS = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"];
/** Nonexistent type names that are common in descriptions. */
const MISSPELLED: ReadonlyMap<string, string> = new Map([
  ["int", "integer"],
  ["long", "integer"],
  ["float", "number"],
  ["double", "number"],
  ["bool", "boolean"],
]);
const TYPES = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);

/** The state of reading a schema. */
interface Reading {
  readonly references: References;
  /** The remaining levels. */
  readonly depth: number;
  /** The enclosing schemas, to detect circles. */
  readonly around: readonly Json[];
  /** The number of schemas that may still be read: schemas that refer to one another would otherwise multiply endlessly. */
  readonly room: { left: number };
}

/** A schema for the model with at most `most` characters: deeper parts are left out until it fits. */
export function buildModelSchema(value: unknown, at: string, references: References, most: number): JsonSchema {
  const type = findTypes(references.resolve(value, at)?.value ?? {});
  let best: JsonSchema = type === undefined ? {} : { type };
  for (let depth = 1; depth <= DEEPEST; depth++) {
    const room = { left: Math.ceil(most / 4) };
    const schema = reduceSchema(value, at, { references, depth, around: [], room });
    if (room.left < 0 || JSON.stringify(schema).length > most) break;
    best = schema;
  }
  return best;
}

/** Keeps only the parts that are checked here, without patterns, which may run forever. */
function reduceSchema(value: unknown, at: string, reading: Reading): JsonSchema {
  const node = reading.references.resolve(value, at);
  reading.room.left -= 1;
  if (!node || reading.room.left < 0 || reading.depth === 0 || reading.around.includes(node.value)) return {};
  const { value: schema } = node;
  const inside = { ...reading, depth: reading.depth - 1, around: [...reading.around, schema] };
  const reduceInnerSchema = (one: unknown): JsonSchema => reduceSchema(one, node.at, inside);
  const type = findTypes(schema);
  const whole: JsonSchema = {
    ...omitUndefined({ type }),
    ...extractChoices(schema),
    ...Object.fromEntries(NUMBERS.flatMap((name) => (typeof schema[name] === "number" ? [[name, schema[name]]] : []))),
    ...(isObject(schema.items) ? { items: reduceInnerSchema(schema.items) } : {}),
    ...reduceProperties(schema, reduceInnerSchema),
    ...(quoteDescription(schema.description, 120) === undefined
      ? {}
      : { description: quoteDescription(schema.description, 120) }),
  };
  const parts = list(schema.allOf).map(reduceInnerSchema);
  const merged = parts.reduce(mergeSchemas, whole);
  const options = list(schema.oneOf ?? schema.anyOf);
  return options.length === 0 || options.length > 6 ? merged : { ...merged, anyOf: options.map(reduceInnerSchema) };
}

function findTypes({ type, nullable, properties: named }: Json): string | readonly string[] | undefined {
  const types = list(type ?? (isObject(named) ? "object" : undefined))
    .map((one) => MISSPELLED.get(String(one)) ?? String(one))
    .filter((one) => TYPES.has(one));
  if (types.length === 0) return undefined;
  if (nullable === true) return [...types, "null"];
  return types.length === 1 ? types[0] : types;
}

function extractChoices(schema: Json): JsonSchema {
  const all = schema.const === undefined ? list(schema.enum) : [schema.const];
  const isShort = JSON.stringify(all).length <= 2_000;
  return all.length > 0 && all.length <= MOST_CHOICES && isShort ? { enum: all } : {};
}

function reduceProperties(schema: Json, sub: (value: unknown) => JsonSchema): JsonSchema {
  if (!isObject(schema.properties)) return {};
  const named = Object.entries(schema.properties)
    .filter(([, value]) => !isObject(value) || value.readOnly !== true)
    .slice(0, MOST_PROPERTIES);
  const names = new Set(named.map(([name]) => name));
  const required = list(schema.required).filter((name) => typeof name === "string" && names.has(name));
  return {
    properties: Object.fromEntries(named.map(([name, value]) => [name, sub(value)])),
    ...(required.length > 0 ? { required } : {}),
  };
}

function mergeSchemas(one: JsonSchema, other: JsonSchema): JsonSchema {
  const required = [...list(one.required), ...list(other.required)];
  return {
    ...other,
    ...one,
    ...(isObject(one.properties) || isObject(other.properties)
      ? { properties: { ...Object(one.properties), ...Object(other.properties) } }
      : {}),
    ...(required.length > 0 ? { required: [...new Set(required)] } : {}),
  };
}

/** Returns a value as a list; if it's absent, an empty list. */
export function list(value: unknown): readonly unknown[] {
  return value === undefined || value === null ? [] : [value].flat();
}

/** Text from a description, cut and quoted, so that it's clearly the description's own. */
export function quoteDescription(value: unknown, most: number): string | undefined {
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const line = escapeInvisible(
    value
      .slice(0, most * 4)
      .replace(/\s+/g, " ")
      .trim(),
  );
  return JSON.stringify(line.length <= most ? line : `${line.slice(0, most - 1)}…`);
}
