import type { RunState } from "../../schema/run-state.ts";
import type { ReadPage } from "../../schema/run-values.ts";
import { findTraits } from "../commands/command-traits.ts";
import type { Outcome } from "../commands/outcome.ts";
import type { Reply } from "../reply/reply.ts";

/** Limits of what a run lists at its end. */
const MOST_PAGES = 50;
const MOST_QUOTES = 8;

/** Adds the pages that a step read to those of a run. A page that is read again is listed once, with all its quotes. */
export function addReadPages(
  pages: readonly ReadPage[],
  { reply, outcome }: { readonly reply?: Reply | undefined; readonly outcome: Outcome },
): readonly ReadPage[] {
  return listReadPages(reply, outcome).reduce(addPage, pages);
}

/** The pages that an answer may be based on, with the passages that it quotes word for word from a recently read page. */
export function listAnswerPages(
  answer: string,
  { pages = [], recent }: Pick<RunState, "pages" | "recent">,
): readonly ReadPage[] {
  const passages = [...answer.matchAll(QUOTED)].map(([, passage = ""]) => passage.trim());
  return recent.reduce((all, { reply, outcome }) => {
    if (outcome?.status !== "done" || !isPlainReading(reply)) return all;
    const [page] = listReadPages(reply, outcome);
    const text = normalizeText(outcome.output);
    const quotes = passages.filter((passage) => text.includes(normalizeText(passage)));
    return page && quotes.length > 0 ? addPage(all, { ...page, quotes }) : all;
  }, pages);
}

/** True for a read whose outcome is the page's own text, not a model's answer based on it. */
function isPlainReading(reply: Reply | undefined): boolean {
  if (reply?.kind !== "proposal" || findTraits(reply.call.name)?.page !== "text") return false;
  const { question } = reply.call.args;
  return typeof question !== "string" || question.trim() === "";
}

/** A passage of at least a few words between quotation marks. */
const QUOTED = /["“]([^"“”\n]{12,400})["”]/g;

/** A text without Markdown marks and differences in white space and quotation marks. */
function normalizeText(text: string): string {
  return text
    .replace(/[*_`\\]/g, "")
    .replace(/[‘’]/g, "'")
    .replace(/\s+/g, " ");
}

/** Outcomes in logs of 0.1.0 name only the address. */
function listReadPages(reply: Reply | undefined, outcome: Outcome): readonly ReadPage[] {
  if (outcome.status !== "done") return [];
  const { pages, source } = outcome;
  if (pages || source?.kind !== "web" || reply?.kind !== "proposal") return pages ?? [];
  return findTraits(reply.call.name)?.page ? [{ url: source.name, title: "", quotes: [] }] : [];
}

function addPage(pages: readonly ReadPage[], page: ReadPage): readonly ReadPage[] {
  const known = pages.find(({ url }) => url === page.url);
  const quotes = [...new Set([...(known?.quotes ?? []), ...page.quotes])].slice(0, MOST_QUOTES);
  const one = { url: page.url, title: page.title || (known?.title ?? ""), quotes };
  if (known) return pages.map((other) => (other === known ? one : other));
  return pages.length < MOST_PAGES ? [...pages, one] : pages;
}
