/** A value without the times that commands took, which outcomes tell on a slow machine. */
export function withoutTimes<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replace(/(Exit code \d+) after [\d.]+ s\./g, "$1."));
}
