import { counted, displaySize } from "../../core/base/text.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { ModelError } from "../../core/ports/model.ts";
import type { PageLink, WebPage } from "../../core/ports/services.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { type AskOptions, askText } from "../ask-text.ts";
import { partOfText, whereIs } from "../text-parts.ts";

const MOST_QUOTES = 8;
const MOST_LINKS = 10;

/** An outcome with text from a page, which is quoted as data and counts as untrusted. */
export function fromPage({ url }: WebPage, output: string): Extract<Outcome, { readonly status: "done" }> {
  return { status: "done", output, source: { kind: "web", name: url } };
}

/** An outcome of reading a page, with the passages that were found on it word for word. */
function readingOf(
  page: WebPage,
  output: string,
  summary: DisplayText,
  quotes: readonly { readonly text: string }[] = [],
): Outcome {
  const { url, title } = page;
  const pages = [{ url, title, quotes: quotes.map(({ text }) => text) }];
  return { ...fromPage(page, output), summary, pages };
}

const NO_TEXT_ON_PAGE = displayText("results.emptyPage");

/** The size of a page's text that was read. */
function textSize(text: string): DisplayText {
  return displaySize(new TextEncoder().encode(text).length);
}

function answerSummary(answer: string, quotes: number): DisplayText {
  if (answer === "") return displayText("results.noAnswer");
  return quotes === 0 ? displayText("results.answered") : displayText("results.quotes", { count: quotes });
}

/** A page's answer to a question, with quotes and their positions; the start of the page when no model can read it. */
export async function answerOf(page: WebPage, question: string, asked: AskOptions): Promise<Outcome> {
  if (page.text === "") return readingOf(page, withHead(page, "The page has no text."), NO_TEXT_ON_PAGE);
  try {
    const { url, text } = page;
    const asking = { kind: "page", name: url, title: new URL(url).host, text } as const;
    const { answer, quotes, unread } = await askText(asking, question, asked);
    const shown = quotes.slice(0, MOST_QUOTES);
    const told = withHead(
      page,
      answer === "" ? `The page says nothing about: ${question}` : answer,
      shown.length === 0
        ? ""
        : `Quotes:\n${shown.map(({ text, at }) => `- "${text}" (${whereIs(page.text, at)})`).join("\n")}`,
      unread.length === 0
        ? ""
        : `[The page is long: ${counted(unread.length, "part")} of it that seemed to be about other things ${unread.length === 1 ? "was" : "were"} not read.]`,
      linksText(page.links),
    );
    return readingOf(page, told, answerSummary(answer, shown.length), shown);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const why = `[The question could not be put to the model that reads pages: ${error.message} This is the page itself.]`;
    const text = partOfText(page.text, 1) ?? "";
    return readingOf(page, withHead(page, why, text), textSize(text));
  }
}

/** One part of a page's text; undefined when there is no such part. */
export function plainText(page: WebPage, part: number): Outcome | undefined {
  if (page.text === "")
    return readingOf(page, withHead(page, "The page has no text.", linksText(page.links)), NO_TEXT_ON_PAGE);
  const text = partOfText(page.text, part);
  return text === undefined ? undefined : readingOf(page, withHead(page, text), textSize(text));
}

function withHead({ title, url, notes }: WebPage, ...rest: readonly string[]): string {
  const head = [
    title === "" ? "" : `Title: ${title}`,
    `Address: ${url}`,
    ...notes.map((note) => `[${note}]`),
  ];
  return [head.filter((line) => line !== "").join("\n"), ...rest].filter((part) => part !== "").join("\n\n");
}

/** The first links with a text. */
function linksText(links: readonly PageLink[]): string {
  const telling = links.filter(({ text }) => text !== "");
  if (telling.length === 0) return "";
  const more = links.length - MOST_LINKS;
  const rest = more > 0 ? `\n[${counted(more, "more link")}: see get_hyperlinks.]` : "";
  return `Links:\n${telling.slice(0, MOST_LINKS).map(linkLine).join("\n")}${rest}`;
}

/** A link on a line of its own. */
export function linkLine({ text, url }: PageLink): string {
  return text === "" ? `- ${url}` : `- ${text.slice(0, 200)} (${url})`;
}
