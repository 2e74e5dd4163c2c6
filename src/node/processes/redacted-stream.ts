/** A private key has several lines. An unfinished key is held back up to this length. */
const LONGEST_KEY = 16 * 1024;
/** Maximum text to hold back without a line end. */
const LONGEST_LINE = 64 * 1024;
/** Maximum length of a secret within a line. */
const LONGEST_SECRET = 4 * 1024;
/** Enough of a line to examine its end. */
const LONGEST_ENDING = 24;

/** The end of a line of base64 or hexadecimal digits. Its next line may contain the rest of a secret. */
const ENDS_ENCODED = /[A-Za-z0-9+/_-]{20}\r?\n$/;

const KEY_END = /-----END [A-Z0-9 ]{0,60}-----/;

/** Removes secrets from text that arrives in pieces. Possible beginnings of a secret are held back until its end arrives. */
export class RedactedStream {
  private readonly redact: (text: string) => string;
  private held = "";

  constructor(redact: (text: string) => string) {
    this.redact = redact;
  }

  /** Takes the next piece, and returns the text that can't change anymore. */
  add(text: string): string {
    this.held += text;
    const cut = this.cut();
    if (cut === 0) return "";
    const whole = this.redact(this.held.slice(0, cut));
    this.held = this.held.slice(cut);
    return whole;
  }

  /** The text held back so far, unredacted. */
  get rest(): string {
    return this.held;
  }

  /** Returns the rest. */
  finish(): string {
    const rest = this.redact(this.held);
    this.held = "";
    return rest;
  }

  /** Length of the text to release: whole lines except the beginning of a key, or most of an unfinished line. */
  private cut(): number {
    const line = this.findEncodedStart(this.held.lastIndexOf("\n") + 1);
    const key = this.held.lastIndexOf("-----BEGIN ");
    if (key !== -1 && this.held.length - key < LONGEST_KEY) {
      const end = KEY_END.exec(this.held.slice(key));
      if (!end || key + end.index + end[0].length > line) return Math.min(line, key);
    }
    return this.held.length - line > LONGEST_LINE ? this.findCutPlace(line) : line;
  }

  /** The start of consecutive encoded lines before `end`, since a secret may continue in the next line; `end` if there are none. */
  private findEncodedStart(end: number): number {
    let from = end;
    while (from > 0 && this.held.length - from <= LONGEST_LINE) {
      const before = from > 1 ? this.held.lastIndexOf("\n", from - 2) + 1 : 0;
      if (!ENDS_ENCODED.test(this.held.slice(Math.max(before, from - LONGEST_ENDING), from))) break;
      from = before;
    }
    return from;
  }

  /** A position in long or encoded lines that splits no secret: redacting both parts separately gives the same result. */
  private findCutPlace(line: number): number {
    const end = this.held.length - LONGEST_SECRET;
    const whole = this.redact(this.held.slice(line));
    for (let tries = 0, last = end; tries < 8 && last > line; tries++, last -= LONGEST_SECRET) {
      const lineStart = this.held.lastIndexOf("\n", last) + 1;
      const at = lineStart > line ? lineStart : last;
      const [before, after] = [this.held.slice(line, at), this.held.slice(at)];
      if (this.redact(before) + this.redact(after) === whole) return at;
    }
    return line;
  }
}
