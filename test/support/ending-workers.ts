import { createRequire } from "node:module";

/** Mocha's workers have one second to end before they're killed. On a busy machine, writing their coverage takes longer. */
const END_MS = 30_000;

const workers = createRequire(import.meta.resolve("mocha"))("workerpool");
const { pool } = workers;
workers.pool = (script: string, options: object) => pool(script, { ...options, workerTerminateTimeout: END_MS });
