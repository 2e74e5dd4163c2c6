import { CARD_INPUT_ID } from "./card-actions.ts";

/** Share of an element that counts as all of it, because rounding may cut off some. */
const WHOLE = 0.9;
/** Least visible height of a card's text, and of the first lines of a folded one, in pixels. */
const LEAST_TEXT = 80;
const LEAST_FIRST = 20;

/** The part of a card that the user has scrolled to the end of. */
export type CardEnd = "text" | "arguments";

/**
 * Watches the waiting card: whether the end of its text, or of its arguments in their box, is really in view. Also sets its
 * least height, at which nothing but its text is cut off.
 */
export class CardWatch {
  private readonly root: HTMLElement;
  private readonly reached: (end: CardEnd, card: string) => void;
  private readonly ends: IntersectionObserver;
  private readonly sizes: ResizeObserver;
  private readonly inView = new Set<Element>();
  private watched: readonly Element[] = [];
  private card: HTMLElement | undefined;
  private parts: ReadonlySet<Element> = new Set();

  constructor(root: HTMLElement, reached: (end: CardEnd, card: string) => void) {
    this.root = root;
    this.reached = reached;
    this.ends = new IntersectionObserver((entries) => this.seen(entries), { threshold: [0, WHOLE, 1] });
    this.sizes = new ResizeObserver(() => this.setLeast());
  }

  /** Updates the watched elements after each drawing and each scroll. */
  settle(isThere: boolean): void {
    const card = isThere ? (this.root.querySelector<HTMLElement>(".proposal") ?? undefined) : undefined;
    if (!card && !this.card) return;
    const mark = card?.querySelector(".end-mark");
    const box = card?.querySelector(`textarea#${CARD_INPUT_ID}`);
    const now = [mark, box].filter((element) => element != null);
    if (now.length !== this.watched.length || now.some((element) => !this.watched.includes(element))) {
      this.ends.disconnect();
      this.inView.clear();
      for (const element of now) this.ends.observe(element);
      this.watched = now;
    }
    this.watchSize(card);
    this.report();
  }

  private seen(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, intersectionRatio } of entries) {
      if (intersectionRatio >= WHOLE && this.watched.includes(target)) this.inView.add(target);
      else this.inView.delete(target);
    }
    this.report();
  }

  private report(): void {
    const shown = this.card?.dataset.card;
    if (shown === undefined || document.visibilityState !== "visible") return;
    for (const element of this.inView) {
      if (isCovered(element)) continue;
      if (!(element instanceof HTMLTextAreaElement)) this.reached("text", shown);
      else if (element.scrollTop + element.clientHeight >= element.scrollHeight - 2)
        this.reached("arguments", shown);
    }
  }

  private watchSize(card: HTMLElement | undefined): void {
    const parts = card ? [...card.children] : [];
    if (card === this.card && parts.every((part) => this.parts.has(part))) return;
    this.card = card;
    this.parts = new Set(parts);
    this.sizes.disconnect();
    for (const part of parts) this.sizes.observe(part);
  }

  /** Sets the least height of a card: all of its parts, and a few lines of its text. */
  private setLeast(): void {
    const { card } = this;
    if (!card) return;
    const { rowGap, paddingTop, paddingBottom } = getComputedStyle(card);
    const parts = [...card.children].filter((part) => part instanceof HTMLElement);
    const heights = parts.map((part) => leastHeight(part));
    const around = [paddingTop, paddingBottom].map(Number.parseFloat);
    const gaps = (parts.length - 1) * Number.parseFloat(rowGap);
    const least = [...heights, ...around, gaps].reduce((sum, height) => sum + height, 2);
    card.style.setProperty("--least", `${Math.ceil(least)}px`);
  }
}

/** True if an element has scrolled below the card's head, which stays visible. */
function isCovered(element: Element): boolean {
  const head = element.closest(".proposal")?.querySelector(".card-head");
  return head != null && element.getBoundingClientRect().bottom <= head.getBoundingClientRect().bottom;
}

/** The least height of a part: only the text may be lower than its content. */
function leastHeight(part: HTMLElement): number {
  if (!part.classList.contains("card-body")) return part.offsetHeight;
  const first = part.querySelector<HTMLElement>(".first");
  if (!first) return Math.min(part.scrollHeight, LEAST_TEXT);
  return part.offsetHeight - first.offsetHeight + LEAST_FIRST;
}
