import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Outputs } from "../core/machine-ports.ts";
import { hasCode } from "./file-errors.ts";
import { readableOutput } from "./readable-output.ts";

/** The file that holds the full output of a step's command. */
export function outputFile(folder: string, step: number): string {
  return join(folder, `${step}.txt`);
}

/** The full outputs that a shell kept in a folder. */
export function nodeOutputs(folder: string): Outputs {
  return {
    async read(step) {
      try {
        return readableOutput(await readFile(outputFile(folder, step), "utf8"));
      } catch (error) {
        if (hasCode(error, "ENOENT")) return undefined;
        throw error;
      }
    },
  };
}
