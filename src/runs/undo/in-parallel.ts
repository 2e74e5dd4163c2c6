/** The number of files processed at a time: enough to keep the disk busy, few enough for the limit of open files. */
const AT_ONCE = 16;

/** Processes items, some at a time, and returns the results in order. */
export async function mapInParallel<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE)
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(act))));
  return results;
}
