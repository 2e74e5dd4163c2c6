const THOUSANDS = new Intl.NumberFormat("en-US");

/** A count as people read it: `12,345`. */
export function count(number: number): string {
  return THOUSANDS.format(number);
}

/** A count with its noun: `1 line`, `12,345 lines`. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${count(number)} ${number === 1 ? noun : plural}`;
}

/** A size as people read it: `512 bytes`, `1.5 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return counted(bytes, "byte");
  const units = ["kB", "MB", "GB", "TB"];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** power).toPrecision(2))} ${units[power - 1]}`;
}
