import { counted } from "../../core/base/text.ts";
import type { Command, PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { WebPage } from "../../core/ports/services.ts";
import { displayText } from "../../texts/display-text.ts";
import { type Args, objectSchema } from "../arguments.ts";
import { preparePage, URL_ALIASES, URL_ARGUMENT } from "./page-command.ts";
import { fromPage, linkLine } from "./page-text.ts";
import { type ServiceDependencies, serviceOf, whyMissing } from "./services.ts";

const MOST = 200;

/** Lists the links of a page. */
export function getHyperlinks(place: ServiceDependencies): Command {
  return {
    name: "get_hyperlinks",
    aliases: ["list_links", "get_links", "extract_links", "scrape_links", "extract_urls"],
    category: "web",
    effect: "network",
    description: "Lists the links of a web page.",
    parameters: objectSchema({ url: URL_ARGUMENT }, ["url"]),
    argumentAliases: URL_ALIASES,
    withheld: () => whyMissing(serviceOf(place, "web")),
    prepare: async (args) => prepare(place, args),
  };
}

function prepare(place: ServiceDependencies, args: Args): PreparedCall | Outcome {
  return preparePage(place, args, { what: "List its links.", browser: true, read: linksOf });
}

function linksOf(page: WebPage): Outcome {
  const more = page.links.length - MOST;
  const lines = [
    page.links.length === 0
      ? `${page.url} has no links.`
      : `${counted(page.links.length, "link")} of ${page.url}:`,
    ...page.links.slice(0, MOST).map(linkLine),
    ...(more > 0 ? [`[${counted(more, "more link")}.]`] : []),
    ...page.notes.map((note) => `[${note}]`),
  ];
  return {
    ...fromPage(page, lines.join("\n")),
    summary: displayText("timeline.links", { count: page.links.length }),
  };
}
