import { Type } from "typebox";
import { CardSchema } from "../panel-values.ts";
import { Count, createEnumSchema, createTaggedSchema, OnlyTrue, type Shape, Text } from "../shape.ts";
import { FleetBindingSchema, SealedTextSchema } from "./decisions.ts";

export const AskedQuestionSchema = Type.Object({
  binding: FleetBindingSchema,
  /** All of it as a terminal shows it. */
  text: Text,
  /** A proposal as a panel shows it, with its whole text; absent for a question in words. */
  card: Type.Optional(CardSchema),
});

/** Something that a run in another place asks its user. */
export type AskedQuestion = Shape<typeof AskedQuestionSchema>;

const PieceSchema = Type.Object({
  /** As the model's parts are named; absent in lines of older versions: text. */
  kind: Type.Optional(createEnumSchema("text", "reasoning", "call")),
  /** Name of a call. */
  name: Type.Optional(Text),
  text: Text,
});

export const LiveReplySchema = Type.Object({ step: Count, parts: Type.Array(PieceSchema) });

/** The reply that a run gets now, as far as it has come. */
export type LiveReply = Shape<typeof LiveReplySchema>;

/** A line that a machine with a run sends to a window that follows it. */
export const ServedLineSchema = createTaggedSchema("type", {
  /** A line of the run's log, with its seal. */
  stored: { line: Text },
  /** The question that waits now, sealed by the attempt that asks; absent: none does. */
  asks: { asked: Type.Optional(SealedTextSchema) },
  delta: { step: Count, ...PieceSchema.properties },
  refused: { question: Text, why: Text },
  /** The request with this ID was written down. */
  taken: { id: Text },
  /** All was sent: the events of a run that has ended, a list, a log. */
  over: {},
  /** A call didn't work, for a reason that people read. */
  failed: { why: Text },
  run: {
    id: Text,
    task: Text,
    startedAt: Text,
    state: createEnumSchema("working", "waiting", "ended", "silent"),
    steps: Count,
  },
  /** Path of the repository for a sender. */
  repository: { path: Text },
  /** The machine as a place for runs. */
  machine: {
    name: Text,
    version: Text,
    node: Text,
    git: Type.Optional(Text),
    walls: Type.Optional(Text),
    /** Why there are no walls. */
    noWalls: Type.Optional(Text),
    /** ID of its fleet key. */
    key: Type.Optional(Text),
  },
  /** Its launcher found no program that can work there. Versions are empty where there is nothing. */
  unfit: { node: Text, git: Text, program: Text, system: Text },
  started: {},
});

export type ServedLine = Shape<typeof ServedLineSchema>;

/** A line that a window sends to a machine with a run. */
export const ServedRequestSchema = createTaggedSchema("type", {
  /** `decision` and `message` are sealed, and signed if their sender has a key for that. */
  decide: { id: Text, decision: Text },
  tell: { id: Text, message: Text },
});

export type ServedRequest = Shape<typeof ServedRequestSchema>;

export const ServedRecordSchema = Type.Object({
  version: Type.Literal(1),
  run: Text,
  /** Name of the folder of the repository that it came through. */
  repository: Text,
  /** Address of the repository through which its machines meet; absent if they meet in the one above. */
  remote: Type.Optional(Text),
  /** ISO 8601. */
  startedAt: Text,
  task: Type.Optional(Text),
  /** The run's own folder, once it has begun. */
  home: Type.Optional(Text),
  attempt: Type.Optional(Count),
  steps: Type.Optional(Count),
  /** The question that waits. */
  asked: Type.Optional(SealedTextSchema),
  /** The last answers that changed nothing, oldest first. */
  refused: Type.Array(Type.Object({ id: Text, question: Text, why: Text })),
  /** The last requests that were carried out. One that is sent again counts once. */
  handled: Type.Array(Text),
  /** Why the work ended early. */
  failed: Type.Optional(Text),
  isOver: Type.Optional(OnlyTrue),
});

/** Facts that a machine writes down about a run that it works on for another one. */
export type ServedRecord = Shape<typeof ServedRecordSchema>;

export const KnownPlacesSchema = Type.Object({
  version: Type.Literal(1),
  /** Places to which runs were sent. */
  places: Type.Array(Text),
  /** Agreements of the user to send: a place, a repository, and the address of the one through which it goes. */
  agreed: Type.Optional(Type.Array(Text)),
  /** The place of each run that was sent. */
  runs: Type.Record(Text, Text),
});

/** Runs that this machine has sent, and their places. */
export type KnownPlaces = Shape<typeof KnownPlacesSchema>;
