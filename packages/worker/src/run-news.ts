import {
  type FleetBeat,
  getServedHome,
  isTooLong,
  printStoredLines,
  readServedRecord,
  type ServedLine,
  watchFolders,
} from "../../../src/headless/fleet/library.ts";

/** Length of the news in a sign of life, in characters; the rest travels with the run. */
const MOST_CHARACTERS = 32_000;
/** Without a watcher, news are sent less often, in ms, and fewer: a server has many runs that aren't looked at. */
const BEAT_MS = 5_000;
const MOST_UNSEEN = 4_000;
/** How long the run is shown live after a watcher came. Watchers repeat that before. */
const LIVE_MS = 600_000;

const TOO_LONG =
  "It asks about something that is too long for Temporal, so it can't be shown. Say what it should do in place of it: autogpt fleet say RUN WORDS";

/** A run, as its worker knows it. */
interface WatchedRun {
  readonly data: string;
  readonly run: string;
  readonly stretch: number;
}

interface NewsReports {
  readonly send: (beat: string) => void;
  /** The run has begun to ask something. */
  readonly handleQuestion: () => void;
}

/** Collects the news of a run and sends the last of them with each sign of life. */
export class RunNews {
  private readonly watched: WatchedRun;
  private readonly reports: NewsReports;
  private readonly lines: ServedLine[] = [];
  private readonly refused = new Set<string>();
  private first = 0;
  private stored = 0;
  private bytes = 0;
  private characters = 0;
  private asked: FleetBeat["asked"];
  /** Why the question can't be shown. */
  private held: string | undefined;
  private since = 0;
  private home: string | undefined;
  private stopWatching: () => void;
  private reading: Promise<void> = Promise.resolve();
  private isReading = false;
  private sent = "";
  private sentMs = -BEAT_MS;
  private liveUntil = 0;
  /** The question that was sent. */
  private shown: string | undefined;
  private steps = 0;
  /** The run has ended. */
  isOver = false;

  constructor(watched: WatchedRun, reports: NewsReports) {
    this.watched = watched;
    this.reports = reports;
    this.stopWatching = this.watch([getServedHome(watched.data, watched.run)]);
  }

  /** Whether the run waits for an answer. */
  get isAsking(): boolean {
    return this.asked !== undefined;
  }

  /** Sends news at once for a while, because it is watched. */
  showLive(): void {
    this.liveUntil = performance.now() + LIVE_MS;
    this.sent = "";
    this.beat();
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
    const { asked, steps, held } = this;
    const question = held === undefined ? (asked ? { asked } : {}) : { held };
    return JSON.stringify({ stretch, steps, ...given, ...question } satisfies FleetBeat);
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
    const now = performance.now();
    const isLive = now < this.liveUntil;
    const isNews = isLive || this.asked?.seal !== this.shown;
    if (!isNews && now - this.sentMs < BEAT_MS) return;
    const beat = this.format(this.takeLast(isLive ? MOST_CHARACTERS : MOST_UNSEEN));
    if (beat === this.sent && now - this.sentMs < BEAT_MS) return;
    this.shown = this.asked?.seal;
    this.sent = beat;
    this.sentMs = now;
    this.reports.send(beat);
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
    const isNew = asked?.seal !== this.asked?.seal;
    if (isNew) this.since = performance.now();
    if (isNew) this.held = asked && (await isTooLong(asked.text)) ? TOO_LONG : undefined;
    this.asked = asked;
    if (isNew && asked) this.reports.handleQuestion();
    this.steps = record.steps ?? 0;
    this.isOver = record.isOver === true;
  }

  /** The last lines, as many as fit. */
  private takeLast(most: number): Pick<FleetBeat, "first" | "stored" | "lines"> {
    let left = most;
    const from = this.lines.findLastIndex((line) => {
      left -= JSON.stringify(line).length;
      return left < 0;
    });
    const dropped = this.lines.slice(0, from + 1).filter(({ type }) => type === "stored").length;
    return { first: this.first + from + 1, stored: this.stored + dropped, lines: this.lines.slice(from + 1) };
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
