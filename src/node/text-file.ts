import type { TextFile } from "../core/ports/model.ts";
import { WorkspaceError } from "../core/ports/model.ts";
import { guessEncodings, looksBinary, utf16WithoutBom } from "./encoding-guess.ts";

/** Byte order marks, the longer first. */
const MARKS: readonly { readonly encoding: string; readonly bytes: readonly number[] }[] = [
  { encoding: "utf-32le", bytes: [0xff, 0xfe, 0, 0] },
  { encoding: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { encoding: "utf-16le", bytes: [0xff, 0xfe] },
  { encoding: "utf-16be", bytes: [0xfe, 0xff] },
];

/** A file's bytes as text; undefined when they are none, or would not come back the same. */
export async function decodeText(bytes: Buffer): Promise<TextFile | undefined> {
  const mark = MARKS.find((candidate) => candidate.bytes.every((byte, index) => bytes[index] === byte));
  if (mark) return decodedAs(bytes, mark.encoding, mark.bytes.length);
  const utf8 = strictUtf8(bytes);
  if (utf8 !== undefined && !utf8.includes("\0")) return textFile(utf8, "utf-8", false);
  const wide = utf16WithoutBom(bytes);
  if (wide) return decodedAs(bytes, wide, 0);
  if (looksBinary(bytes)) return undefined;
  for (const encoding of await guessEncodings(bytes)) {
    const decoded = await decodedAs(bytes, encoding, 0);
    if (decoded) return decoded;
  }
  return undefined;
}

/** A text in its file's encoding. Throws a `WorkspaceError` when that has no sign for one of the characters. */
export async function encodeText({ text, encoding, bom }: TextFile): Promise<Buffer> {
  const mark = bom ? (MARKS.find((candidate) => candidate.encoding === encoding)?.bytes ?? []) : [];
  const bytes = await encoded(text, encoding);
  const back = await decoded(bytes, encoding);
  if (back !== text) {
    const stranger = [...text].find((character, index) => character !== [...back][index]) ?? "";
    throw new WorkspaceError(
      `The file is in ${encoding}, which has no "${stranger}", so nothing was written. Use only characters of that encoding.`,
    );
  }
  return Buffer.concat([Buffer.from(mark), bytes]);
}

/** The line end that most lines of a text have; `\n` when it has none. */
export function majorityEol(text: string): TextFile["eol"] {
  const ends = { "\n": countOf(text, "\n"), "\r": countOf(text, "\r"), "\r\n": 0 };
  if (ends["\r"] === 0) return "\n";
  ends["\r\n"] = countOf(text, "\r\n");
  const unix = ends["\n"] - ends["\r\n"];
  const mac = ends["\r"] - ends["\r\n"];
  if (ends["\r\n"] > 0 && ends["\r\n"] >= unix && ends["\r\n"] >= mac) return "\r\n";
  return mac > unix ? "\r" : "\n";
}

function countOf(text: string, piece: string): number {
  let count = 0;
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, at + piece.length)) count += 1;
  return count;
}

async function decodedAs(bytes: Buffer, encoding: string, skip: number): Promise<TextFile | undefined> {
  const body = bytes.subarray(skip);
  const text = await decoded(body, encoding);
  if (text.includes("\0") || !(await encoded(text, encoding)).equals(body)) return undefined;
  return textFile(text, encoding, skip > 0);
}

function textFile(text: string, encoding: string, bom: boolean): TextFile {
  return { text, encoding, bom, eol: majorityEol(text) };
}

function strictUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

async function decoded(bytes: Buffer, encoding: string): Promise<string> {
  if (encoding === "utf-8") return bytes.toString("utf8");
  const codecs = await iconv();
  return codecs.encodingExists(encoding) ? codecs.decode(bytes, encoding, { stripBOM: false }) : "\0";
}

async function encoded(text: string, encoding: string): Promise<Buffer> {
  if (encoding === "utf-8") return Buffer.from(text, "utf8");
  const codecs = await iconv();
  return codecs.encodingExists(encoding) ? codecs.encode(text, encoding) : Buffer.from(text, "utf8");
}

/** Its tables are large and seldom needed. */
async function iconv(): Promise<typeof import("iconv-lite")> {
  return (await import("iconv-lite")).default;
}
