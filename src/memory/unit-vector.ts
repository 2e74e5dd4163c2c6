/** So close to one is one: what four-byte numbers can tell. */
const NEAR_ONE = 1e-6;

/** The vector scaled to length one; undefined when it has no direction: empty, zero, or with numbers that are none. */
export function unitVector(vector: Float32Array): Float32Array | undefined {
  const squares = squaresOf(vector);
  if (!Number.isFinite(squares) || squares < 1e-24) return undefined;
  if (Math.abs(squares - 1) < NEAR_ONE) return vector;
  const scale = 1 / Math.sqrt(squares);
  const unit = new Float32Array(vector.length);
  for (let i = 0; i < vector.length; i++) unit[i] = (vector[i] ?? 0) * scale;
  return unit;
}

/** Four sums at a time, as each would have to wait for its last addition. */
function squaresOf(vector: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < vector.length; i += 4) {
    a += (vector[i] ?? 0) ** 2;
    b += (vector[i + 1] ?? 0) ** 2;
    c += (vector[i + 2] ?? 0) ** 2;
    d += (vector[i + 3] ?? 0) ** 2;
  }
  return a + b + c + d;
}
