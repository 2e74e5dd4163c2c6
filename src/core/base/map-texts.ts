/** Changes every text in a JSON value; parts without a changed text stay the same objects. */
export function mapTexts<T>(value: T, change: (text: string) => string): T;
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  return replaceValues(value, (part) => (typeof part === "string" ? change(part) : part));
}

/** Replaces any parts of a JSON value; doesn't visit the contents of a replacement. */
export function replaceValues(value: unknown, change: (value: unknown) => unknown): unknown {
  const replaced = change(value);
  if (replaced !== value) return replaced;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => replaceValues(item, change));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value);
  const changed = fields.map(([name, field]) => [name, replaceValues(field, change)] as const);
  return changed.some(([, field], index) => field !== fields[index]?.[1]) ? Object.fromEntries(changed) : value;
}

/** True if any text in a JSON value matches. */
export function hasMatchingText(value: unknown, fits: (text: string) => boolean): boolean {
  if (typeof value === "string") return fits(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((field) => hasMatchingText(field, fits));
}
