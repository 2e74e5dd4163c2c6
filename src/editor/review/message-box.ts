import { setTimeout as sleep } from "node:timers/promises";

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

  /** The text that the box has now. */
  get text(): string {
    return this.box.value;
  }

  /** Puts back a text of the user. */
  giveBack(text: string): void {
    this.box.value = text;
  }

  /** Puts back the text from before the draft, unless the user has typed. */
  restore(): void {
    this.write(this.before);
  }
}

/** The least time between two pieces, in milliseconds. A key that is pressed just before a piece arrives may be lost to it. */
const PACE_MS = 100;
/** How often to look for what the user types. */
const LOOK_MS = 10;
/** How long a piece that was on its way may still take the place of what the user typed. */
const SETTLE_MS = 300;

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
  const users = { text: "" };
  const look = (): void => {
    if (typing.signal.aborted || !box.isUsers) return;
    users.text = box.text;
    typing.abort();
  };
  const watch = setInterval(look, LOOK_MS);
  let shownAt = Number.NEGATIVE_INFINITY;
  const show = (text: string): void => {
    look();
    if (signal.aborted || typing.signal.aborted || performance.now() - shownAt < PACE_MS) return;
    shownAt = performance.now();
    box.write(text);
  };
  try {
    const drafted = await draft(AbortSignal.any([signal, typing.signal]), show);
    look();
    signal.throwIfAborted();
    if (!typing.signal.aborted && box.write(drafted.text)) {
      await keepUsersText(box);
      return box.isUsers ? undefined : drafted;
    }
  } catch (error) {
    if (!typing.signal.aborted) {
      box.restore();
      throw error;
    }
  } finally {
    clearInterval(watch);
  }
  await keepUsersText(box, users.text);
  return undefined;
}

/** Puts back what the user has typed, should a piece that was on its way still replace it. `text`: what is known of it so far. */
async function keepUsersText(box: MessageBox, text?: string): Promise<void> {
  let users = text;
  for (const until = performance.now() + SETTLE_MS; performance.now() < until; await sleep(LOOK_MS)) {
    if (box.isUsers) users = box.text;
    else if (users !== undefined) box.giveBack(users);
  }
}
