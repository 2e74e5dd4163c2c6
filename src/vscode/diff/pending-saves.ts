/** A save that takes longer was given up. */
const LONGEST_SAVE_MS = 3_000;

interface Save {
  /** What stood in the editor when the save began. */
  readonly wanted: string;
  /** What the editor wrote, after it had formatted or trimmed that. */
  readonly written?: string;
  readonly began: number;
}

/** What people and the agent wrote of a text while the editor saves it, until what the editor itself changed on saving is taken back. */
export class PendingSaves {
  private readonly saves = new Map<string, Save>();
  private readonly now: () => number;

  constructor(now: () => number = Date.now) {
    this.now = now;
  }

  /** A save begins. When it finds only what the one before left behind, what was wanted then is wanted still. */
  begin(name: string, text: string): void {
    const before = this.current(name);
    const wanted = before?.written === text ? before.wanted : text;
    this.saves.set(name, { wanted, began: this.now() });
  }

  wrote(name: string, text: string): void {
    const save = this.current(name);
    if (save) this.saves.set(name, { ...save, written: text });
  }

  /** The text that shall stand in the editor, while that is another one or may become one. */
  wanted(name: string): string | undefined {
    return this.current(name)?.wanted;
  }

  end(name: string): void {
    this.saves.delete(name);
  }

  private current(name: string): Save | undefined {
    const save = this.saves.get(name);
    return save && this.now() - save.began < LONGEST_SAVE_MS ? save : undefined;
  }
}
