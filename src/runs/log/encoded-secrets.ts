import { limitToOneCall } from "../../core/base/async.ts";

/** Texts that may be encoded: base64 and hexadecimal digits, also in several lines, and parts of addresses. */
const BASE64 = /[A-Za-z0-9+/_-]{16,}(?:(?:\r?\n|\\n)[A-Za-z0-9+/_-]{4,})*/y;
const HEX = /[0-9A-Fa-f]{16,}(?:(?:\r?\n|\\n)[0-9A-Fa-f]{2,})*/g;
const PERCENT = /[\w.~!*'()+:@/-]*(?:%[0-9A-Fa-f]{2}[\w.~!*'()+:@/-]*)+/y;
const OF_ADDRESS = /[\w.~!*'()+:@/-]/;

/** The shortest run of digits to check. */
const SHORTEST_RUN = 16;

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
  /** Finds a span in the encoded text. Only the first call scans that text: few texts contain a secret, and some contain thousands. */
  locateSpan(span: TextSpan): TextSpan;
}

/**
 * Replaces the parts of encoded texts that are secrets once they're decoded. Decodes from each of the first digits on, because text before
 * the secrets may look like a part of them.
 */
export function redactEncoded(
  text: string,
  find: (decoded: string) => readonly TextSpan[],
  redact: (encoded: string) => string,
): string {
  const redactReadings = (run: string, readings: readonly Decoded[]): string => {
    const spans = readings.flatMap((one) => find(one.text).map((span) => one.locateSpan(span)));
    let [shown, at] = ["", 0];
    for (const [start, end] of spans.sort(([a], [b]) => a - b)) {
      if (start < at) continue;
      shown += run.slice(at, start) + redact(run.slice(start, end));
      at = end;
    }
    return at === 0 ? run : shown + run.slice(at);
  };
  const inAddresses = replaceRuns(text, findPercentRuns(text), (run) => redactReadings(run, decodePercent(run)));
  return replaceRuns(inAddresses, findDigitRuns(inAddresses), (run) => {
    const shown = redactReadings(run, decodeDigits(run, "base64"));
    if (shown !== run) return shown;
    return run.replace(HEX, (digits) => redactReadings(digits, decodeDigits(digits, "hex")));
  });
}

function replaceRuns(text: string, runs: Iterable<TextSpan>, change: (run: string) => string): string {
  let [shown, at] = ["", 0];
  for (const [start, end] of runs) {
    const run = text.slice(start, end);
    const changed = change(run);
    if (changed === run) continue;
    shown += text.slice(at, start) + changed;
    at = end;
  }
  return at === 0 ? text : shown + text.slice(at);
}

/** Runs that `BASE64` matches. A loop finds their beginnings, which is many times faster than the expression alone. */
function* findDigitRuns(text: string): Generator<TextSpan> {
  const values = VALUES.base64;
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    if ((values[text.charCodeAt(at)] ?? 255) === 255) {
      length = 0;
      continue;
    }
    length++;
    if (length < SHORTEST_RUN) continue;
    BASE64.lastIndex = at - length + 1;
    BASE64.exec(text);
    const end = BASE64.lastIndex;
    yield [at - length + 1, end];
    at = end - 1;
    length = 0;
  }
}

/** Runs that `PERCENT` matches. */
function* findPercentRuns(text: string): Generator<TextSpan> {
  let last = 0;
  for (let at = text.indexOf("%"); at !== -1; at = text.indexOf("%", Math.max(at + 1, last))) {
    let start = at;
    while (start > last && OF_ADDRESS.test(text[start - 1] ?? "")) start--;
    PERCENT.lastIndex = start;
    if (!PERCENT.test(text)) continue;
    yield [start, PERCENT.lastIndex];
    last = PERCENT.lastIndex;
  }
}

