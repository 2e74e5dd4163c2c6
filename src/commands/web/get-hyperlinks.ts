import { formatQuantity } from "../../core/base/text.ts";
import type { Command, PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { WebPage } from "../../core/ports/services.ts";
import { displayText } from "../../texts/display-text.ts";
import { type Args, createObjectSchema } from "../arguments.ts";
import { preparePage, URL_ALIASES, URL_ARGUMENT } from "./page-command.ts";
import { createPageOutcome, formatLinkLine } from "./page-text.ts";
import { explainMissingService, findService, type ServiceDependencies } from "./services.ts";

const MOST = 200;

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
    prepare: async (args) => prepare(place, args),
  };
}

function prepare(place: ServiceDependencies, args: Args): PreparedCall | Outcome {
  return preparePage(place, args, { what: "List its links.", browser: true, read: createLinksOutcome });
}

function createLinksOutcome(page: WebPage): Outcome {
  const more = page.links.length - MOST;
  const lines = [
    page.links.length === 0
      ? `${page.url} has no links.`
      : `${formatQuantity(page.links.length, "link")} of ${page.url}:`,
    ...page.links.slice(0, MOST).map(formatLinkLine),
    ...(more > 0 ? [`[${formatQuantity(more, "more link")}.]`] : []),
    ...page.notes.map((note) => `[${note}]`),
  ];
  return {
    ...createPageOutcome(page, lines.join("\n")),
    summary: displayText("timeline.links", { count: page.links.length }),
  };
}
