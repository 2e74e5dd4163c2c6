import { type Command, type Prepared, prepared } from "../../core/command.ts";
import type { Outcome } from "../../core/outcome.ts";
import { type Args, objectSchema, requiredText } from "../arguments.ts";
import { type AwayPlace, isMissing, partOf, whyMissing } from "../away-parts.ts";
import { onWeb } from "../on-web.ts";
import { failed } from "../outcomes.ts";
import { counted } from "../units.ts";
import { readAddress, URL_ALIASES, URL_ARGUMENT } from "./address.ts";
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
    prepare: (args) => prepare(place, args),
  };
}

async function prepare(place: AwayPlace, args: Args): Promise<Prepared | Outcome> {
  const web = partOf(place, "web");
  if (isMissing(web)) return failed("The web is turned off.");
  const url = readAddress(requiredText(args, "url"));
  if (typeof url === "string") return failed(url);
  return prepared(
    "network",
    `Open ${url.href}\nList its links.`,
    (running) =>
      onWeb(async () => {
        const page = await lookAt(web, url, running, true);
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
      }),
    { hosts: [url.hostname] },
  );
}
