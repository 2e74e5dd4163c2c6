import {
  type Static,
  type TInteger,
  type TLiteral,
  type TNumber,
  type TObject,
  type TProperties,
  type TSchema,
  type TString,
  type TUnsafe,
  Type,
} from "typebox";

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** The static type of a schema, read-only at every level. */
export type Shape<Schema extends TSchema> = DeepReadonly<Static<Schema>>;

export const Text: TString = Type.String();
/** A whole number from 0. */
export const Count: TInteger = Type.Integer({ minimum: 0 });
/** A number from 0. */
export const Amount: TNumber = Type.Number({ minimum: 0 });
/** A flag that is absent when it is false. */
export const OnlyTrue: TLiteral<true> = Type.Literal(true);
/** Any object that is not an array. */
export const AnyObject: TUnsafe<Record<string, unknown>> = Type.Unsafe<Record<string, unknown>>({
  type: "object",
});

/** A display text in the format of texts/writer.ts: its code in the table of texts, and its parameters. */
interface StoredText {
  readonly code: string;
  readonly parameters?: Readonly<Record<string, string | number | StoredText | readonly (string | StoredText)[]>>;
}

/** Applies only to objects. A string has no properties, so a sentence of either type needs no alternatives. */
const CODED = {
  required: ["code"],
  properties: {
    code: { type: "string" },
    parameters: { type: "object", additionalProperties: { type: ["string", "number", "object", "array"] } },
  },
};

/** A display text in an event. Its code may be known only to a newer version. */
export const DisplayTextSchema: TUnsafe<StoredText> = Type.Unsafe<StoredText>({ type: "object", ...CODED });

/** The same sentence with its code, so that people read it in their language. Older files lack it. */
export const ForPeople = { text: Type.Optional(DisplayTextSchema) };

/** A display text in a message: our own text, or text without a code. */
export const SentenceSchema: TUnsafe<StoredText | string> = Type.Unsafe<StoredText | string>({
  type: ["string", "object"],
  ...CODED,
});

/** One of a few texts. */
export function createEnumSchema<const Value extends string>(...values: readonly Value[]): TUnsafe<Value> {
  return Type.Unsafe<Value>({ enum: values });
}

type Case<Tag extends string, Name extends string, Fields extends TProperties> = Static<
  TObject<{ [Key in Tag]: TLiteral<Name> } & Fields>
>;

type Cases<Tag extends string, Fields extends Readonly<Record<string, TProperties>>, Common extends TProperties> = {
  [Name in keyof Fields & string]: Case<Tag, Name, Common & Fields[Name]>;
}[keyof Fields & string];

/** One of several objects, distinguished by their tag. `common`: the fields of all of them. */
export function createTaggedSchema<
  const Tag extends string,
  Fields extends Readonly<Record<string, TProperties>>,
  // biome-ignore lint/complexity/noBannedTypes: no common fields
  Common extends TProperties = {},
>(tag: Tag, cases: Fields, common?: Common): TUnsafe<Cases<Tag, Fields, Common>> {
  return Type.Unsafe<Cases<Tag, Fields, Common>>({
    ...Type.Object({ [tag]: Text, ...common }),
    discriminator: { propertyName: tag },
    oneOf: Object.entries(cases).map(([name, fields]) => {
      const { properties, required } = Type.Object(fields);
      return { required, properties: { [tag]: { const: name }, ...properties } };
    }),
  });
}

/** Rejects unknown fields in each object of a schema. */
export function rejectUnknownFields<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema>> {
  return Type.Unsafe<Static<Schema>>({ ...closeObjectSchema(schema) });
}

function closeObjectSchema(node: object): object {
  const entries = Object.entries(node).map(([key, value]: [string, unknown]) => [key, closeSchemaPart(value)]);
  const copy: object = Object.fromEntries(entries);
  return "properties" in copy && !("oneOf" in copy) ? { ...copy, additionalProperties: false } : copy;
}

function closeSchemaPart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeSchemaPart);
  return typeof value === "object" && value !== null ? closeObjectSchema(value) : value;
}
