/** Texts that may be encoded: base64 and hexadecimal digits, also in several lines, and parts of addresses. */
const BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}(?:(?:\r?\n|\\n)[A-Za-z0-9+/_-]{4,})*/g;
const HEX = /[0-9A-Fa-f]{16,}(?:(?:\r?\n|\\n)[0-9A-Fa-f]{2,})*/g;
const PERCENT = /(?<![\w.~!*'()+:@/-])[\w.~!*'()+:@/-]*(?:%[0-9A-Fa-f]{2}[\w.~!*'()+:@/-]*)+/g;

/** Every secret has at least this many readable characters in a row, in UTF-16 with zeros between them. */
const READABLE = /(?:[!-~]\0?){8}/;

const LINE_END = /\r?\n|\\n/g;

/** The start and end of a part of a text. */
export type TextSpan = readonly [start: number, end: number];

/** A decoded text, and the places of its parts in the encoded one. */
interface Decoded {
  readonly text: string;
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
  const replaced = (run: string, decoded: readonly Decoded[]): string => {
    const spans = decoded.flatMap((one) => find(one.text).map((span) => one.place(span)));
    let [shown, at] = ["", 0];
    for (const [start, end] of spans.sort(([a], [b]) => a - b)) {
      if (start < at) continue;
      shown += run.slice(at, start) + redact(run.slice(start, end));
      at = end;
    }
    return at === 0 ? run : shown + run.slice(at);
  };
  const inAddresses = text.includes("%")
    ? text.replace(PERCENT, (run) => replaced(run, [unpercented(run)]))
    : text;
  return inAddresses.replace(BASE64, (run) => {
    const shown = replaced(
      run,
      [0, 1, 2, 3].flatMap((from) => fromDigits(run, "base64", from, 6)),
    );
    if (shown !== run) return shown;
    return run.replace(HEX, (digits) =>
      replaced(
        digits,
        [0, 1].flatMap((from) => fromDigits(digits, "hex", from, 4)),
      ),
    );
  });
}

/** The bytes that digits of `bits` bits each stand for, as text; also read as UTF-16. */
function fromDigits(run: string, encoding: "hex" | "base64", from: number, bits: number): readonly Decoded[] {
  const digits = run.replace(LINE_END, "").slice(from);
  const text = Buffer.from(digits, encoding).toString("latin1");
  if (!READABLE.test(text)) return [];
  const place = ([start, end]: TextSpan): TextSpan => {
    const places = digitPlaces(run).slice(from);
    const last = Math.min(places.length, Math.ceil((end * 8) / bits)) - 1;
    return [places[Math.floor((start * 8) / bits)] ?? 0, (places[last] ?? run.length) + 1];
  };
  if (!text.includes("\0")) return [{ text, place }];
  return [
    { text, place },
    {
      text: text.replaceAll("\0", ""),
      place: ([start, end]) => {
        const letters = [...text].flatMap((letter, at) => (letter === "\0" ? [] : [at]));
        return place([letters[start] ?? 0, (letters[end - 1] ?? 0) + 1]);
      },
    },
  ];
}

/** The places of the digits among the line ends. */
function digitPlaces(run: string): readonly number[] {
  const isDigit = Array.from(run, () => true);
  for (const { index, 0: end } of run.matchAll(LINE_END)) isDigit.fill(false, index, index + end.length);
  return isDigit.flatMap((digit, at) => (digit ? [at] : []));
}

function unpercented(run: string): Decoded {
  const letters = [...run.matchAll(/%([0-9A-Fa-f]{2})|./gs)];
  return {
    text: letters
      .map(([whole, hex]) => (hex === undefined ? whole : String.fromCharCode(Number.parseInt(hex, 16))))
      .join(""),
    place: ([start, end]) => {
      const last = letters[end - 1];
      return [letters[start]?.index ?? 0, last ? last.index + last[0].length : run.length];
    },
  };
}
