import { getErrorText, type Sentence } from "../../texts/display-text.ts";
import { openMilvusLog } from "./milvus-log.ts";
import { openPluginLog } from "./plugin-log.ts";
import { openPostgresLog } from "./postgres-log.ts";
import { openRedisLog } from "./redis-log.ts";
import type { SharedLog, SharedLogOptions } from "./shared-log.ts";

/** The names of the shared logs. A new name doesn't compile until it has a row below. */
export type SharedLogName = "postgres" | "redis" | "milvus" | "plugin";

/** A kind of shared log. */
interface SharedLogRow {
  /** Checks the address and returns a log, which connects when it is first used. Throws `MemoryError`. */
  open(options: SharedLogOptions): SharedLog;
}

/** Every shared log, by name. The contract suite runs over each row. */
export const SHARED_LOGS: { readonly [Name in SharedLogName]: SharedLogRow } = {
  postgres: { open: openPostgresLog },
  redis: { open: openRedisLog },
  milvus: { open: openMilvusLog },
  plugin: { open: openPluginLog },
};

/** Finds a problem with a server's address before connecting; undefined if the address can be tried. */
export function findAddressTrouble(backend: Exclude<SharedLogName, "plugin">, url: string): Sentence | undefined {
  try {
    void SHARED_LOGS[backend].open({ url: url.trim(), project: "", author: "" }).close();
    return undefined;
  } catch (error) {
    return getErrorText(error);
  }
}
