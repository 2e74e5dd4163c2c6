/** Texts about what went wrong, and what to do next. */
export const troubleTexts = {} as const;
