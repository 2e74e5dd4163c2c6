import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { CommandOutputs } from "../../core/ports/programs.ts";
import { openFile } from "../../plain-file.ts";
import { hasCode } from "../files/file-errors.ts";

/** So much is made readable before others get their turn. */
const READ_PIECE_BYTES = 256 * 1024;

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
  for await (const chunk of opened.createReadStream({ encoding: "utf8", highWaterMark: READ_PIECE_BYTES })) {
    const text = String(chunk);
    const end = text.lastIndexOf("\n") + 1;
    if (end > 0) pieces.push(readableOutput(line + text.slice(0, end)));
    line = (end > 0 ? "" : line) + text.slice(end);
  }
  return [...pieces, readableOutput(line)].join("");
}

/** What a program printed, as a terminal would have left it, without colours and cursor moves: for a reader of plain text. */
export function readableOutput(raw: string): string {
  return stripVTControlCharacters(raw)
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map(lastWritten)
    .join("\n")
    .replace(CONTROLS, "");
}

/** Everything below the space but tab and line end, and delete. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this file is about
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f]/g;

/** A carriage return lets a line be written over, as progress bars do. */
function lastWritten(line: string): string {
  if (!line.includes("\r")) return line;
  return line.split("\r").findLast((piece) => piece !== "") ?? "";
}
