/** Texts of the run's header, its plan, its costs, the list of runs and the status bar. */
export const headerTexts = {} as const;
