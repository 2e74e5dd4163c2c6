/** The largest answers that a log requests are pages of 8 MB. */
const MOST_BYTES = 32 * 1024 * 1024;
/** A page of a thousand rows has fewer values. The library allocates space for as many as an answer announces. */
const MOST_VALUES = 100_000;
/** A status or an error. */
const MOST_LINE_BYTES = 64 * 1024;

const END_OF_LINE = 0x0a;

/**
 * Checks a Redis server's answers in RESP 2 before the library does, which keeps any number of bytes and trusts any length.
 * https://redis.io/docs/latest/develop/reference/protocol-spec/
 */
export class RedisAnswers {
  private bytes = 0;
  private values = 0;
  /** The remaining bytes of a text. */
  private left = 0;
  /** The beginning of an unfinished line. */
  private line = "";

  /** Call this before each command. */
  expect(): void {
    this.bytes = 0;
    this.values = 0;
  }

  /** False if there is too much data, or anything that isn't strictly of the protocol: the library might misread it. */
  canAcceptChunk(chunk: Buffer): boolean {
    this.bytes += chunk.length;
    if (this.bytes > MOST_BYTES) return false;
    for (let at = 0; at < chunk.length; ) {
      if (this.left > 0) {
        const taken = Math.min(this.left, chunk.length - at);
        this.left -= taken;
        at += taken;
        continue;
      }
      const end = chunk.indexOf(END_OF_LINE, at) + 1;
      this.line += chunk.toString("latin1", at, end || chunk.length);
      if (this.line.length > MOST_LINE_BYTES) return false;
      if (end === 0) break;
      if (!this.canAcceptLine(this.line)) return false;
      this.line = "";
      at = end;
    }
    return true;
  }

  private canAcceptLine(line: string): boolean {
    const [, kind, digits = ""] = /^([$*])(-1|\d{1,9})\r\n$/.exec(line) ?? [];
    if (kind === undefined) return /^(?:[-+][^\r]*|:[-+]?\d{1,20})\r\n$/.test(line);
    const length = Math.max(0, Number(digits));
    if (kind === "*") this.values += length;
    else if (digits !== "-1") this.left = length + "\r\n".length;
    return this.values <= MOST_VALUES;
  }
}
