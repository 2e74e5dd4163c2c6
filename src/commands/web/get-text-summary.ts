import type { Command, PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { type Args, createObjectSchema, getTextArgument } from "../arguments.ts";
import { preparePage, URL_ALIASES, URL_ARGUMENT } from "./page-command.ts";
import { answerFromPage } from "./page-text.ts";
import { explainMissingService, findService, type ServiceDependencies } from "./services.ts";

/** Summarizes a page. */
export function getTextSummary(place: ServiceDependencies): Command {
  return {
    name: "get_text_summary",
    aliases: ["summarize_website", "summarize_page", "summarize_url"],
    category: "web",
    effect: "network",
    traits: { titles: [{ code: "SummarizePage", address: "url" }], rank: 270, page: "summary" },
    description: "Summarizes a web page, without running its scripts.",
    parameters: createObjectSchema({ url: URL_ARGUMENT, question: { type: "string" } }, ["url"]),
    argumentAliases: { ...URL_ALIASES, query: "question", focus: "question" },
    withheld: () => explainMissingService(findService(place, "web")),
    prepare: async (args) => prepare(place, args),
  };
}

const WHOLE = "What is this about, and what are its main points?";

function prepare(place: ServiceDependencies, args: Args): PreparedCall | Outcome {
  const question = getTextArgument(args, "question")?.trim() || WHOLE;
  return preparePage(place, args, {
    what: `Sum it up: ${question}`,
    browser: false,
    read: async (page, running, services) =>
      answerFromPage(page, question, { ...running, model: await services.getFastModel() }),
  });
}
