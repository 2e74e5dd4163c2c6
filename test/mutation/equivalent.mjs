/** Mutants that change nothing anybody could notice, each with the reason. They are left out of the score. */
export const EQUIVALENT = [];
