import { join } from "node:path";
import type { CommandOutputs } from "../core/ports/programs.ts";
import { openFile } from "../plain-file.ts";
import { hasCode } from "./file-errors.ts";
import { readableOutput } from "./readable-output.ts";

/** So much is made readable before others get their turn. */
const PIECE_BYTES = 256 * 1024;

/** The file that holds the full output of a step's command. */
export function outputFile(folder: string, step: number): string {
  return join(folder, `${step}.txt`);
}

/** The full outputs that a shell kept in a folder. */
export function nodeOutputs(folder: string): CommandOutputs {
  return {
    async read(step) {
      try {
        return await readable(outputFile(folder, step));
      } catch (error) {
        if (hasCode(error, "ENOENT")) return undefined;
        throw error;
      }
    },
  };
}

/** Line by line, for what is printed may be long. */
async function readable(file: string): Promise<string> {
  const pieces: string[] = [];
  let line = "";
  const opened = await openFile(file);
  for await (const chunk of opened.createReadStream({ encoding: "utf8", highWaterMark: PIECE_BYTES })) {
    const text = String(chunk);
    const end = text.lastIndexOf("\n") + 1;
    if (end > 0) pieces.push(readableOutput(line + text.slice(0, end)));
    line = (end > 0 ? "" : line) + text.slice(end);
  }
  return [...pieces, readableOutput(line)].join("");
}
