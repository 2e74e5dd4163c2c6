import { formatDisplaySize, formatQuantity } from "../../core/base/text.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { ModelError } from "../../core/ports/model.ts";
import type { PageLink, WebPage } from "../../core/ports/services.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { type AskOptions, askText } from "../ask-text.ts";
import { describeTextPosition, selectTextPart } from "../text-parts.ts";

const MOST_QUOTES = 8;
const MOST_LINKS = 10;

/** An outcome with text from a page, which is quoted as data and counts as untrusted. */
export function createPageOutcome({ url }: WebPage, output: string): Extract<Outcome, { readonly status: "done" }> {
  return { status: "done", output, source: { kind: "web", name: url } };
}

/** An outcome of reading a page, with the passages that were found on it word for word. */
function createReadingOutcome(
  page: WebPage,
  output: string,
  summary: DisplayText,
  quotes: readonly { readonly text: string }[] = [],
): Outcome {
  const { url, title } = page;
  const pages = [{ url, title, quotes: quotes.map(({ text }) => text) }];
  return { ...createPageOutcome(page, output), summary, pages };
}

const NO_TEXT_ON_PAGE = displayText("results.emptyPage");

/** Formats the size of the text read from a page. */
function formatTextSize(text: string): DisplayText {
  return formatDisplaySize(new TextEncoder().encode(text).length);
}

function describeAnswer(answer: string, quotes: number): DisplayText {
  if (answer === "") return displayText("results.noAnswer");
  return quotes === 0 ? displayText("results.answered") : displayText("results.quotes", { count: quotes });
}

/** A page's answer to a question, with quotes and their positions; the start of the page when no model can read it. */
export async function answerFromPage(page: WebPage, question: string, asked: AskOptions): Promise<Outcome> {
  if (page.text === "") return createReadingOutcome(page, addPageHead(page, "The page has no text."), NO_TEXT_ON_PAGE);
  try {
    const { url, text } = page;
    const asking = { kind: "page", name: url, title: new URL(url).host, text } as const;
    const { answer, quotes, unread } = await askText(asking, question, asked);
    const shown = quotes.slice(0, MOST_QUOTES);
    const told = addPageHead(
      page,
      answer === "" ? `The page says nothing about: ${question}` : answer,
      shown.length === 0
        ? ""
        : `Quotes:\n${shown.map(({ text, at }) => `- "${text}" (${describeTextPosition(page.text, at)})`).join("\n")}`,
      unread.length === 0
        ? ""
        : `[The page is long: ${formatQuantity(unread.length, "part")} of it that seemed to be about other things ${unread.length === 1 ? "was" : "were"} not read.]`,
      renderLinks(page.links),
    );
    return createReadingOutcome(page, told, describeAnswer(answer, shown.length), shown);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const why = `[The question could not be put to the model that reads pages: ${error.message} This is the page itself.]`;
    const text = selectTextPart(page.text, 1) ?? "";
    return createReadingOutcome(page, addPageHead(page, why, text), formatTextSize(text));
  }
}

/** One part of a page's text; undefined when there is no such part. */
export function createTextPartOutcome(page: WebPage, part: number): Outcome | undefined {
  if (page.text === "")
    return createReadingOutcome(
      page,
      addPageHead(page, "The page has no text.", renderLinks(page.links)),
      NO_TEXT_ON_PAGE,
    );
  const text = selectTextPart(page.text, part);
  return text === undefined ? undefined : createReadingOutcome(page, addPageHead(page, text), formatTextSize(text));
}

function addPageHead({ title, url, notes }: WebPage, ...rest: readonly string[]): string {
  const head = [title === "" ? "" : `Title: ${title}`, `Address: ${url}`, ...notes.map((note) => `[${note}]`)];
  return [head.filter((line) => line !== "").join("\n"), ...rest].filter((part) => part !== "").join("\n\n");
}

/** The first links with a text. */
function renderLinks(links: readonly PageLink[]): string {
  const telling = links.filter(({ text }) => text !== "");
  if (telling.length === 0) return "";
  const more = links.length - MOST_LINKS;
  const rest = more > 0 ? `\n[${formatQuantity(more, "more link")}: see get_hyperlinks.]` : "";
  return `Links:\n${telling.slice(0, MOST_LINKS).map(formatLinkLine).join("\n")}${rest}`;
}

/** A link on a separate line. */
export function formatLinkLine({ text, url }: PageLink): string {
  return text === "" ? `- ${url}` : `- ${text.slice(0, 200)} (${url})`;
}
