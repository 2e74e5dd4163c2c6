import { type Command, type Prepared, prepared } from "../../core/command.ts";
import type { Outcome } from "../../core/outcome.ts";
import { type Args, objectSchema, requiredText, text } from "../arguments.ts";
import { type AwayPlace, isMissing, partOf, whyMissing } from "../away-parts.ts";
import { onWeb } from "../on-web.ts";
import { failed } from "../outcomes.ts";
import { readAddress, URL_ALIASES, URL_ARGUMENT } from "./address.ts";
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
    prepare: (args) => prepare(place, args),
  };
}

const WHOLE = "What is this about, and what are its main points?";

async function prepare(place: AwayPlace, args: Args): Promise<Prepared | Outcome> {
  const web = partOf(place, "web");
  const { away } = place;
  if (isMissing(web) || !away) return failed("The web is turned off.");
  const url = readAddress(requiredText(args, "url"));
  if (typeof url === "string") return failed(url);
  const question = text(args, "question")?.trim() || WHOLE;
  return prepared(
    "network",
    `Open ${url.href}\nSum it up: ${question}`,
    (running) =>
      onWeb(async () => {
        const page = await lookAt(web, url, running, false);
        return fromPage(page, await answerText(page, question, { ...running, model: await away.fast() }));
      }),
    { hosts: [url.hostname] },
  );
}
