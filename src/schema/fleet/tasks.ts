import { Type } from "typebox";
import { Count, type Shape, Text } from "../shape.ts";

const CommitHash = Type.String({ pattern: "^(?:[0-9a-f]{40}|[0-9a-f]{64})$" });

export const CarriedRunSchema = Type.Object({
  version: Type.Literal(1),
  run: Text,
  /** The workspace folder of the run on this machine. */
  folder: Text,
  base: CommitHash,
  /** The last commit that this machine has read or written. */
  commit: CommitHash,
  /** Length of the log in that commit, in bytes. */
  logBytes: Count,
  /** The attempt in that commit. */
  attempt: Count,
  /** True if that attempt is this machine's, so that the run can continue here. */
  isClaimed: Type.Boolean(),
});

/** The facts that this machine knows about a carried run. */
export type CarriedRun = Shape<typeof CarriedRunSchema>;
