import type { TextFile } from "../core/ports.ts";

/** A text that came with plain line ends, with those of the file it is for. One that brings others has chosen them. */
export function withEol(text: string, eol: TextFile["eol"]): string {
  return eol === "\n" || text.includes("\r") ? text : text.replaceAll("\n", eol);
}
