import { likeliestEncodings } from "./encoding-likeness.ts";

/** So much of a file is looked at to tell what it is. */
const SAMPLE_BYTES = 64 * 1024;

/** Below this share of odd bytes a file may still be text in an old encoding. */
const CONTROL_SHARE = 0.005;

/** The wide encoding of a file that has no byte order mark but a NUL in every other byte, as Latin text has. */
export function utf16WithoutBom(bytes: Buffer): "utf-16le" | "utf-16be" | undefined {
  if (bytes.length < 4 || bytes.length % 2 !== 0) return undefined;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const nuls = [0, 0];
  for (const [index, byte] of sample.entries()) if (byte === 0) nuls[index % 2] = (nuls[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = nuls;
  const most = sample.length * 0.4;
  if (odd >= most && even === 0) return "utf-16le";
  return even >= most && odd === 0 ? "utf-16be" : undefined;
}

/** True for bytes that no text in a narrow encoding has. */
export function looksBinary(bytes: Buffer): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (bytes.includes(0)) return true;
  const odd = sample.filter((byte) => (byte < 32 && !TEXT_CONTROLS.has(byte)) || byte === 127).length;
  return odd > sample.length * CONTROL_SHARE;
}

/** Tab, line ends, form feed, escape. */
const TEXT_CONTROLS: ReadonlySet<number> = new Set([9, 10, 12, 13, 27]);

/** Statistics of letters tell nothing of fewer odd bytes than this. */
const FEW_ODD_BYTES = 100;

/** The narrow encodings a text may be in, likeliest first; the last one takes any bytes. */
export async function guessEncodings(bytes: Buffer): Promise<readonly string[]> {
  const { analyse } = (await import("chardet")).default;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const isShort = sample.filter((byte) => byte > 127).length < FEW_ODD_BYTES;
  const telling = isShort ? linesWithOddBytes(sample) : sample;
  const guessed = analyse(telling)
    .map(({ name }) => name.toLowerCase())
    .filter((name) => !name.startsWith("utf") && !name.startsWith("iso-2022"));
  const likeliest = isShort
    ? likeliestEncodings(telling, guessed, (await import("iconv-lite")).default)
    : guessed;
  return [...likeliest, "windows-1252", "iso-8859-1"];
}

function linesWithOddBytes(bytes: Buffer): Buffer {
  const lines = bytes.toString("latin1").split("\n");
  return Buffer.from(lines.filter((line) => /[\x80-\xff]/.test(line)).join("\n"), "latin1");
}
