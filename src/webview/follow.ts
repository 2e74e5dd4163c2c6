/** How far from its end a feed still counts as being at its end, in pixels. */
const NEAR = 40;

/** Keeps a feed where its reader is: at the end as long as the reader does not scroll up, else on the same lines. */
export class Follow {
  private readonly feed: () => HTMLElement | null;
  private readonly sizes: ResizeObserver;
  private anchor: { readonly id: string; readonly top: number } | undefined;
  private watched: HTMLElement | undefined;
  private lastTop = 0;
  private followsEnd = true;

  constructor(feed: () => HTMLElement | null) {
    this.feed = feed;
    this.sizes = new ResizeObserver(() => this.toEnd());
  }

  /** Whether the end is followed after a scroll: left by scrolling up, found again by coming near it. */
  scrolled(): boolean {
    const feed = this.feed();
    if (!feed) return true;
    const { scrollTop, scrollHeight, clientHeight } = feed;
    const up = scrollTop < this.lastTop - 1;
    this.lastTop = scrollTop;
    const near = scrollHeight - scrollTop - clientHeight <= NEAR;
    this.followsEnd = near || (this.followsEnd && !up);
    return this.followsEnd;
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
  settle(followsEnd: boolean): void {
    const found = followsEnd && !this.followsEnd;
    this.followsEnd = followsEnd;
    this.watch();
    const { anchor } = this;
    this.anchor = undefined;
    const feed = this.feed();
    const held = anchor && document.getElementById(anchor.id);
    if (found) this.toEnd();
    else if (feed && held && !followsEnd) {
      feed.scrollTop += held.getBoundingClientRect().top - anchor.top;
      this.lastTop = feed.scrollTop;
    }
  }

  /** The feed and its lines change their size after the drawing too: lines come into view, a card takes room. */
  private watch(): void {
    const feed = this.feed();
    if (!feed || feed === this.watched) return;
    this.watched = feed;
    this.sizes.disconnect();
    this.sizes.observe(feed);
    if (feed.firstElementChild) this.sizes.observe(feed.firstElementChild);
  }

  private toEnd(): void {
    const feed = this.feed();
    if (!feed || !this.followsEnd) return;
    feed.scrollTop = feed.scrollHeight;
    this.lastTop = feed.scrollTop;
  }
}
