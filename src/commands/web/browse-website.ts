import type { Command, PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { displayText } from "../../texts/display-text.ts";
import { type Args, createNumberSchema, createObjectSchema, getTextArgument } from "../arguments.ts";
import { createFailure } from "../outcomes.ts";
import { preparePage, URL_ALIASES, URL_ARGUMENT } from "./page-command.ts";
import { answerFromPage, createTextPartOutcome } from "./page-text.ts";
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
    prepare: async (args) => prepare(place, args),
  };
}

function prepare(place: ServiceDependencies, args: Args): PreparedCall | Outcome {
  const question = getTextArgument(args, "question")?.trim() ?? "";
  const part = createNumberSchema(args, "part") ?? 1;
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
