import type { FileHandle } from "node:fs/promises";
import { createPrivateFile } from "../files/private-file.ts";
import { cleanTerminalOutput } from "./outputs.ts";
import { RedactedStream } from "./redacted-stream.ts";

/** The model reads this many characters from the beginning, and as many from the end. */
const HALF = 24_000;

/** Twice as much is buffered while output arrives, because colors and progress bars take up space as well. */
const RAW_HALF = 2 * HALF;

/** Maximum size of the file. */
const FILE_BYTES = 100 * 1024 * 1024;

/** A command's output: its beginning and end in memory, and all of it in a file. */
export class CapturedOutput {
  bytes = 0;
  private readonly path: string;
  private readonly fileBytes: number;
  private readonly redacted: RedactedStream;
  private readonly decoder = new TextDecoder();
  private kept = 0;
  private file: FileHandle | "none" | undefined;
  private head = "";
  private tail = "";
  private isCut = false;

  /** `redact` removes secrets before the file is written. */
  constructor(path: string, redact: (text: string) => string = (text) => text, fileBytes = FILE_BYTES) {
    this.path = path;
    this.fileBytes = fileBytes;
    this.redacted = new RedactedStream(redact);
  }

  /** Takes the next piece and returns it as text. */
  async add(chunk: Buffer): Promise<string> {
    this.bytes += chunk.length;
    const text = this.decoder.decode(chunk, { stream: true });
    this.remember(text);
    await this.keep(this.redacted.add(text));
    return text;
  }

  /** The text for the model, and the file if the text is incomplete. */
  async finish(): Promise<{ readonly output: string; readonly bytes: number; readonly file?: string }> {
    const last = this.decoder.decode();
    this.remember(last);
    await this.keep(this.redacted.add(last) + this.redacted.finish());
    const isKept = this.file !== undefined && this.file !== "none";
    if (typeof this.file === "object") await this.file.close();
    const { output, isWhole } = this.getShownOutput();
    return { output, bytes: this.bytes, ...(isWhole || !isKept ? {} : { file: this.path }) };
  }

  private getShownOutput(): { readonly output: string; readonly isWhole: boolean } {
    const whole = this.isCut ? undefined : cleanTerminalOutput(this.head + this.tail);
    if (whole !== undefined && whole.length <= 2 * HALF) return { output: whole, isWhole: true };
    const head = (whole ?? cleanTerminalOutput(this.head)).slice(0, HALF);
    const tail = (whole ?? cleanTerminalOutput(this.tail)).slice(-HALF);
    return { output: `${head}\n[… the middle is left out here …]\n${tail}`, isWhole: false };
  }

  private remember(text: string): void {
    const room = RAW_HALF - this.head.length;
    this.head += text.slice(0, room);
    this.tail += room >= text.length ? "" : text.slice(Math.max(0, room));
    if (this.tail.length <= RAW_HALF) return;
    this.isCut = true;
    if (this.tail.length > 2 * RAW_HALF) this.tail = this.tail.slice(-RAW_HALF);
  }

  /** Writes to the file. If that fails, the command continues without a file. */
  private async keep(text: string): Promise<void> {
    const room = this.fileBytes - this.kept;
    if (this.file === "none" || room <= 0 || text === "") return;
    try {
      this.file ??= await createPrivateFile(this.path);
      const bytes = Buffer.from(text);
      await this.file.write(bytes.subarray(0, room));
      this.kept += bytes.length;
      if (bytes.length >= room) await this.file.write(FULL);
    } catch {
      if (typeof this.file === "object") await this.file.close().catch(() => undefined);
      this.file = "none";
    }
  }
}

const FULL = "\n[The output after this was not saved.]\n";
