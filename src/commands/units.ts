import { counted } from "../core/base/text.ts";
import { type DisplayText, displayText } from "../texts/display-text.ts";

/** A size as people read it: `512 bytes`, `1.5 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return counted(bytes, "byte");
  const units = ["kB", "MB", "GB", "TB"];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** power).toPrecision(2))} ${units[power - 1]}`;
}

/** The same for the panel, in the reader's language. */
export function displaySize(bytes: number): DisplayText {
  if (bytes < 1000) return displayText("results.bytes", { count: bytes });
  const isLarge = bytes >= 1_000_000;
  const amount = Number((bytes / (isLarge ? 1_000_000 : 1000)).toPrecision(2));
  return displayText(isLarge ? "results.megabytes" : "results.kilobytes", { size: amount });
}
