import { displayText, getErrorText, type Sentence } from "../../texts/display-text.ts";
import { MemoryError } from "../store/memory-error.ts";
import { openPluginLog } from "./plugin-log.ts";
import { openPineconeLog } from "./servers/pinecone-log.ts";
import { openPostgresLog } from "./servers/postgres-log.ts";
import { openRedisLog } from "./servers/redis-log.ts";
import type { SharedLog, SharedLogOptions } from "./shared-log.ts";

/** The names of the shared logs. A new name doesn't compile until it has a row below. */
export type SharedLogName = "postgres" | "redis" | "pinecone" | "milvus" | "plugin";

/** A kind of shared log. */
interface SharedLogRow {
  /** Checks the address and returns a log, which connects when it is first used. Throws `MemoryError`. */
  open(options: SharedLogOptions): SharedLog;
}

/** Every shared log, by name. The contract suite runs over each row. */
export const SHARED_LOGS: { readonly [Name in SharedLogName]: SharedLogRow } = {
  postgres: { open: openPostgresLog },
  redis: { open: openRedisLog },
  pinecone: { open: openPineconeLog },
  milvus: { open: refuseMilvus },
  plugin: { open: openPluginLog },
};

/** An earlier build had a log in Milvus. The setting keeps the value, so that the user reads what to do. */
function refuseMilvus(): never {
  throw new MemoryError(displayText("trouble.sharedNoMilvus"));
}

/** Finds a problem with a server's address before connecting; undefined if the address can be tried. */
export function findAddressTrouble(backend: Exclude<SharedLogName, "plugin">, url: string): Sentence | undefined {
  try {
    void SHARED_LOGS[backend].open({ url: url.trim(), project: "", author: "" }).close();
    return undefined;
  } catch (error) {
    return getErrorText(error);
  }
}
