import { stripVTControlCharacters } from "node:util";

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
