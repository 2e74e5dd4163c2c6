import { completeMention, type Mention, mentionAt } from "./mention.ts";

/** The files offered for a mention. */
export interface Offer {
  readonly mention: Mention;
  /** Undefined while they are looked for. */
  readonly files?: readonly string[];
  /** Index of the one that Enter takes. */
  readonly active: number;
}

/** What stands in the box the user writes in. */
export interface Composer {
  readonly text: string;
  readonly offer?: Offer;
}

export const EMPTY_COMPOSER: Composer = { text: "" };

/** The text was changed or the caret moved. An offer stays while the same mention is being typed. */
export function typed(composer: Composer, text: string, caret: number): Composer {
  const mention = mentionAt(text, caret);
  if (!mention) return { text };
  const { offer } = composer;
  if (offer?.mention.start !== mention.start) return { text, offer: { mention, active: 0 } };
  return {
    text,
    offer: { ...offer, mention, active: offer.mention.query === mention.query ? offer.active : 0 },
  };
}

/** Files were found for a query; those for an older one are of no use. */
export function offered(composer: Composer, query: string, files: readonly string[]): Composer {
  const { offer } = composer;
  return offer?.mention.query === query ? { ...composer, offer: { ...offer, files, active: 0 } } : composer;
}

/** Up or down the list, from its end to its beginning. */
export function activated(composer: Composer, by: number): Composer {
  const { offer } = composer;
  const count = offer?.files?.length ?? 0;
  if (!offer || count === 0) return composer;
  return { ...composer, offer: { ...offer, active: (offer.active + by + count) % count } };
}

export function dismissed(composer: Composer): Composer {
  return { text: composer.text };
}

/** Takes a file of the offer; undefined when there is none at that index. */
export function taken(
  composer: Composer,
  index: number,
): { readonly composer: Composer; readonly caret: number } | undefined {
  const { offer } = composer;
  const file = offer?.files?.[index];
  if (!offer || file === undefined) return undefined;
  const { text, caret } = completeMention(composer.text, offer.mention, file);
  return { composer: { text }, caret };
}

/** What a key means in the composer; undefined for one that just types or moves the caret. */
export type KeyMeaning = "send" | "take" | "down" | "up" | "dismiss";

export function meaningOf(
  { offer }: Composer,
  pressed: { readonly key: string; readonly shiftKey: boolean; readonly altKey: boolean },
): KeyMeaning | undefined {
  if (offer && pressed.key === "Escape") return "dismiss";
  if (offer?.files?.length) {
    if (pressed.key === "ArrowDown") return "down";
    if (pressed.key === "ArrowUp") return "up";
    if (pressed.key === "Tab" && !pressed.shiftKey) return "take";
    if (pressed.key === "Enter") return "take";
  }
  return pressed.key === "Enter" && !pressed.shiftKey && !pressed.altKey ? "send" : undefined;
}
