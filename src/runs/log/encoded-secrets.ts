import { once } from "../../core/base/async.ts";

/** Texts that may be encoded: base64 and hexadecimal digits, also in several lines, and parts of addresses. */
const BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}(?:(?:\r?\n|\\n)[A-Za-z0-9+/_-]{4,})*/g;
const HEX = /[0-9A-Fa-f]{16,}(?:(?:\r?\n|\\n)[0-9A-Fa-f]{2,})*/g;
const PERCENT = /(?<![\w.~!*'()+:@/-])[\w.~!*'()+:@/-]*(?:%[0-9A-Fa-f]{2}[\w.~!*'()+:@/-]*)+/g;

/** Shorter values aren't secrets: local servers accept `none` or `ollama` as a key. */
export const SHORTEST_SECRET = 8;

/** The characters of a secret in bytes: readable ones in a row, in UTF-16 with zeros between them. */
const READABLE = new RegExp(String.raw`(?:[!-~]\0?){${SHORTEST_SECRET}}`);

/** The bits of each digit, and the digits at which a byte may begin. */
const DIGITS = {
  base64: { bits: 6, starts: [0, 1, 2, 3] },
  hex: { bits: 4, starts: [0, 1] },
} as const;

const LINE_END = /\r?\n|\\n/g;

/** The start and end of a part of a text. */
export type TextSpan = readonly [start: number, end: number];

/** A decoded text, and the places of its parts in the encoded one. */
interface Decoded {
  readonly text: string;
  /** Only the first call goes through the encoded text: few texts have a secret, and some have thousands. */
  place(span: TextSpan): TextSpan;
}

/**
 * Replaces the parts of encoded texts that are secrets once they're decoded. They are decoded from each of their first digits on,
 * because text before them may look like a part of them.
 */
export function redactEncoded(
  text: string,
  find: (decoded: string) => readonly TextSpan[],
  redact: (encoded: string) => string,
): string {
  const replaced = (run: string, readings: readonly Decoded[]): string => {
    const spans = readings.flatMap((one) => find(one.text).map((span) => one.place(span)));
    let [shown, at] = ["", 0];
    for (const [start, end] of spans.sort(([a], [b]) => a - b)) {
      if (start < at) continue;
      shown += run.slice(at, start) + redact(run.slice(start, end));
      at = end;
    }
    return at === 0 ? run : shown + run.slice(at);
  };
  const inAddresses = text.includes("%")
    ? text.replace(PERCENT, (run) => replaced(run, unpercented(run)))
    : text;
  return inAddresses.replace(BASE64, (run) => {
    const shown = replaced(run, decoded(run, "base64"));
    if (shown !== run) return shown;
    return run.replace(HEX, (digits) => replaced(digits, decoded(digits, "hex")));
  });
}

/** The bytes that digits stand for, as text, from each of the first digits on; also read as UTF-16. */
function decoded(run: string, encoding: keyof typeof DIGITS): readonly Decoded[] {
  const { bits, starts } = DIGITS[encoding];
  const digits = run.replace(LINE_END, "");
  const places = once(() => digitPlaces(run));
  return starts.flatMap((from): readonly Decoded[] => {
    const text = Buffer.from(digits.slice(from), encoding).toString("latin1");
    if (!READABLE.test(text)) return [];
    const place = ([start, end]: TextSpan): TextSpan => {
      const last = Math.min(digits.length, from + Math.ceil((end * 8) / bits)) - 1;
      return [places()[from + Math.floor((start * 8) / bits)] ?? 0, (places()[last] ?? run.length) + 1];
    };
    if (!text.includes("\0")) return [{ text, place }];
    const letters = once(() => placesWhere(text.length, (at) => text[at] !== "\0"));
    return [
      { text, place },
      {
        text: text.replaceAll("\0", ""),
        place: ([start, end]) => place([letters()[start] ?? 0, (letters()[end - 1] ?? 0) + 1]),
      },
    ];
  });
}

/** The places of the digits among the line ends. */
function digitPlaces(run: string): Uint32Array {
  const isLineEnd = new Uint8Array(run.length);
  for (const { index, 0: end } of run.matchAll(LINE_END)) isLineEnd.fill(1, index, index + end.length);
  return placesWhere(run.length, (at) => isLineEnd[at] === 0);
}

/** In typed arrays, because a run may be a whole file. */
function placesWhere(length: number, holds: (at: number) => boolean): Uint32Array {
  const places = new Uint32Array(length);
  let count = 0;
  for (let at = 0; at < length; at++) if (holds(at)) places[count++] = at;
  return places.subarray(0, count);
}

function unpercented(run: string): readonly Decoded[] {
  const bytes = Buffer.allocUnsafe(run.length);
  let count = 0;
  for (let at = 0; at < run.length; count++) {
    const isEncoded = run[at] === "%";
    bytes[count] = isEncoded ? Number.parseInt(run.slice(at + 1, at + 3), 16) : run.charCodeAt(at);
    at += isEncoded ? 3 : 1;
  }
  if (count < SHORTEST_SECRET) return [];
  const text = bytes.toString("latin1", 0, count);
  const places = once(() => placesWhere(run.length, (at) => run[at - 1] !== "%" && run[at - 2] !== "%"));
  return [{ text, place: ([start, end]) => [places()[start] ?? 0, places()[end] ?? run.length] }];
}
