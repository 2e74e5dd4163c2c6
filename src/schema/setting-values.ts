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
export function validValue(schema: ValueSchema, value: unknown): unknown {
  if (schema.anyOf)
    return schema.anyOf.map((one) => validValue(one, value)).find((valid) => valid !== undefined);
  if (schema.enum) return schema.enum.includes(value) ? value : undefined;
  switch (schema.type) {
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "string":
      return validText(schema, value);
    case "integer":
      return typeof value === "number" && Number.isFinite(value)
        ? clamped(schema, Math.trunc(value))
        : undefined;
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? clamped(schema, value) : undefined;
    case "null":
      return value === null ? null : undefined;
    case "array":
      return Array.isArray(value)
        ? value.filter((item) => fits(schema.items, item)).slice(0, schema.maxItems)
        : undefined;
    case "object":
      return validObject(schema, value);
    default:
      return value;
  }
}

/** The values that a setting takes, for a sentence: "a whole number from 1 to 20". */
export function expectedValue(schema: ValueSchema): string {
  if (schema.anyOf) return schema.anyOf.map(expectedValue).join(" or ");
  if (schema.enum) return `one of ${schema.enum.join(", ")}`;
  switch (schema.type) {
    case "boolean":
      return "true or false";
    case "integer":
      return `a whole number${range(schema)}`;
    case "number":
      return `a number${range(schema)}`;
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
export function fits(schema: ValueSchema | undefined, value: unknown): boolean {
  return !schema || JSON.stringify(validValue(schema, value)) === JSON.stringify(value);
}

function validText({ pattern }: ValueSchema, value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  return pattern === undefined || new RegExp(pattern).test(value) ? value : undefined;
}

function clamped({ minimum = -Infinity, maximum = Infinity }: ValueSchema, value: number): number {
  return Math.min(maximum, Math.max(minimum, value));
}

/** Own properties as they are, if all fit; of a record the entries that do. */
function validObject(schema: ValueSchema, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const [entry] = Object.values(schema.patternProperties ?? {});
  const entries = Object.entries(value);
  if (entry) return Object.fromEntries(entries.filter(([, one]) => fits(entry, one)));
  const { properties = {}, required = [] } = schema;
  const isWhole = required.every((name) => Object.hasOwn(value, name));
  return isWhole && entries.every(([name, one]) => name in properties && fits(properties[name], one))
    ? value
    : undefined;
}

function range({ minimum, maximum }: ValueSchema): string {
  if (minimum === undefined) return "";
  return maximum === undefined ? ` of ${minimum} or more` : ` from ${minimum} to ${maximum}`;
}
