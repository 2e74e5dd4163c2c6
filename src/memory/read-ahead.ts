/** So many are being read while one is looked at. */
const AHEAD = 3;

/** What `read` makes of each value, in order, with the next ones already under way. */
export async function* readAhead<T, R>(
  values: readonly T[],
  read: (value: T) => Promise<R>,
): AsyncGenerator<Awaited<R>> {
  const underWay: Promise<R>[] = [];
  for (const value of values) {
    const started = read(value);
    started.catch(() => "It is thrown once its turn comes.");
    underWay.push(started);
    const first = underWay.length > AHEAD ? underWay.shift() : undefined;
    if (first !== undefined) yield await first;
  }
  for (const last of underWay) yield await last;
}
