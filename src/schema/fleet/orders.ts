import { Type } from "typebox";
import { Count, type Shape, Text } from "../shape.ts";
import { SealedTextSchema } from "./decisions.ts";
import { ServedLineSchema } from "./served.ts";

export const FleetOrderSchema = Type.Object({
  version: Type.Literal(1),
  run: Text,
  /** Address of the repository through which the run travels. */
  repository: Text,
  task: Text,
  /** ISO 8601. */
  startedAt: Text,
});

/** The way to a run, for a worker. */
export type FleetOrderText = Shape<typeof FleetOrderSchema>;

export const FleetBeatSchema = Type.Object({
  /** The number of the stretch, and of the first of the answers within it. */
  stretch: Count,
  first: Count,
  /** Lines of the run's log before these answers. */
  stored: Count,
  lines: Type.Array(ServedLineSchema),
  steps: Type.Optional(Count),
  asked: Type.Optional(SealedTextSchema),
  /** Why the stretch has ended early, as a sentence. */
  failed: Type.Optional(Text),
  /** Why no worker could work on the run, as a sentence. It's tried again. */
  held: Type.Optional(Text),
});

/** The last news of a run that a worker works on, as its heartbeat carries them. */
export type FleetBeat = Shape<typeof FleetBeatSchema>;
