/** How much of the memory a run uses, as the user has set it. */
export interface RecallSettings {
  readonly enabled: boolean;
  readonly recallCount: number;
  readonly maxTokens: number;
  /** How many of the last messages make the question. */
  readonly queryMessages: number;
  /** The fast model tells what was recalled in fewer words, which costs a call. */
  readonly summarise: boolean;
}

/** Reads the settings of memory; `read` gives the value of one, or the fallback. */
export function readRecallSettings(read: <T>(name: string, fallback: T) => T): RecallSettings {
  return {
    enabled: read("memory.enabled", true),
    recallCount: read("memory.recallCount", 10),
    maxTokens: read("memory.maxTokens", 1500),
    queryMessages: read("memory.queryMessages", 9),
    summarise: read("memory.summarise", false),
  };
}
