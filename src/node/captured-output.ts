import { constants } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { readableOutput } from "./readable-output.ts";

/** The model reads so many characters from the beginning, and as many from the end. */
const HALF = 24_000;

/** Twice that is kept while it comes, for colours and progress bars take room too. */
const RAW_HALF = 2 * HALF;

/** So much is kept in the file. */
const FILE_BYTES = 100 * 1024 * 1024;

/** What a command printed: its head and tail in memory, all of it in a file. */
export class CapturedOutput {
  bytes = 0;
  private readonly path: string;
  private readonly fileBytes: number;
  private readonly decoder = new TextDecoder();
  private file: FileHandle | "none" | undefined;
  private head = "";
  private tail = "";
  private isCut = false;

  constructor(path: string, fileBytes = FILE_BYTES) {
    this.path = path;
    this.fileBytes = fileBytes;
  }

  /** Takes the next piece, and gives it back as text. */
  async add(chunk: Buffer): Promise<string> {
    await this.keep(chunk);
    this.bytes += chunk.length;
    const text = this.decoder.decode(chunk, { stream: true });
    this.remember(text);
    return text;
  }

  /** The text for the model, and the file when that is not all. */
  async finish(): Promise<{ readonly output: string; readonly bytes: number; readonly file?: string }> {
    this.remember(this.decoder.decode());
    const isKept = this.file !== undefined && this.file !== "none";
    if (typeof this.file === "object") await this.file.close();
    const { output, isWhole } = this.shown();
    return { output, bytes: this.bytes, ...(isWhole || !isKept ? {} : { file: this.path }) };
  }

  private shown(): { readonly output: string; readonly isWhole: boolean } {
    const whole = this.isCut ? undefined : readableOutput(this.head + this.tail);
    if (whole !== undefined && whole.length <= 2 * HALF) return { output: whole, isWhole: true };
    const head = (whole ?? readableOutput(this.head)).slice(0, HALF);
    const tail = (whole ?? readableOutput(this.tail)).slice(-HALF);
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

  /** A file that cannot be written is done without; the command goes on. */
  private async keep(chunk: Buffer): Promise<void> {
    if (this.file === "none" || this.bytes >= this.fileBytes) return;
    try {
      this.file ??= await created(this.path);
      await this.file.write(chunk.subarray(0, this.fileBytes - this.bytes));
      if (this.bytes + chunk.length >= this.fileBytes) await this.file.write(FULL);
    } catch {
      if (typeof this.file === "object") await this.file.close().catch(() => undefined);
      this.file = "none";
    }
  }
}

const FULL = "\n[What was printed after this was not kept.]\n";

async function created(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = constants;
  return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
}
