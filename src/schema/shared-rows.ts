import { Type } from "typebox";
import { SHARED_LIMITS } from "./formats.ts";
import { Amount, createEnumSchema, OnlyTrue, type Shape } from "./shape.ts";

/** One line, without control or formatting characters, which could hide or fake displayed text. */
const createLineSchema = (maxLength: number, minLength = 1) =>
  Type.String({ pattern: `^[^\\p{Cc}\\p{Cf}\\p{Cs}\\u2028\\u2029]{${minLength},${maxLength}}$` });

/** A row of a shared log, possibly written by others. A removed row no longer has text. */
export const SharedRowSchema = Type.Object({
  project: createLineSchema(SHARED_LIMITS.project),
  /** A hash that the author's program made of the content. */
  id: Type.String({ pattern: "^[0-9a-f]{24,64}$" }),
  author: createLineSchema(SHARED_LIMITS.author),
  kind: createEnumSchema("episode", "note", "page", "file"),
  text: Type.String({
    pattern: `^[^\\p{Cs}\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]{0,${SHARED_LIMITS.text}}$`,
  }),
  source: createLineSchema(SHARED_LIMITS.source, 0),
  place: Type.Optional(createLineSchema(SHARED_LIMITS.source, 0)),
  /** Milliseconds since 1970. */
  at: Amount,
  removed: Type.Optional(OnlyTrue),
  embedder: Type.Optional(createLineSchema(SHARED_LIMITS.source)),
  vector: Type.Optional(Type.Array(Type.Number(), { maxItems: SHARED_LIMITS.vector })),
});

/** A row of a shared log. */
export type SharedRow = Shape<typeof SharedRowSchema>;
