/** So many files are worked on at a time: enough to share the disk's waits, few enough to keep to the limit of open files. */
const AT_ONCE = 16;

/** Does the same with each item, some at a time, and gives what came of them in their order. */
export async function inParallel<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE)
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(act))));
  return results;
}
