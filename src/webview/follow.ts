/** How far from its end a feed still counts as being at its end, in pixels. */
const NEAR = 40;

/** Keeps a feed where its reader is: at the end as long as the reader does not scroll up, else on the same lines. */
export class Follow {
  private readonly feed: () => HTMLElement | null;
  private anchor: { readonly id: string; readonly top: number } | undefined;
  private lastTop = 0;

  constructor(feed: () => HTMLElement | null) {
    this.feed = feed;
  }

  /** Whether the end is followed after a scroll: left by scrolling up, found again by coming near it. */
  scrolled(atEnd: boolean): boolean {
    const feed = this.feed();
    if (!feed) return true;
    const { scrollTop, scrollHeight, clientHeight } = feed;
    const up = scrollTop < this.lastTop - 1;
    this.lastTop = scrollTop;
    const near = scrollHeight - scrollTop - clientHeight <= NEAR;
    return near || (atEnd && !up);
  }

  /** Before lines are put in above: remembers the first step on show. */
  hold(): void {
    const feed = this.feed();
    const top = feed?.getBoundingClientRect().top ?? 0;
    const first = [...(feed?.querySelectorAll(".step") ?? [])].find(
      (step) => step.getBoundingClientRect().bottom > top,
    );
    this.anchor = first ? { id: first.id, top: first.getBoundingClientRect().top } : undefined;
  }

  /** After the drawing: to the end, or with the remembered step where it was. */
  settle(atEnd: boolean): void {
    const feed = this.feed();
    if (!feed) return;
    const held = this.anchor && document.getElementById(this.anchor.id);
    if (atEnd) feed.scrollTop = feed.scrollHeight;
    else if (held && this.anchor) feed.scrollTop += held.getBoundingClientRect().top - this.anchor.top;
    this.anchor = undefined;
    this.lastTop = feed.scrollTop;
  }
}
