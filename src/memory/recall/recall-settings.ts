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
