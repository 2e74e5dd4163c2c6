import { join } from "node:path";

/** The command line as a program of its own: as it's published where the suite has built it, else its source. */
export const PROGRAM = process.env.AUTOGPT_PROGRAM ?? join(import.meta.dirname, "../../src/headless.ts");
