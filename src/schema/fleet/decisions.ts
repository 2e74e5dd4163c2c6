import { Type } from "typebox";
import { LimitsSchema } from "../run-values.ts";
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

export const FleetMessageSchema = Type.Object({
  version: Type.Literal(1),
  run: Text,
  /** The program that sent it. */
  sender: Text,
  /** Counts the messages of this program to the run, from 1. */
  number: Count,
  /** In ms since 1970. */
  sentMs: Count,
  act: createTaggedSchema("kind", {
    said: { text: Text },
    stop: {},
    /** Limits that count from the beginning of the run. One that has used up a limit continues with it. */
    raise: { limits: Type.Partial(LimitsSchema) },
  }),
});

/** A person's words to a run in another place, that it should stop, or how much it may cost. */
export type FleetMessage = Shape<typeof FleetMessageSchema>;

export const SealedTextSchema = Type.Object({
  /** JSON, exactly as it was sealed and signed. */
  text: Text,
  /** Made with the fleet's key, for one purpose. */
  seal: HashSchema,
  /** An SSH signature of the same text. */
  signature: Type.Optional(Text),
});

/** A question, a decision or a message as it travels. */
export type SealedText = Shape<typeof SealedTextSchema>;

export const HeardMessagesSchema = Type.Object({
  version: Type.Literal(1),
  /** The numbers of the messages that have counted, by their senders. */
  heard: Type.Record(Text, Type.Array(Count)),
});

/** The messages to a run that have counted. They travel with it. */
export type HeardMessages = Shape<typeof HeardMessagesSchema>;
