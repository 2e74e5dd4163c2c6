import type { Command, Prepared } from "../../core/command.ts";
import type { Outcome } from "../../core/outcome.ts";
import { type Args, objectSchema, text } from "../arguments.ts";
import { type AwayPlace, partOf, whyMissing } from "../away-parts.ts";
import { URL_ALIASES, URL_ARGUMENT } from "./address.ts";
import { lookAt } from "./look-at.ts";
import { answerText, fromPage } from "./page-text.ts";

/** Sums a page up. */
export function getTextSummary(place: AwayPlace): Command {
  return {
    name: "get_text_summary",
    aliases: ["summarize_website", "summarize_page", "summarize_url"],
    category: "web",
    effect: "network",
    description: "Sums up a web page in a few paragraphs, without opening a browser for its scripts.",
    parameters: objectSchema(
      { url: URL_ARGUMENT, question: { type: "string", description: "What the summary shall be about." } },
      ["url"],
    ),
    argumentAliases: { ...URL_ALIASES, query: "question", focus: "question" },
    withheld: () => whyMissing(partOf(place, "web")),
    prepare: async (args) => prepare(place, args),
  };
}

const WHOLE = "What is this about, and what are its main points?";

function prepare(place: AwayPlace, args: Args): Prepared | Outcome {
  const question = text(args, "question")?.trim() || WHOLE;
  return lookAt(place, args, {
    what: `Sum it up: ${question}`,
    browser: false,
    read: async (page, running, away) =>
      fromPage(page, await answerText(page, question, { ...running, model: await away.fast() })),
  });
}
