import type { IncomingMessage } from "node:http";
import { type Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { WebError } from "../../core/ports/services.ts";

/** What came of an answer's body. */
export interface Body {
  readonly bytes: Buffer;
  /** It was longer than the limit, and ends there. */
  readonly isCut: boolean;
}

/** What `Accept-Encoding` says we can unpack. */
export const ENCODINGS = "gzip, br";

/** Nothing is packed in more layers than this by honest servers. */
const MOST_LAYERS = 2;

/** Reads an answer's body, unpacked. What is longer than `most` bytes, packed or unpacked, is left unread. Throws `WebError`. */
export async function readBody(
  answer: IncomingMessage,
  most: number,
  arrived: (bytes: number) => void = () => undefined,
): Promise<Body> {
  const layers = (answer.headers["content-encoding"] ?? "")
    .split(",")
    .map((layer) => layer.trim().toLowerCase())
    .filter((layer) => layer !== "" && layer !== "identity");
  if (layers.length > MOST_LAYERS)
    throw new WebError(`The answer is packed in ${layers.length} layers, so it was not unpacked.`);
  try {
    const stream = layers.length === 0 ? answer : unpacked(answer.pipe(atMost(most)), layers.toReversed());
    return await collected(stream, most, arrived);
  } finally {
    answer.destroy();
  }
}

/** The packed bytes alone are more than may be read. */
class TooMuch extends Error {}

/** Passes so many bytes on, and breaks off at the next. */
function atMost(most: number): Transform {
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length;
      if (length > most) done(new TooMuch());
      else done(null, chunk);
    },
  });
}

async function collected(stream: Readable, most: number, arrived: (bytes: number) => void): Promise<Body> {
  const chunks: Buffer[] = [];
  let length = 0;
  let isCut = false;
  try {
    for await (const chunk of stream) {
      const bytes: Buffer = chunk;
      const room = most - length;
      chunks.push(bytes.length > room ? bytes.subarray(0, room) : bytes);
      length += Math.min(bytes.length, room);
      arrived(length);
      isCut = bytes.length > room;
      if (isCut) break;
    }
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    isCut = true;
  }
  return { bytes: Buffer.concat(chunks, length), isCut };
}

/** The stream with its outermost layers taken off one after the other. */
function unpacked(stream: Readable, layers: readonly string[]): Readable {
  return layers.reduce((packed: Readable, layer) => {
    const unpacking = decompressor(layer, packed);
    packed.on("error", (error) => unpacking.destroy(error));
    return packed.pipe(unpacking);
  }, stream);
}

function decompressor(layer: string, packed: Readable) {
  switch (layer) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      packed.destroy();
      throw new WebError(`The answer is packed in a way that cannot be unpacked here (${layer}).`);
  }
}
