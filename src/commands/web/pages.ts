import { formatQuantity } from "../../core/base/text.ts";
import type { Command, PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { WebPage } from "../../core/ports/services.ts";
import { displayText } from "../../texts/display-text.ts";
import { type Args, createObjectSchema, getNumberArgument, getTextArgument } from "../arguments.ts";
import { createFailure } from "../outcomes.ts";
import { preparePage, URL_ALIASES, URL_ARGUMENT } from "./page-command.ts";
import { answerFromPage, createPageOutcome, createTextPartOutcome, formatLinkLine } from "./page-text.ts";
import { explainMissingService, findService, type ServiceDependencies } from "./services.ts";

/** Opens a page and reads it, for a question or as plain text. */
export function browseWebsite(place: ServiceDependencies): Command {
  return {
    name: "browse_website",
    aliases: ["browse", "read_webpage", "open_url", "fetch_url", "web_fetch", "fetch", "visit_website"],
    category: "web",
    effect: "network",
    traits: {
      titles: [{ code: "ReadPage", address: "url" }],
      question: { code: "openPage", address: "url" },
      rank: 60,
      page: "text",
      resource: "The internet.",
    },
    description:
      "Opens a web page. A question is answered from the whole page, with quotes; without one you get the text in parts.",
    parameters: createObjectSchema(
      {
        url: URL_ARGUMENT,
        question: { type: "string" },
        part: { type: "integer", minimum: 1 },
      },
      ["url"],
    ),
    argumentAliases: {
      ...URL_ALIASES,
      query: "question",
      what_you_want_to_find_on_website: "question",
      prompt: "question",
    },
    withheld: () => explainMissingService(findService(place, "web")),
    prepare: async (args) => prepareReading(place, args),
  };
}

function prepareReading(place: ServiceDependencies, args: Args): PreparedCall | Outcome {
  const question = getTextArgument(args, "question")?.trim() ?? "";
  const part = getNumberArgument(args, "part") ?? 1;
  return preparePage(place, args, {
    what: question === "" ? `Read part ${part} of its text.` : `Answer from it: ${question}`,
    browser: true,
    async read(page, running, services) {
      if (question !== "") return answerFromPage(page, question, { ...running, model: await services.getFastModel() });
      const noPart = displayText("results.noPart");
      return (
        createTextPartOutcome(page, part) ?? createFailure(`The page has no part ${part}. Begin with part 1.`, noPart)
      );
    },
  });
}

const MOST_LINKS = 200;

/** Lists the links of a page. */
export function getHyperlinks(place: ServiceDependencies): Command {
  return {
    name: "get_hyperlinks",
    aliases: ["list_links", "get_links", "extract_links", "scrape_links", "extract_urls"],
    category: "web",
    effect: "network",
    traits: {
      titles: [{ code: "ListLinks", address: "url" }],
      question: { code: "openPage", address: "url" },
      rank: 270,
    },
    description: "Lists the links of a web page.",
    parameters: createObjectSchema({ url: URL_ARGUMENT }, ["url"]),
    argumentAliases: URL_ALIASES,
    withheld: () => explainMissingService(findService(place, "web")),
    prepare: async (args) => prepareLinks(place, args),
  };
}

function prepareLinks(place: ServiceDependencies, args: Args): PreparedCall | Outcome {
  return preparePage(place, args, { what: "List its links.", browser: true, read: createLinksOutcome });
}

function createLinksOutcome(page: WebPage): Outcome {
  const more = page.links.length - MOST_LINKS;
  const lines = [
    page.links.length === 0
      ? `${page.url} has no links.`
      : `${formatQuantity(page.links.length, "link")} of ${page.url}:`,
    ...page.links.slice(0, MOST_LINKS).map(formatLinkLine),
    ...(more > 0 ? [`[${formatQuantity(more, "more link")}.]`] : []),
    ...page.notes.map((note) => `[${note}]`),
  ];
  return {
    ...createPageOutcome(page, lines.join("\n")),
    summary: displayText("timeline.links", { count: page.links.length }),
  };
}

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
    prepare: async (args) => prepareSummary(place, args),
  };
}

const DEFAULT_QUESTION = "What is this about, and what are its main points?";

function prepareSummary(place: ServiceDependencies, args: Args): PreparedCall | Outcome {
  const question = getTextArgument(args, "question")?.trim() || DEFAULT_QUESTION;
  return preparePage(place, args, {
    what: `Sum it up: ${question}`,
    browser: false,
    read: async (page, running, services) =>
      answerFromPage(page, question, { ...running, model: await services.getFastModel() }),
  });
}
