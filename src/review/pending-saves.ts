/** A save that takes longer was given up. */
const LONGEST_SAVE_MS = 3_000;

/** Changes this short before the editor tells of a save may be of its own making. It saves by itself after a second at the earliest. */
const JUST_BEFORE_MS = 800;

interface Save {
  /** What stood in the editor when the save began. */
  readonly wanted: string;
  /** What the editor wrote, after it had formatted or trimmed that. */
  readonly written?: string;
  readonly began: number;
}

interface Earlier {
  readonly text: string;
  readonly until: number;
}

/**
 * What people and the agent wrote of a text while the editor saves it, until what the editor itself changed on saving is taken back. In some
 * windows the editor trims and formats after it has told of the save, in others before; then only trimmed white space can be told apart.
 */
export class PendingSaves {
  private readonly saves = new Map<string, Save>();
  private readonly texts = new Map<string, string>();
  private readonly earlier = new Map<string, readonly Earlier[]>();
  private readonly now: () => number;

  constructor(now: () => number = Date.now) {
    this.now = now;
  }

  /** The text stands in the editor from now on. */
  stands(name: string, text: string): void {
    const before = this.texts.get(name);
    this.texts.set(name, text);
    if (before !== undefined && before !== text)
      this.earlier.set(name, [...this.justBefore(name), { text: before, until: this.now() }]);
  }

  /** A save begins. When it finds only what the one before left behind, what was wanted then is wanted still. */
  begin(name: string, text: string): void {
    const own = this.own(name, text);
    const untrimmed = this.justBefore(name).find((earlier) => trimmed(earlier.text) === trimmed(text));
    const wanted = own === text ? (untrimmed?.text ?? text) : own;
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

  /** What people and the agent made of a text that stands there: it, or what it was before the editor saved it. */
  own(name: string, standing: string): string {
    const save = this.current(name);
    return save?.written === standing ? save.wanted : standing;
  }

  end(name: string): void {
    this.saves.delete(name);
  }

  /** The text is no longer open. */
  forget(name: string): void {
    for (const map of [this.saves, this.texts, this.earlier]) map.delete(name);
  }

  private current(name: string): Save | undefined {
    const save = this.saves.get(name);
    return save && this.now() - save.began < LONGEST_SAVE_MS ? save : undefined;
  }

  private justBefore(name: string): readonly Earlier[] {
    return (this.earlier.get(name) ?? []).filter(({ until }) => this.now() - until < JUST_BEFORE_MS);
  }
}

/** The text without what the editor trims on saving. */
function trimmed(text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trimEnd());
  return lines.join("\n").trimEnd();
}

/** How the editor may read files that say nothing of their encoding. */
export interface Encodings {
  /** All values of `files.encoding` that may apply. */
  readonly settings: readonly string[];
  /** The editor guesses, by `files.autoGuessEncoding`. */
  readonly guesses: boolean;
}

const BYTE_ORDER_MARK = "\ufeff";

/**
 * A text as bytes that the editor reads as UTF-8. A byte order mark is added only where it wouldn't do so by itself, since the
 * status bar then says "UTF-8 with BOM" of a file that has none.
 */
export function proposalBytes(text: string, { settings, guesses }: Encodings): Uint8Array {
  const isPlain =
    !guesses && settings.every((encoding) => encoding === "utf8") && !text.startsWith(BYTE_ORDER_MARK);
  return new TextEncoder().encode(isPlain ? text : BYTE_ORDER_MARK + text);
}
