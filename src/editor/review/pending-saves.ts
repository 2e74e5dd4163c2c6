/** A save that takes longer counts as abandoned. */
const LONGEST_SAVE_MS = 3_000;

/** A change this shortly before a save may be the editor's own. Auto save waits a second at least. */
const JUST_BEFORE_MS = 800;

interface Save {
  /** Text in the editor when the save began. */
  readonly wanted: string;
  /** Text that the editor wrote after formatting or trimming. */
  readonly written?: string;
  readonly began: number;
}

interface Earlier {
  readonly text: string;
  readonly until: number;
}

/**
 * Tracks the text of people and the agent while the editor saves it, until the editor's own changes are reverted. Some windows format after
 * announcing a save, others before; in that case, only trimmed white space can be recognized.
 */
export class PendingSaves {
  private readonly saves = new Map<string, Save>();
  private readonly texts = new Map<string, string>();
  private readonly earlier = new Map<string, readonly Earlier[]>();
  private readonly now: () => number;

  constructor(now: () => number = Date.now) {
    this.now = now;
  }

  /** Records the text that is in the editor. */
  recordText(name: string, text: string): void {
    const before = this.texts.get(name);
    this.texts.set(name, text);
    if (before !== undefined && before !== text)
      this.earlier.set(name, [...this.listRecentTexts(name), { text: before, until: this.now() }]);
  }

  /** Starts a save. If the text is what the previous save left, the text wanted then is still wanted. */
  begin(name: string, text: string): void {
    const own = this.getWrittenText(name, text);
    const untrimmed = this.listRecentTexts(name).find((earlier) => trimText(earlier.text) === trimText(text));
    const wanted = own === text ? (untrimmed?.text ?? text) : own;
    this.saves.set(name, { wanted, began: this.now() });
  }

  recordWrittenText(name: string, text: string): void {
    const save = this.findCurrentSave(name);
    if (save) this.saves.set(name, { ...save, written: text });
  }

  /** The text that the editor should have while a save may have changed it. */
  findWantedText(name: string): string | undefined {
    return this.findCurrentSave(name)?.wanted;
  }

  /** The text from people and the agent: the given one, or the one before the editor's save. */
  getWrittenText(name: string, standing: string): string {
    const save = this.findCurrentSave(name);
    return save?.written === standing ? save.wanted : standing;
  }

  end(name: string): void {
    this.saves.delete(name);
  }

  /** Forgets a text that is no longer open. */
  forget(name: string): void {
    for (const map of [this.saves, this.texts, this.earlier]) map.delete(name);
  }

  private findCurrentSave(name: string): Save | undefined {
    const save = this.saves.get(name);
    return save && this.now() - save.began < LONGEST_SAVE_MS ? save : undefined;
  }

  private listRecentTexts(name: string): readonly Earlier[] {
    return (this.earlier.get(name) ?? []).filter(({ until }) => this.now() - until < JUST_BEFORE_MS);
  }
}

/** Trims a text as the editor does on saving. */
function trimText(text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trimEnd());
  return lines.join("\n").trimEnd();
}

/** How the editor may read files that don't declare their encoding. */
export interface Encodings {
  /** All values of `files.encoding` that may apply. */
  readonly settings: readonly string[];
  /** Whether the editor guesses (`files.autoGuessEncoding`). */
  readonly guesses: boolean;
}

const BYTE_ORDER_MARK = "\ufeff";

/**
 * Encodes a text so that the editor reads it as UTF-8. A byte order mark is added only if needed, because the status bar
 * shows it.
 */
export function encodeProposal(text: string, { settings, guesses }: Encodings): Uint8Array {
  const isPlain = !guesses && settings.every((encoding) => encoding === "utf8") && !text.startsWith(BYTE_ORDER_MARK);
  return new TextEncoder().encode(isPlain ? text : BYTE_ORDER_MARK + text);
}