/** Decodes digits to bytes, as text, from each of the first digits on; also reads them as UTF-16. */
function decodeDigits(run: string, encoding: keyof typeof DIGITS): readonly Decoded[] {
  const { bits, starts } = DIGITS[encoding];
  if (!mayBeReadable(run, encoding)) return [];
  const digits = run.replace(LINE_END, "");
  const places = limitToOneCall(() => listDigitPlaces(run));
  return starts.flatMap((from): readonly Decoded[] => {
    const text = Buffer.from(digits.slice(from), encoding).toString("latin1");
    if (!READABLE.test(text)) return [];
    const locateSpan = ([start, end]: TextSpan): TextSpan => {
      const last = Math.min(digits.length, from + Math.ceil((end * 8) / bits)) - 1;
      return [places()[from + Math.floor((start * 8) / bits)] ?? 0, (places()[last] ?? run.length) + 1];
    };
    if (!text.includes("\0")) return [{ text, locateSpan }];
    const letters = limitToOneCall(() => findPlaces(text.length, (at) => text[at] !== "\0"));
    return [
      { text, locateSpan },
      {
        text: text.replaceAll("\0", ""),
        locateSpan: ([start, end]) => locateSpan([letters()[start] ?? 0, (letters()[end - 1] ?? 0) + 1]),
      },
    ];
  });
}

/** The value of each ASCII digit, 255 for any other character. */
const VALUES = {
  base64: createDigitValues("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "-_"),
  hex: createDigitValues("0123456789abcdef", ""),
} as const;

function createDigitValues(digits: string, also: string): Uint8Array {
  const values = new Uint8Array(128).fill(255);
  for (const [value, digit] of [...digits].entries()) {
    values[digit.charCodeAt(0)] = value;
    if (digits.length === 16) values[digit.toUpperCase().charCodeAt(0)] = value;
  }
  for (const [index, digit] of [...also].entries()) values[digit.charCodeAt(0)] = 62 + index;
  return values;
}

/** False if the digits contain no readable text, from whichever digit they are read. Decodes nothing. */
function mayBeReadable(run: string, encoding: keyof typeof DIGITS): boolean {
  const { bits, starts } = DIGITS[encoding];
  const values = VALUES[encoding];
  const step = starts.length;
  // Readable characters in a row, by the digit that they were read from; a zero may follow each.
  const rows = new Uint8Array(step);
  const zeros = new Uint8Array(step);
  let window = 0;
  let count = 0;
  for (let at = 0; at < run.length; at++) {
    const value = values[run.charCodeAt(at)] ?? 255;
    if (value === 255) continue;
    window = ((window << bits) | value) & 0xffffff;
    count++;
    if (count * bits < 8) continue;
    // Of the last digits, the bytes that end in this one: one for hexadecimal digits, up to one for base64.
    for (let phase = 0; phase < step; phase++) {
      const used = (count - phase) * bits;
      if (used < 8) continue;
      const spare = used % 8;
      if (spare >= bits) continue;
      const byte = (window >> spare) & 0xff;
      if (byte === 0 && zeros[phase] === 0 && (rows[phase] ?? 0) > 0) zeros[phase] = 1;
      else {
        const isReadable = byte > 32 && byte < 127;
        rows[phase] = isReadable ? (rows[phase] ?? 0) + 1 : 0;
        zeros[phase] = 0;
        if ((rows[phase] ?? 0) >= SHORTEST_SECRET) return true;
      }
    }
  }
  return false;
}

/** The places of the digits among the line ends. */
function listDigitPlaces(run: string): Uint32Array {
  const isLineEnd = new Uint8Array(run.length);
  for (const { index, 0: end } of run.matchAll(LINE_END)) isLineEnd.fill(1, index, index + end.length);
  return findPlaces(run.length, (at) => isLineEnd[at] === 0);
}

/** Returns places in typed arrays, because a run may be a whole file. */
function findPlaces(length: number, holds: (at: number) => boolean): Uint32Array {
  const places = new Uint32Array(length);
  let count = 0;
  for (let at = 0; at < length; at++) if (holds(at)) places[count++] = at;
  return places.subarray(0, count);
}

function decodePercent(run: string): readonly Decoded[] {
  const bytes = Buffer.allocUnsafe(run.length);
  let count = 0;
  for (let at = 0; at < run.length; count++) {
    const isEncoded = run[at] === "%";
    bytes[count] = isEncoded ? Number.parseInt(run.slice(at + 1, at + 3), 16) : run.charCodeAt(at);
    at += isEncoded ? 3 : 1;
  }
  if (count < SHORTEST_SECRET) return [];
  const text = bytes.toString("latin1", 0, count);
  const places = limitToOneCall(() => findPlaces(run.length, (at) => run[at - 1] !== "%" && run[at - 2] !== "%"));
  return [{ text, locateSpan: ([start, end]) => [places()[start] ?? 0, places()[end] ?? run.length] }];
}
