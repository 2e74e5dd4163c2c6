/** Texts about rules, permissions and the reasons to ask. */
export const safetyTexts = {} as const;
