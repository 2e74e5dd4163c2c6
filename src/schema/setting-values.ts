/** The part of JSON Schema that the settings table uses. */
export interface ValueSchema {
  readonly type?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly ValueSchema[];
  readonly items?: ValueSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly patternProperties?: Readonly<Record<string, ValueSchema>>;
  readonly required?: readonly string[];
}

/**
 * A value as a schema allows it: numbers out of range become the nearest allowed one, and items and entries that don't fit
 * or are too many are left out. Undefined for a value of another type.
 */
export function correctValue(schema: ValueSchema, value: unknown): unknown {
  if (schema.anyOf)
    return schema.anyOf.map((one) => correctValue(one, value)).find((valid) => valid !== undefined);
  if (schema.enum) return schema.enum.includes(value) ? value : undefined;
  switch (schema.type) {
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "string":
      return correctText(schema, value);
    case "integer":
      return typeof value === "number" && Number.isFinite(value)
        ? clampNumber(schema, Math.trunc(value))
        : undefined;
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? clampNumber(schema, value) : undefined;
    case "null":
      return value === null ? null : undefined;
    case "array":
      return Array.isArray(value)
        ? value.filter((item) => isValidValue(schema.items, item)).slice(0, schema.maxItems)
        : undefined;
    case "object":
      return correctObject(schema, value);
    default:
      return value;
  }
}

/** The values that a setting takes, for a sentence: "a whole number from 1 to 20". */
export function describeExpectedValue(schema: ValueSchema): string {
  if (schema.anyOf) return schema.anyOf.map(describeExpectedValue).join(" or ");
  if (schema.enum) return `one of ${schema.enum.join(", ")}`;
  switch (schema.type) {
    case "boolean":
      return "true or false";
    case "integer":
      return `a whole number${describeRange(schema)}`;
    case "number":
      return `a number${describeRange(schema)}`;
    case "array":
      return `a list${schema.maxItems === undefined ? "" : ` of up to ${schema.maxItems}`}, in JSON or separated by commas`;
    case "object":
      return "a JSON object";
    case "null":
      return "null";
    default:
      return schema.pattern === undefined ? "text" : `text like ${String(schema.default)}`;
  }
}

/** True for a value that needs no correction. */
export function isValidValue(schema: ValueSchema | undefined, value: unknown): boolean {
  return !schema || JSON.stringify(correctValue(schema, value)) === JSON.stringify(value);
}

function correctText({ pattern }: ValueSchema, value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  return pattern === undefined || new RegExp(pattern).test(value) ? value : undefined;
}

function clampNumber({ minimum = -Infinity, maximum = Infinity }: ValueSchema, value: number): number {
  return Math.min(maximum, Math.max(minimum, value));
}

/** Own properties as they are, if all fit; of a record the entries that do. */
function correctObject(schema: ValueSchema, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const [entry] = Object.values(schema.patternProperties ?? {});
  const entries = Object.entries(value);
  if (entry) return Object.fromEntries(entries.filter(([, one]) => isValidValue(entry, one)));
  const { properties = {}, required = [] } = schema;
  const isWhole = required.every((name) => Object.hasOwn(value, name));
  return isWhole && entries.every(([name, one]) => name in properties && isValidValue(properties[name], one))
    ? value
    : undefined;
}

function describeRange({ minimum, maximum }: ValueSchema): string {
  if (minimum === undefined) return "";
  return maximum === undefined ? ` of ${minimum} or more` : ` from ${minimum} to ${maximum}`;
}
