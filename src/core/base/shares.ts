/** Divides `total` fairly: modest requests are met in full, and the others share the rest equally. */
export function computeFairShares(wanted: readonly number[], total: number): readonly number[] {
  const shares = wanted.map(() => 0);
  const order = wanted.map((_, index) => index).toSorted((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  let left = total;
  order.forEach((index, position) => {
    const share = Math.min(wanted[index] ?? 0, left / (order.length - position));
    shares[index] = Number.isFinite(share) ? Math.floor(share) : share;
    left -= shares[index] ?? 0;
  });
  return shares;
}
