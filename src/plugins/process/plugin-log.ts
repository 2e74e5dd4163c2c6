import type { Readable } from "node:stream";
import { waitForSettled } from "../../core/base/async.ts";
import { cutText } from "../../core/base/text.ts";
import { RollingOutput } from "../../node/processes/rolling-output.ts";

/** A new log file starts at this size; the previous file is kept. */
const FILE_BYTES = 1_000_000;
/** Further output of a run is read, but not stored. */
const MOST_BYTES = 8_000_000;
const MOST_SAID = 300;
/** An escaped process may keep its output open, so waiting for it is limited. */
const LAST_LINES_MS = 1_000;

/** The output of a plugin, in a file of the run. The first line creates the file. */
export class PluginLog {
  /** Its path, for Tools and Plugins. */
  readonly path: string;
  private readonly redact: (text: string) => string;
  private output: Promise<RollingOutput | undefined> | undefined;
  private readonly readings = new Set<Promise<void>>();
  private last = "";
  private bytes = 0;

  constructor(path: string, redact: (text: string) => string) {
    this.path = path;
    this.redact = redact;
  }

  /** Stores a process's output. The process has to wait if the disk is slower. */
  follow(...streams: readonly Readable[]): void {
    for (const stream of streams) {
      const reading = this.read(stream).finally(() => this.readings.delete(reading));
      this.readings.add(reading);
    }
  }

  async add(chunk: Buffer): Promise<void> {
    this.last = (this.last + chunk.subarray(-2 * MOST_SAID).toString("utf8")).slice(-2 * MOST_SAID);
    if (this.bytes > MOST_BYTES) return;
    this.bytes += chunk.length;
    this.output ??= this.open();
    await (await this.output)?.add(chunk);
  }

  /** The last line as a clause that follows a reason; "" if nothing was printed. */
  describeLastLine(): string {
    const line = this.redact(this.last.trimEnd()).split("\n").at(-1)?.trim() ?? "";
    return line === "" ? "" : `: ${cutText(line, MOST_SAID)}`;
  }

  /** Closes the file once it contains all output of the ended processes. */
  async close(): Promise<void> {
    await waitForSettled(Promise.all(this.readings), LAST_LINES_MS);
    const output = await this.output;
    this.output = undefined;
    await output?.finish().catch(() => undefined);
  }

  private async read(stream: Readable): Promise<void> {
    try {
      for await (const chunk of stream) await this.add(chunk);
    } catch {
      // The stream was closed together with its process.
    }
  }

  private async open(): Promise<RollingOutput | undefined> {
    const output = new RollingOutput(this.path, { redact: this.redact, fileBytes: FILE_BYTES });
    try {
      await output.open();
      return output;
    } catch {
      return undefined;
    }
  }
}
