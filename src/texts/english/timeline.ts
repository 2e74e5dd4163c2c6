/** Texts of a run's steps: thoughts, commands, outcomes and notes. */
export const timelineTexts = {} as const;
