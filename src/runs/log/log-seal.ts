/** Creates the keyed hash of a text. Only the owner of a run can create it. */
export type Seal = (text: string) => string;

/** The end of a sealed line, in place of the last brace. */
const START = ',"seal":"';
const HASH_LENGTH = 32;
const LENGTH = START.length + HASH_LENGTH + '"}'.length;

/** Bytes from the end of a line that hold its seal. */
export const SEAL_BYTES = LENGTH;

/** The seal of a line; empty if it has none. */
export function readSeal(line: string): string {
  const end = line.slice(-LENGTH);
  return end.startsWith(START) && end.endsWith('"}') ? end.slice(START.length, -2) : "";
}

/** The line without its seal. */
export function removeSeal(line: string): string {
  return readSeal(line) === "" ? line : `${line.slice(0, -LENGTH)}}`;
}

/** The line of an object with a seal that covers it and, through the seal of the previous line, all earlier lines. */
export function sealLine(json: string, before: string, seal: Seal): string {
  return `${json.slice(0, -1)}${START}${sealOver(json, before, seal)}"}`;
}

function sealOver(json: string, before: string, seal: Seal): string {
  return seal(`${before}\n${json}`).slice(0, HASH_LENGTH);
}

/** True if the owner wrote every complete line of a log. Doesn't detect lines that are missing at its end. */
export function isSealed(text: string, seal: Seal): boolean {
  return isSealedByAny(text, () => [seal]);
}

/** The same for a log with lines of several owners. `selectSeals` returns those that count for a line, and is called line by line. */
export function isSealedByAny(text: string, selectSeals: (json: string) => readonly Seal[]): boolean {
  let before = "";
  for (const line of text.split("\n").slice(0, -1)) {
    if (!isSealedLine(line, before, selectSeals)) return false;
    before = readSeal(line);
  }
  return true;
}

/** True if an owner wrote a line after the one with the seal `before`, which is empty for the first one. */
export function isSealedLine(line: string, before: string, selectSeals: (json: string) => readonly Seal[]): boolean {
  const found = readSeal(line);
  const json = removeSeal(line);
  return found !== "" && selectSeals(json).some((seal) => found === sealOver(json, before, seal));
}
