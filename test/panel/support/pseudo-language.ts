import { ENGLISH } from "../../../src/texts/english.ts";
import type { Language } from "../../../src/texts/writer.ts";

const LETTERS = "aáeéiíoóuúnñcçsšyýgğAÁEÉIÍOÓUÚNÑCÇSŠYÝGĞ";
const ACCENTED = new Map(
  Array.from({ length: LETTERS.length / 2 }, (_, index) => [LETTERS[2 * index], LETTERS[2 * index + 1]]),
);

/** A made-up language: English with accents, in brackets, and 40% longer. What has no brackets isn't in a table. */
export const PSEUDO: Language = {
  tag: "en-XA",
  texts: Object.fromEntries(
    Object.entries(ENGLISH).map(([code, text]) => [
      code,
      typeof text === "string" ? pseudo(text) : { one: pseudo(text.one), other: pseudo(text.other) },
    ]),
  ),
};

/** Placeholders stay; a text's length grows by 40%. */
function pseudo(text: string): string {
  const accented = text
    .split(/(\{\w+\})/)
    .map((part, index) => (index % 2 === 1 ? part : [...part].map((one) => ACCENTED.get(one) ?? one).join("")))
    .join("");
  const longer = "·".repeat(Math.max(0, Math.ceil(text.length * 0.4) - 2));
  return `⟦${accented}${longer}⟧`;
}

/** Texts in the page that no table has: of two words or more, and not from what the messages hold. */
export function untranslated(shown: readonly string[], messages: unknown): readonly string[] {
  const data = stringsIn(messages).join("\n").replace(/\s+/g, " ");
  return [...new Set(shown.map(words))].filter(
    (text) => /[A-Za-z]{2,}[,;:.]? [A-Za-z]{2,}/.test(text) && !data.includes(text),
  );
}

/** The words of a text without what a table has written around them. */
function words(text: string): string {
  return text
    .replace(/⟦[^⟦⟧]*⟧/g, " ")
    .replace(/⟦[^⟦⟧]*|[^⟦⟧]*⟧/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Runs in the page: all texts that a person can see or hear. */
export function shownTexts(): readonly string[] {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found: string[] = [];
  while (walker.nextNode()) {
    const { parentElement, textContent } = walker.currentNode;
    if (textContent?.trim() && !parentElement?.closest("script, style, pre, code")) found.push(textContent);
  }
  const attributes = ["aria-label", "title", "placeholder", "alt", "aria-description"];
  for (const element of document.body.querySelectorAll("*"))
    for (const name of attributes) {
      const text = element.getAttribute(name);
      if (text) found.push(text);
    }
  return found;
}

/** Runs in the page: labels of buttons that don't have the space they need. */
export function cutLabels(): readonly string[] {
  return [...document.querySelectorAll<HTMLElement>("button, .button .label")]
    .filter((element) => element.checkVisibility())
    .filter(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
      clientWidth > 0 ? scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 2 : false,
    )
    .filter((element) => getComputedStyle(element).textOverflow !== "ellipsis")
    .map((element) => element.textContent?.trim() ?? "");
}
