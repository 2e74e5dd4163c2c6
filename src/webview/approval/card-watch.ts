import { CARD_INPUT_ID } from "./card-actions.ts";

/** Share of an element that counts as all of it, because rounding may cut off some. */
const WHOLE = 0.9;

/** The part of a card that the user has scrolled to the end of. */
export type CardEnd = "text" | "arguments";

/** Watches the waiting card: whether the user saw both ends of its text, or the end of its arguments in their box. */
export class CardWatch {
  private readonly root: HTMLElement;
  private readonly reached: (end: CardEnd, card: string) => void;
  private readonly observer: IntersectionObserver;
  private readonly inView = new Set<Element>();
  private watched: readonly Element[] = [];
  private card: HTMLElement | undefined;
  /** The beginning of the text was in view. */
  private isBegun = false;

  constructor(root: HTMLElement, reached: (end: CardEnd, card: string) => void) {
    this.root = root;
    this.reached = reached;
    this.observer = new IntersectionObserver((entries) => this.handleIntersections(entries), {
      threshold: [0, WHOLE, 1],
    });
  }

  /** Updates the watched elements after each drawing and each scroll. */
  settle(isThere: boolean): void {
    const card = isThere ? (this.root.querySelector<HTMLElement>(".proposal") ?? undefined) : undefined;
    if (!card && !this.card) return;
    this.card = card;
    const now = [...(card?.querySelectorAll(`.start-mark, .end-mark, textarea#${CARD_INPUT_ID}`) ?? [])];
    if (now.length !== this.watched.length || now.some((element) => !this.watched.includes(element))) {
      this.observer.disconnect();
      this.inView.clear();
      this.isBegun = false;
      for (const element of now) this.observer.observe(element);
      this.watched = now;
    }
    this.report();
  }

  private handleIntersections(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, intersectionRatio } of entries) {
      if (intersectionRatio >= WHOLE && this.watched.includes(target)) this.inView.add(target);
      else this.inView.delete(target);
    }
    this.report();
  }

  private report(): void {
    const shown = this.card?.dataset.card;
    if (shown === undefined || document.visibilityState !== "visible") return;
    const elements = [...this.inView].filter((element) => !isCovered(element));
    this.isBegun ||= elements.some((element) => element.classList.contains("start-mark"));
    for (const element of elements) {
      if (element instanceof HTMLTextAreaElement) {
        if (element.scrollTop + element.clientHeight >= element.scrollHeight - 2) this.reached("arguments", shown);
      } else if (this.isBegun && element.classList.contains("end-mark")) this.reached("text", shown);
    }
  }
}

/** True if an element has scrolled below the card's question, which stays in view. */
function isCovered(element: Element): boolean {
  const question = element.closest(".proposal")?.querySelector("h2");
  return question != null && element.getBoundingClientRect().top < question.getBoundingClientRect().bottom - 1;
}
