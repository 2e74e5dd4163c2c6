/**
 * The approximate length of a vector in an index. Vectra only compares directions. Whole numbers of this size take a
 * third of the bytes, and are written and read several times as fast.
 */
const LENGTH = 10_000;

/** Converts a vector of length one to the whole numbers that an index stores. */
export function convertToWholeNumbers(unit: Float32Array): number[] {
  const numbers: number[] = new Array(unit.length);
  for (let i = 0; i < unit.length; i++) numbers[i] = Math.round((unit[i] ?? 0) * LENGTH);
  return numbers;
}

/** Rounds a vector as an index does, so that searches give the same results before and after writing. */
export function roundStoredVector(unit: Float32Array): Float32Array {
  const stored = new Float32Array(unit.length);
  let squares = 0;
  for (let i = 0; i < unit.length; i++) {
    const whole = Math.round((unit[i] ?? 0) * LENGTH);
    stored[i] = whole;
    squares += whole ** 2;
  }
  if (!hasDirection(squares)) return unit;
  const scale = 1 / Math.sqrt(squares);
  for (let i = 0; i < stored.length; i++) stored[i] = (stored[i] ?? 0) * scale;
  return stored;
}

/** Scales numbers to length one. Undefined if all are zero or if they aren't numbers. */
export function computeUnitVector(numbers: readonly unknown[]): Float32Array | undefined {
  let squares = 0;
  for (const value of numbers) squares += typeof value === "number" ? value ** 2 : Number.NaN;
  if (!hasDirection(squares)) return undefined;
  const scale = 1 / Math.sqrt(squares);
  const unit = new Float32Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) unit[i] = Number(numbers[i]) * scale;
  return unit;
}

function hasDirection(squares: number): boolean {
  return Number.isFinite(squares) && squares >= 1e-24;
}
