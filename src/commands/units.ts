import { formatQuantity } from "../core/base/text.ts";

/** A size as people read it: `512 bytes`, `1.5 MB`. */
export function formatByteSize(bytes: number): string {
  if (bytes < 1000) return formatQuantity(bytes, "byte");
  const units = ["kB", "MB", "GB", "TB"];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** power).toPrecision(2))} ${units[power - 1]}`;
}
