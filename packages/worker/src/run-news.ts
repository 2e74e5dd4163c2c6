import {
  type FleetBeat,
  getServedHome,
  printStoredLines,
  readServedRecord,
  type ServedLine,
  watchFolders,
} from "../../../src/headless/fleet/library.ts";

/** Length of the news in a sign of life, in characters; the rest travels with the run. */
const MOST_CHARACTERS = 32_000;
/** A quiet run shows signs of life as often, in ms. */
const BEAT_MS = 2_000;

/** A run, as its worker knows it. */
interface WatchedRun {
  readonly data: string;
  readonly run: string;
  readonly stretch: number;
}

/** Collects the news of a run and sends the last of them with each sign of life. */
export class RunNews {
  private readonly watched: WatchedRun;
  private readonly send: (beat: string) => void;
  private readonly lines: ServedLine[] = [];
  private readonly refused = new Set<string>();
  private first = 0;
  private stored = 0;
  private bytes = 0;
  private characters = 0;
  private asked: FleetBeat["asked"];
  private since = 0;
  private home: string | undefined;
  private stopWatching: () => void;
  private reading: Promise<void> = Promise.resolve();
  private isReading = false;
  private sent = "";
  private sentMs = 0;
  /** The run has ended. */
  isOver = false;

  constructor(watched: WatchedRun, send: (beat: string) => void) {
    this.watched = watched;
    this.send = send;
    this.stopWatching = this.watch([getServedHome(watched.data, watched.run)]);
  }

  /** Whether the run has waited for an answer that long, in ms. */
  hasWaited(ms: number): boolean {
    return this.asked !== undefined && performance.now() - this.since > ms;
  }

  /** The news when the stretch is over. The log travels with the run. `failed`: why the work can't continue. */
  formatEnd(failed?: string): string {
    const end = { first: this.first + this.lines.length, stored: this.countStored(), lines: [] };
    return this.format({ ...end, ...(failed === undefined ? {} : { failed }) });
  }

  private countStored(): number {
    return this.stored + this.lines.filter(({ type }) => type === "stored").length;
  }

  private format(given: Pick<FleetBeat, "first" | "stored" | "lines" | "failed">): string {
    const { stretch } = this.watched;
    const { asked } = this;
    return JSON.stringify({ stretch, ...given, ...(asked ? { asked } : {}) } satisfies FleetBeat);
  }

  /** Reads the rest, and stops. */
  async close(): Promise<void> {
    this.stopWatching();
    await this.reading;
    await this.read();
  }

  private watch(folders: readonly string[]): () => void {
    return watchFolders(folders, () => {
      if (this.isReading) return;
      this.isReading = true;
      this.reading = this.read()
        .then(() => this.beat())
        .catch(() => undefined)
        .finally(() => {
          this.isReading = false;
        });
    });
  }

  private beat(): void {
    const beat = this.format({ first: this.first, stored: this.stored, lines: this.lines });
    const now = performance.now();
    if (beat === this.sent && now - this.sentMs < BEAT_MS) return;
    this.sent = beat;
    this.sentMs = now;
    this.send(beat);
  }

  private async read(): Promise<void> {
    const { data, run } = this.watched;
    const record = await readServedRecord(data, run);
    if (!record) return;
    const { home, asked, refused } = record;
    if (home !== undefined && home !== this.home) {
      this.home = home;
      this.stopWatching();
      this.stopWatching = this.watch([getServedHome(data, run), home]);
    }
    if (home !== undefined)
      this.bytes = await printStoredLines(home, this.bytes, async (line) => this.add({ type: "stored", line }));
    for (const { id, question, why } of refused) {
      if (this.refused.has(id)) continue;
      this.refused.add(id);
      this.add({ type: "refused", question, why });
    }
    if (asked?.seal !== this.asked?.seal) this.since = performance.now();
    this.asked = asked;
    this.isOver = record.isOver === true;
  }

  private add(line: ServedLine): void {
    this.lines.push(line);
    this.characters += JSON.stringify(line).length;
    while (this.characters > MOST_CHARACTERS && this.lines.length > 0) this.drop();
  }

  private drop(): void {
    const line = this.lines.shift();
    if (!line) return;
    this.first += 1;
    this.characters -= JSON.stringify(line).length;
    if (line.type === "stored") this.stored += 1;
  }
}
