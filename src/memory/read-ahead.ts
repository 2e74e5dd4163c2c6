/** So many are being read while one is looked at. */
const AHEAD = 3;

/** How many slots `readAhead` uses. */
export const SLOTS = AHEAD + 1;

/**
 * What `read` makes of each value, in order, with the next ones already under way. A slot is a number below `SLOTS`;
 * it is used again only after what was read in it has been looked at.
 */
export async function* readAhead<T, R>(
  values: readonly T[],
  read: (value: T, slot: number) => Promise<R>,
): AsyncGenerator<Awaited<R>> {
  const underWay: Promise<R>[] = [];
  for (const [place, value] of values.entries()) {
    const started = read(value, place % SLOTS);
    started.catch(() => "It is thrown once its turn comes.");
    underWay.push(started);
    const first = underWay.length > AHEAD ? underWay.shift() : undefined;
    if (first !== undefined) yield await first;
  }
  for (const last of underWay) yield await last;
}
