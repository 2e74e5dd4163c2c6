import { Type } from "typebox";
import { Count, createTaggedSchema, type Shape, Text } from "../shape.ts";

const HashSchema = Type.String({ pattern: "^[0-9a-f]{64}$" });

export const FleetBindingSchema = Type.Object({
  run: Text,
  /** The attempt that asks. */
  attempt: Count,
  /** Names this question of the attempt. */
  id: Text,
  /** SHA-256 of all that the person decides about. */
  hash: HashSchema,
  /** From then on, no answer counts; in ms since 1970. */
  expiresMs: Count,
});

/** The question to which a decision is bound. */
export type FleetBinding = Shape<typeof FleetBindingSchema>;

export const FleetDecisionSchema = Type.Object({
  version: Type.Literal(1),
  binding: FleetBindingSchema,
  decidedMs: Count,
  answer: createTaggedSchema("kind", {
    approved: {},
    rejected: { reason: Text },
    said: { text: Text },
  }),
});

/** A person's decision about one question of a run in another place. */
export type FleetDecision = Shape<typeof FleetDecisionSchema>;

export const SignedDecisionSchema = Type.Object({
  /** The decision as JSON, exactly as it was sealed and signed. */
  decision: Text,
  seal: HashSchema,
  /** An SSH signature of the same text. */
  signature: Type.Optional(Text),
});

/** A decision as it travels. */
export type SignedDecision = Shape<typeof SignedDecisionSchema>;
