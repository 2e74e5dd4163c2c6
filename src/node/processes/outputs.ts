import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { CommandOutputs } from "../../core/ports/programs.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { openFile } from "../../disk/plain-file.ts";

/** Bytes to clean up before yielding. */
const READ_PIECE_BYTES = 256 * 1024;

/** The file with the full output of a step's command. */
export function getOutputFile(folder: string, step: number): string {
  return join(folder, `${step}.txt`);
}

/** The full outputs that a shell saved in a folder. */
export function createNodeOutputs(folder: string): CommandOutputs {
  return {
    async read(step) {
      try {
        return await readOutputText(getOutputFile(folder, step));
      } catch (error) {
        if (hasCode(error, "ENOENT")) return undefined;
        throw error;
      }
    },
  };
}

/** The limit for reading an output. */
const MOST_BYTES = 100 * 1024 * 1024;

/** Works line by line, because an output may be long. */
async function readOutputText(file: string): Promise<string> {
  const pieces: string[] = [];
  let line = "";
  const opened = await openFile(file);
  for await (const chunk of opened.createReadStream({
    encoding: "utf8",
    highWaterMark: READ_PIECE_BYTES,
    end: MOST_BYTES,
  })) {
    const text = String(chunk);
    const end = text.lastIndexOf("\n") + 1;
    if (end > 0) pieces.push(cleanTerminalOutput(line + text.slice(0, end)));
    line = (end > 0 ? "" : line) + text.slice(end);
  }
  return [...pieces, cleanTerminalOutput(line)].join("");
}

/** A program's output as a terminal would display it, without colors and cursor moves. */
export function cleanTerminalOutput(raw: string): string {
  return stripVTControlCharacters(raw)
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map(applyCarriageReturns)
    .join("\n")
    .replace(CONTROLS, "");
}

/** All control characters except tab and line end, and delete. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this file is about
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f]/g;

/** Applies carriage returns, which overwrite a line, as progress bars do. */
function applyCarriageReturns(line: string): string {
  if (!line.includes("\r")) return line;
  return line.split("\r").findLast((piece) => piece !== "") ?? "";
}
