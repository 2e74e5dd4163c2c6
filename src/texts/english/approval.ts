/** Texts of proposals, decisions, questions and the end of a run. */
export const approvalTexts = {} as const;
