import { findSourceMap } from "node:module";

const PLACE = /((?:[A-Za-z]:)?[^\s():]+\.cjs):(\d+):(\d+)/g;

/**
 * A stack trace that names source files instead of bundles. Node could do it by itself, but VS Code writes stack
 * traces its own way.
 */
export function withOriginalPlaces(stack: string): string {
  return stack.replaceAll(PLACE, (place: string, file: string, line: string, column: string) => {
    const entry = findSourceMap(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry || !("originalSource" in entry)) return place;
    return `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}
