/** Texts of diffs, undo and unsaved files. */
export const reviewTexts = {} as const;
