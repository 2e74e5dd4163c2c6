import { setImmediate as untilIdle } from "node:timers/promises";
import { displayText } from "../../texts/display-text.ts";
import { MemoryError } from "../store/memory-error.ts";
import { type Scored, TopScores } from "./ranking.ts";
import { type Dots, scanKernel } from "./scan-kernel.ts";

/** The precision of 32-bit floats: a length this close to one counts as one. */
const NEAR_ONE = 1e-6;

/** The vector scaled to length one; undefined if it has no direction: empty, zero, or with NaN. */
export function scaleToUnitVector(vector: Float32Array): Float32Array | undefined {
  const squares = sumSquares(vector);
  if (!Number.isFinite(squares) || squares < 1e-24) return undefined;
  if (Math.abs(squares - 1) < NEAR_ONE) return vector;
  const scale = 1 / Math.sqrt(squares);
  const unit = new Float32Array(vector.length);
  for (let i = 0; i < vector.length; i++) unit[i] = (vector[i] ?? 0) * scale;
  return unit;
}

/** Uses four sums, because each addition to a single sum would wait for the previous one. */
function sumSquares(vector: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < vector.length; i += 4) {
    a += (vector[i] ?? 0) ** 2;
    b += (vector[i + 1] ?? 0) ** 2;
    c += (vector[i + 2] ?? 0) ** 2;
    d += (vector[i + 3] ?? 0) ** 2;
  }
  return a + b + c + d;
}

const PAGE_BYTES = 65536;
const MAX_PAGES = 65536;
/** Rows are padded with zeros to a multiple of this, as the kernel requires. */
const LANES = 16;
/** The limits for one call of the kernel, in rows and in bytes; after each call, the event loop gets a turn. */
const BLOCK_ROWS = 4096;
const BLOCK_BYTES = 8 * 1024 * 1024;

/** Unit vectors of one size in consecutive memory, each with its owner; queries scan all of them. */
export class VectorMatrix<T> {
  readonly dimensions: number;
  private readonly stride: number;
  private readonly firstRow: number;
  private readonly memory: WebAssembly.Memory;
  private readonly dots: Dots;
  private readonly owners: T[] = [];
  private floats: Float32Array;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.stride = Math.ceil(dimensions / LANES) * LANES;
    this.firstRow = this.stride + BLOCK_ROWS;
    const initial = Math.ceil((this.firstRow * 4) / PAGE_BYTES);
    this.memory = new WebAssembly.Memory({ initial, maximum: MAX_PAGES });
    this.floats = new Float32Array(this.memory.buffer);
    this.dots = scanKernel(this.memory);
  }

  get rows(): number {
    return this.owners.length;
  }

  /** Adds a unit vector and returns its row. Throws `MemoryError` if there is no space left. */
  append(owner: T, vector: Float32Array): number {
    const row = this.owners.length;
    this.makeRoom((this.getRowStart(row) + this.stride) * 4);
    this.floats.set(vector, this.getRowStart(row));
    this.owners.push(owner);
    return row;
  }

  replace(row: number, vector: Float32Array): void {
    this.floats.set(vector, this.getRowStart(row));
  }

  /** Removes a row. The last row moves into its place, and its owner is returned unless the removed row was the last. */
  remove(row: number): T | undefined {
    const last = this.owners.length - 1;
    const moved = this.owners.pop();
    if (row === last || moved === undefined) return undefined;
    this.floats.copyWithin(this.getRowStart(row), this.getRowStart(last), this.getRowStart(last) + this.stride);
    this.owners[row] = moved;
    return moved;
  }

  /** A copy of a row's vector. */
  copyVector(row: number): Float32Array {
    return this.floats.slice(this.getRowStart(row), this.getRowStart(row) + this.dimensions);
  }

  /** The cosine of two rows. */
  computeSimilarity(row: number, other: number): number {
    const [a, b] = [this.getRowStart(row), this.getRowStart(other)];
    let sum = 0;
    for (let i = 0; i < this.dimensions; i++) sum += (this.floats[a + i] ?? 0) * (this.floats[b + i] ?? 0);
    return sum;
  }

  /** The owners of the rows closest to a unit vector, closest first, each with its cosine. */
  async findNearest(
    query: Float32Array,
    count: number,
    isWanted: (owner: T) => boolean = () => true,
  ): Promise<readonly Scored<T>[]> {
    const best = new TopScores<T>(count);
    const rows = Math.min(BLOCK_ROWS, Math.ceil(BLOCK_BYTES / (this.stride * 4)));
    for (let first = 0; first < this.owners.length; first += rows) {
      if (first > 0) await untilIdle();
      this.scoreBlock(query, first, rows, best, isWanted);
    }
    return best.list();
  }

  /** Copies the query before each block, because another query may have run in between. */
  private scoreBlock(
    query: Float32Array,
    first: number,
    most: number,
    best: TopScores<T>,
    isWanted: (owner: T) => boolean,
  ): void {
    const rows = Math.min(most, this.owners.length - first);
    this.floats.fill(0, 0, this.stride);
    this.floats.set(query, 0);
    this.dots(0, this.getRowStart(first) * 4, rows, this.stride * 4, this.stride * 4);
    let floor = best.floor;
    for (let i = 0; i < rows; i++) {
      const score = this.floats[this.stride + i] ?? 0;
      const owner = this.owners[first + i];
      if (!(score > floor) || owner === undefined || !isWanted(owner)) continue;
      best.offer(owner, score);
      floor = best.floor;
    }
  }

  /** The start of a row, in numbers from the start of the memory. */
  private getRowStart(row: number): number {
    return this.firstRow + row * this.stride;
  }

  private makeRoom(bytes: number): void {
    const has = this.memory.buffer.byteLength;
    if (bytes <= has) return;
    const pages = Math.min(MAX_PAGES, Math.ceil(Math.max(bytes, has * 1.5) / PAGE_BYTES));
    try {
      this.memory.grow(pages - has / PAGE_BYTES);
    } catch (error) {
      throw new MemoryError(displayText("trouble.memoryFull"), {
        cause: error,
      });
    }
    this.floats = new Float32Array(this.memory.buffer);
  }
}
