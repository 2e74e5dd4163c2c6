/** A private key runs over several lines; one that has not ended is waited for so long. */
const LONGEST_KEY = 16 * 1024;
/** Without an end of a line so much is waited for. */
const LONGEST_LINE = 64 * 1024;
/** A secret within a line is no longer than this. */
const LONGEST_SECRET = 4 * 1024;

const KEY_END = /-----END [A-Z0-9 ]{0,60}-----/;

/** Takes secrets out of a text that comes in pieces. What could be the beginning of a secret is held back until its end has come. */
export class RedactedStream {
  private readonly redact: (text: string) => string;
  private held = "";

  constructor(redact: (text: string) => string) {
    this.redact = redact;
  }

  /** Takes the next piece, and gives back what of the text so far cannot change any more. */
  add(text: string): string {
    this.held += text;
    const cut = this.cut();
    if (cut === 0) return "";
    const whole = this.redact(this.held.slice(0, cut));
    this.held = this.held.slice(cut);
    return whole;
  }

  /** What is held back as yet, as it came. */
  get rest(): string {
    return this.held;
  }

  /** The rest. */
  finish(): string {
    const rest = this.redact(this.held);
    this.held = "";
    return rest;
  }

  /** How much can be given away: whole lines but for the beginning of a key, or most of a line that does not end. */
  private cut(): number {
    const line = this.held.lastIndexOf("\n") + 1;
    const key = this.held.lastIndexOf("-----BEGIN ");
    if (key !== -1 && this.held.length - key < LONGEST_KEY) {
      const end = KEY_END.exec(this.held.slice(key));
      if (!end || key + end.index + end[0].length > line) return Math.min(line, key);
    }
    return this.held.length - line > LONGEST_LINE ? this.cutInLine(line) : line;
  }

  /** A place in a long line where nothing is cut in two: both parts come out as they would together. */
  private cutInLine(line: number): number {
    const end = this.held.length - LONGEST_SECRET;
    const whole = this.redact(this.held.slice(line));
    for (let tries = 0, at = end; tries < 8 && at > line; tries++, at -= LONGEST_SECRET) {
      const [before, after] = [this.held.slice(line, at), this.held.slice(at)];
      if (this.redact(before) + this.redact(after) === whole) return at;
    }
    return line;
  }
}
