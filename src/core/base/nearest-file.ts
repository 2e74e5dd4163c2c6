import { findNearestName, unifyForms } from "./text.ts";

/** Limit on paths, and on names, that are compared letter by letter. */
const MOST_COMPARED = 2000;

/** Finds the file that a path to a missing file most likely means, among files that are added bit by bit. */
export class NearestFile {
  private readonly path: string;
  private readonly wanted: string;
  private readonly paths: string[] = [];
  /** The first file of each similar name. */
  private readonly names = new Map<string, string>();
  private readonly judged = new Set<string>();
  private compared = 0;
  private same: string | undefined;

  constructor(path: string) {
    this.path = unifyForms(path);
    this.wanted = getBaseName(this.path).toLowerCase();
  }

  add(files: readonly string[]): void {
    for (const file of files) {
      const name = unifyForms(getBaseName(file));
      if (name.toLowerCase() === this.wanted) this.same ??= file;
      this.compared += 1;
      if (this.compared <= MOST_COMPARED && mayBeNear(this.path.toLowerCase(), file)) this.paths.push(file);
      if (this.judged.has(name)) continue;
      this.judged.add(name);
      if (this.names.size < MOST_COMPARED && mayBeNear(this.wanted, name)) this.names.set(name, file);
    }
  }

  /** A file with the same name, or else with a similar path or name; undefined if none is close. */
  get found(): string | undefined {
    const near = this.same ?? findNearestName(this.path, this.paths);
    if (near !== undefined) return near;
    const name = findNearestName(this.wanted, this.names.keys());
    return name === undefined ? undefined : this.names.get(name);
  }
}

/** False if a name's length and letters show that it can't be near. Saves most comparisons. */
function mayBeNear(wanted: string, name: string): boolean {
  const bound = Math.max(2, Math.floor(wanted.length / 3));
  if (Math.abs(name.length - wanted.length) > bound) return false;
  const letters = new Map<string, number>();
  for (const letter of wanted) letters.set(letter, (letters.get(letter) ?? 0) + 1);
  let strange = 0;
  for (const letter of name.toLowerCase()) {
    const left = letters.get(letter) ?? 0;
    if (left > 0) letters.set(letter, left - 1);
    else strange += 1;
  }
  return strange <= bound;
}

function getBaseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
