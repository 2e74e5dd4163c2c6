/** The user's settings for recall. */
export interface RecallSettings {
  readonly enabled: boolean;
  readonly recallCount: number;
  readonly maxTokens: number;
  /** The number of last messages that form the query. */
  readonly queryMessages: number;
  /** The fast model summarizes what was recalled, which costs a call. */
  readonly summarise: boolean;
}
