/** Texts of the start page, the profile and the composer. */
export const startTexts = {} as const;
