/** The candidate that a mistyped name most likely means; undefined when none is close. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (!best || distance < best.distance) best = { candidate, distance };
  }
  const bound = Math.max(2, Math.floor(wanted.length / 3));
  return best && best.distance <= bound ? best.candidate : undefined;
}

/** True for a name that is surely one of these, misspelled; short names are too similar for that. */
export function isMisspelled(name: string, candidates: readonly string[]): boolean {
  const most = Math.max(1, Math.floor(name.length / 4));
  return (
    name.length >= 4 && candidates.some((one) => editDistance(name.toLowerCase(), one.toLowerCase()) <= most)
  );
}

/** Levenshtein distance, one row at a time. Names longer than this are told apart by it without looking further. */
const MAX_LENGTH = 200;

function editDistance(one: string, other: string): number {
  if (one.length > MAX_LENGTH || other.length > MAX_LENGTH) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const swap = (row[j - 1] as number) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, swap));
    }
    row = next;
  }
  return row[other.length] as number;
}
