/** A pattern with more wildcards than this in one name could take very long to match. */
const MOST_STARS = 3;
const LONGEST_PATTERN = 500;
const LONGEST_FILE = 256 * 1024;

/**
 * The patterns of an ignore file, none of which takes long to match. One that could is shortened after its last quick wildcard, so that it
 * ignores more, never less; one that un-ignores is dropped instead.
 */
export function boundedPatterns(text: string): string {
  return text
    .slice(0, LONGEST_FILE)
    .split(/\r?\n/)
    .map((line) => (isQuick(line) ? line : shortened(line)))
    .join("\n");
}

function isQuick(line: string): boolean {
  return line.length <= LONGEST_PATTERN && line.split("/").every((name) => stars(name) <= MOST_STARS);
}

function shortened(line: string): string {
  if (line.startsWith("!")) return "";
  const names = line.slice(0, LONGEST_PATTERN).split("/");
  const slow = names.findIndex((name) => stars(name) > MOST_STARS);
  if (slow === -1) return `${names.slice(0, -1).join("/")}/*`;
  const pieces = (names[slow] ?? "").split(/\*+/).slice(0, MOST_STARS);
  return [...names.slice(0, slow), `${pieces.join("*")}*`].join("/");
}

function stars(name: string): number {
  return name === "**" ? 0 : (name.match(/\*+/g)?.length ?? 0);
}
