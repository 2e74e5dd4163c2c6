import { type Command, createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { SearchHit } from "../../core/ports/services.ts";
import { displayText, writeInEnglish } from "../../texts/display-text.ts";
import { type Args, createObjectSchema, getNumberArgument, getRequiredText } from "../arguments.ts";
import { createFailure, createSuccess, NOTHING_FOUND } from "../outcomes.ts";
import {
  catchServiceErrors,
  explainMissingService,
  findService,
  isMissing,
  type ServiceDependencies,
} from "./services.ts";

const COUNT = 8;
const MOST = 20;

/** Searches the web. */
export function createWebSearchCommand(place: ServiceDependencies): Command {
  return {
    name: "web_search",
    aliases: ["google", "google_search", "google_official_search", "search", "duckduckgo", "search_web"],
    category: "web",
    effect: "network",
    traits: {
      titles: [{ code: "WebSearch", text: "query" }],
      question: { code: "searchWeb", query: "query" },
      rank: 60,
      resource: "The internet.",
    },
    description: "Searches the web for titles, addresses and excerpts. Read a result with browse_website.",
    parameters: createObjectSchema(
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
    withheld: () => explainMissingService(findService(place, "search")),
    prepare: (args) => prepare(place, args),
  };
}

async function prepare(place: ServiceDependencies, args: Args): Promise<PreparedCall | Outcome> {
  const search = findService(place, "search");
  if (isMissing(search)) return createFailure(writeInEnglish(search.missing));
  const query = getRequiredText(args, "query").trim();
  if (query === "") return createFailure("The query is empty. Say what to search for.");
  const count = getNumberArgument(args, "num_results") ?? COUNT;
  const { name, host } = search;
  return createPreparedCall(
    "network",
    `Search the web with ${name} (${host}) for:\n${query}`,
    ({ signal }) =>
      catchServiceErrors(async () => {
        const found = await search.find(query, count, signal);
        if (found.length === 0)
          return createSuccess(`${name} found nothing for "${query}". Try other or fewer words.`, NOTHING_FOUND);
        const output = found.slice(0, count).map(formatSearchHit).join("\n\n");
        const summary = displayText("results.pages", { count: Math.min(count, found.length) });
        return { ...createSuccess(output, summary), source: { kind: "web", name: `${name}: ${query}` } };
      }),
    { hosts: [host] },
  );
}

function formatSearchHit({ title, url, excerpt }: SearchHit, index: number): string {
  return `${index + 1}. ${title}\n${url}${excerpt === "" ? "" : `\n${excerpt}`}`;
}
