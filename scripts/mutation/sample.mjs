import crypto from "node:crypto";

/** At most `size` of the items, the same ones for the same seed, in their order. */
export function sampled(items, size, seed) {
  const rank = (at) => crypto.createHash("sha256").update(`${seed} ${at}`).digest("hex");
  const chosen = new Set(
    items
      .map((_, at) => ({ at, rank: rank(at) }))
      .sort((a, b) => (a.rank < b.rank ? -1 : 1))
      .slice(0, size)
      .map(({ at }) => at),
  );
  return items.filter((_, at) => chosen.has(at));
}
