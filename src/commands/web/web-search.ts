import { type Command, type PreparedCall, prepared } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { SearchHit } from "../../core/ports/services.ts";
import { displayText, inEnglish } from "../../texts/display-text.ts";
import { type Args, number, objectSchema, requiredText } from "../arguments.ts";
import { done, failed, NOTHING_FOUND } from "../outcomes.ts";
import { isMissing, type ServiceDependencies, serviceOf, whyMissing, withServiceErrors } from "./services.ts";

const COUNT = 8;
const MOST = 20;

/** Searches the web. */
export function webSearch(place: ServiceDependencies): Command {
  return {
    name: "web_search",
    aliases: ["google", "google_search", "google_official_search", "search", "duckduckgo", "search_web"],
    category: "web",
    effect: "network",
    description: "Searches the web for titles, addresses and excerpts. Read a result with browse_website.",
    parameters: objectSchema(
      {
        query: { type: "string", minLength: 1, maxLength: 500 },
        num_results: { type: "integer", minimum: 1, maximum: MOST },
      },
      ["query"],
    ),
    argumentAliases: {
      input: "query",
      q: "query",
      question: "query",
      count: "num_results",
      limit: "num_results",
    },
    withheld: () => whyMissing(serviceOf(place, "search")),
    prepare: (args) => prepare(place, args),
  };
}

async function prepare(place: ServiceDependencies, args: Args): Promise<PreparedCall | Outcome> {
  const search = serviceOf(place, "search");
  if (isMissing(search)) return failed(inEnglish(search.missing));
  const query = requiredText(args, "query").trim();
  if (query === "") return failed("The query is empty. Say what to search for.");
  const count = number(args, "num_results") ?? COUNT;
  const { name, host } = search;
  return prepared(
    "network",
    `Search the web with ${name} (${host}) for:\n${query}`,
    ({ signal }) =>
      withServiceErrors(async () => {
        const found = await search.find(query, count, signal);
        if (found.length === 0)
          return done(`${name} found nothing for "${query}". Try other or fewer words.`, NOTHING_FOUND);
        const output = found.slice(0, count).map(resultText).join("\n\n");
        const summary = displayText("results.pages", { count: Math.min(count, found.length) });
        return { ...done(output, summary), source: { kind: "web", name: `${name}: ${query}` } };
      }),
    { hosts: [host] },
  );
}

function resultText({ title, url, excerpt }: SearchHit, index: number): string {
  return `${index + 1}. ${title}\n${url}${excerpt === "" ? "" : `\n${excerpt}`}`;
}
