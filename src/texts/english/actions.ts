/** Texts of palette actions and their pickers, forms and messages. */
export const actionsTexts = {} as const;
