import type { Command, Prepared } from "../../core/command.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Page } from "../../core/web.ts";
import { type Args, objectSchema } from "../arguments.ts";
import { type AwayPlace, partOf, whyMissing } from "../away-parts.ts";
import { counted } from "../units.ts";
import { URL_ALIASES, URL_ARGUMENT } from "./address.ts";
import { lookAt } from "./look-at.ts";
import { fromPage, linkLine } from "./page-text.ts";

const MOST = 200;

/** Lists where a page leads. */
export function getHyperlinks(place: AwayPlace): Command {
  return {
    name: "get_hyperlinks",
    aliases: ["list_links", "get_links", "extract_links", "scrape_links", "extract_urls"],
    category: "web",
    effect: "network",
    description: "Lists the links of a web page with their absolute addresses.",
    parameters: objectSchema({ url: URL_ARGUMENT }, ["url"]),
    argumentAliases: URL_ALIASES,
    withheld: () => whyMissing(partOf(place, "web")),
    prepare: async (args) => prepare(place, args),
  };
}

function prepare(place: AwayPlace, args: Args): Prepared | Outcome {
  return lookAt(place, args, { what: "List its links.", browser: true, read: linksOf });
}

function linksOf(page: Page): Outcome {
  const more = page.links.length - MOST;
  const lines = [
    page.links.length === 0
      ? `${page.url} has no links.`
      : `${counted(page.links.length, "link")} of ${page.url}:`,
    ...page.links.slice(0, MOST).map(linkLine),
    ...(more > 0 ? [`[${counted(more, "more link")}.]`] : []),
    ...page.notes.map((note) => `[${note}]`),
  ];
  return fromPage(page, lines.join("\n"));
}
