import { stripVTControlCharacters } from "node:util";
import { harmless } from "./harmless.ts";

/** Makes a filter for what a program prints, chunk by chunk, that leaves plain text: no colours, no moves, a line for each carriage return. */
export function plainOutput(): (chunk: string) => string {
  const filter = harmless();
  return (chunk) =>
    stripVTControlCharacters(filter(chunk))
      .replace(/\r+\n/g, "\n")
      .replaceAll("\r", "\n")
      .replaceAll("\b", "");
}
