/** A box whose text the user may edit at any time, such as that of Source Control. */
export interface EditedBox {
  value: string;
}

/** Writes a draft into a box piece by piece, and never over what the user types meanwhile. */
export class MessageBox {
  private readonly box: EditedBox;
  private readonly before: string;
  /** All texts that were written: the box may report one of them later than the next was written. */
  private readonly written = new Set<string>();
  private last: string;

  constructor(box: EditedBox) {
    this.box = box;
    this.before = box.value;
    this.last = box.value;
    this.written.add(box.value);
  }

  /** True if the box has a text that isn't from here. */
  get isUsers(): boolean {
    return !this.written.has(this.box.value);
  }

  /** Replaces the draft; false if the user has typed, and then the box stays as it is. */
  write(text: string): boolean {
    if (this.isUsers) return false;
    if (text === this.last) return true;
    this.written.add(text);
    this.last = text;
    this.box.value = text;
    return true;
  }

  /** Puts back the text from before the draft, unless the user has typed. */
  restore(): void {
    this.write(this.before);
  }
}

/** The least time between two pieces, in milliseconds. */
const PACE_MS = 40;

/**
 * Streams a draft into a box. If the user types, the draft is stopped, the box stays theirs, and the result is undefined. If the draft
 * fails or is stopped, the box gets back its text.
 */
export async function fillBox<Draft extends { readonly text: string }>(
  box: MessageBox,
  signal: AbortSignal,
  draft: (signal: AbortSignal, show: (text: string) => void) => Promise<Draft>,
): Promise<Draft | undefined> {
  const typing = new AbortController();
  let shownAt = Number.NEGATIVE_INFINITY;
  const show = (text: string): void => {
    if (signal.aborted || performance.now() - shownAt < PACE_MS) return;
    shownAt = performance.now();
    if (!box.write(text)) typing.abort();
  };
  try {
    const drafted = await draft(AbortSignal.any([signal, typing.signal]), show);
    signal.throwIfAborted();
    return box.write(drafted.text) ? drafted : undefined;
  } catch (error) {
    if (typing.signal.aborted) return undefined;
    box.restore();
    throw error;
  }
}
