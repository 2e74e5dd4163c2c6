import { isHuge, type PictureFormat, readPictureFormat } from "./pictures.ts";
import { formatCount } from "./text.ts";

/** Services accept 5 MB in base64, which is a third larger. */
const MAX_SHOWN_BYTES = 3_750_000;
/** Services refuse pictures with more pixels on a side, and scale others down themselves. */
const MAX_SHOWN_SIDE = 8_000;

/** A picture in a form that models take. */
export interface StillPicture {
  readonly data: Uint8Array;
  readonly format: PictureFormat;
  /** The picture is the first frame of an animation. */
  readonly isFrame: boolean;
}

/** Reads the picture in a file, or returns a clause on why it can't be shown. Decodes nothing, so false sizes in a header cost nothing. */
export function readStillPicture(bytes: Uint8Array): StillPicture | { readonly why: string } {
  const format = readPictureFormat(bytes);
  if (!format) return { why: "it's no PNG, JPEG, GIF or WebP picture, or it's damaged" };
  const { width, height, mediaType } = format;
  if (isHuge(format) || Math.max(width, height) > MAX_SHOWN_SIDE)
    return {
      why: `it has ${width} x ${height} pixels, and at most ${formatCount(MAX_SHOWN_SIDE)} on a side can be shown; have a program make it smaller`,
    };
  if (bytes.length > MAX_SHOWN_BYTES)
    return {
      why: `it has ${(bytes.length / 1e6).toFixed(1)} MB, and at most ${MAX_SHOWN_BYTES / 1e6} MB can be shown; have a program make it smaller`,
    };
  if (mediaType === "image/gif") return readStillGif(bytes, format);
  if (!isWhole(bytes, mediaType)) return { why: "its file is cut off or damaged" };
  if (mediaType === "image/webp" && isAnimatedWebp(bytes))
    return { why: "it's animated; have a program save a frame of it as PNG" };
  return { data: bytes, format, isFrame: false };
}

/** True if the bytes that end a picture's file are present. Programs may have appended other bytes. */
function isWhole(bytes: Uint8Array, mediaType: PictureFormat["mediaType"]): boolean {
  if (mediaType === "image/png") return hasFinalBytes(bytes, "IEND");
  if (mediaType === "image/jpeg") return hasFinalBytes(bytes, "\xff\xd9");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.getUint32(4, true) + 8 <= bytes.length;
}

function hasFinalBytes(bytes: Uint8Array, end: string): boolean {
  const codes = [...end].map((char) => char.charCodeAt(0));
  for (let at = bytes.length - codes.length; at > 0; at--)
    if (codes.every((code, index) => bytes[at + index] === code)) return true;
  return false;
}

const ANIMATION_FLAG = 0x02;

function isAnimatedWebp(bytes: Uint8Array): boolean {
  return String.fromCharCode(...bytes.subarray(12, 16)) === "VP8X" && ((bytes[20] ?? 0) & ANIMATION_FLAG) > 0;
}

const IMAGE = 0x2c;
const EXTENSION = 0x21;
const TRAILER = 0x3b;

/** Reduces a GIF to its first frame, because some services refuse animations. */
function readStillGif(bytes: Uint8Array, format: PictureFormat): StillPicture | { readonly why: string } {
  let at = 13 + measureColorTable(bytes[10]);
  while (bytes[at] === EXTENSION) at = skipBlocks(bytes, at + 2);
  const end = bytes[at] === IMAGE ? skipBlocks(bytes, at + 11 + measureColorTable(bytes[at + 9])) : bytes.length + 1;
  if (end > bytes.length) return { why: "its file is cut off or damaged" };
  at = end;
  while (bytes[at] === EXTENSION) at = skipBlocks(bytes, at + 2);
  if (bytes[at] === TRAILER) return { data: bytes, format, isFrame: false };
  return { data: Uint8Array.from([...bytes.subarray(0, end), TRAILER]), format, isFrame: true };
}

/** Bytes of a color table, according to the flags before it. */
function measureColorTable(flags = 0): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0;
}

/** Returns the index after a series of length-prefixed blocks; past the end if the file is cut off. */
function skipBlocks(bytes: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    const length = bytes[at];
    if (length === undefined) return bytes.length + 1;
    at += 1 + length;
    if (length === 0) return at;
  }
}
