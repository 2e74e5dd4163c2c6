/** The vector scaled to length one, as a copy; undefined when it has no direction: empty, zero, or with numbers that are none. */
export function unitVector(vector: Float32Array): Float32Array | undefined {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!Number.isFinite(squares) || squares < 1e-24) return undefined;
  const scale = 1 / Math.sqrt(squares);
  return vector.map((value) => value * scale);
}
