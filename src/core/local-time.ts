let format: Intl.DateTimeFormat | undefined;

/** The local date and time as the model reads it. */
export function localTime(now: Date = new Date()): string {
  format ??= new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short" });
  return format.format(now);
}
