// Draws media/icon.png, the picture of the gallery: the mark of icon.svg in white on blue. `node scripts/make-icon.mjs`
// gives the same pixels everywhere, because it needs nothing but arithmetic.
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

const SIZE = 256;
/** Looks into each pixel this many times in both directions. */
const SAMPLES = 4;
/** The mark is drawn on a grid of 24 by 24, as in icon.svg, this much smaller than the picture. */
const SCALE = SIZE / 31;
const MIDDLE = [12, 11.7];
const HALF_STROKE = 0.95;
const CORNER = 56;
const TOP = [76, 141, 255];
const BOTTOM = [38, 72, 190];
const MARK = [255, 255, 255];

const LINES = [
  ...polyline([3.25, 20.25], [10.4, 4.2]),
  ...arc([12, 4.91], 1.75, 204, 336),
  ...polyline([13.6, 4.2], [20.75, 20.25]),
  ...polyline([9.1, 15.1], [11.5, 17.5], [15, 13.4]),
];

fs.writeFileSync(path.join(import.meta.dirname, "../media/icon.png"), png(SIZE, pixels()));

/** Straight pieces of an arc, in degrees, clockwise as they grow. */
function arc([x, y], radius, from, to) {
  const pieces = 60;
  const point = (index) => {
    const angle = ((from + ((to - from) * index) / pieces) * Math.PI) / 180;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  };
  return polyline(...Array.from({ length: pieces + 1 }, (_, index) => point(index)));
}

function polyline(...points) {
  return points.slice(1).map((end, index) => [points[index], end]);
}

function pixels() {
  const rows = Buffer.alloc(SIZE * (SIZE * 4 + 1));
  for (let y = 0; y < SIZE; y++) for (let x = 0; x < SIZE; x++) rows.set(pixel(x, y), y * (SIZE * 4 + 1) + 1 + x * 4);
  return rows;
}

/** Red, green, blue and opacity: the mean of what the samples see. */
function pixel(x, y) {
  let square = 0;
  let mark = 0;
  for (let sample = 0; sample < SAMPLES * SAMPLES; sample++) {
    const at = [x + ((sample % SAMPLES) + 0.5) / SAMPLES, y + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES];
    square += inSquare(at) ? 1 : 0;
    mark += inMark(at) ? 1 : 0;
  }
  const share = mark / SAMPLES ** 2;
  const down = y / (SIZE - 1);
  const colour = MARK.map((white, index) =>
    Math.round(white * share + (TOP[index] * (1 - down) + BOTTOM[index] * down) * (1 - share)),
  );
  return [...colour, Math.round((255 * square) / SAMPLES ** 2)];
}

function inSquare([x, y]) {
  const half = SIZE / 2;
  const beyond = (value) => Math.max(Math.abs(value - half) - (half - CORNER), 0);
  return Math.hypot(beyond(x), beyond(y)) <= CORNER;
}

function inMark([x, y]) {
  const point = [(x - SIZE / 2) / SCALE + MIDDLE[0], (y - SIZE / 2) / SCALE + MIDDLE[1]];
  return LINES.some(([start, end]) => distance(point, start, end) <= HALF_STROKE);
}

function distance([x, y], [x1, y1], [x2, y2]) {
  const length2 = (x2 - x1) ** 2 + (y2 - y1) ** 2;
  const along = Math.min(1, Math.max(0, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length2));
  return Math.hypot(x - x1 - along * (x2 - x1), y - y1 - along * (y2 - y1));
}

/** A picture of 8 bits a channel with opacity; each row begins with its filter, which is none. */
function png(size, rows) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", zlib.deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  const sum = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(zlib.crc32(body));
  return Buffer.concat([length, body, sum]);
}
