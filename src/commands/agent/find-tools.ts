import { type Command, prepared } from "../../core/commands/command.ts";
import { companionsOf, FIND_TOOLS } from "../../core/commands/offered-commands.ts";
import type { CommandSpec } from "../../core/ports/model.ts";
import { displayText } from "../../texts/display-text.ts";
import { objectSchema, olderNames, requiredText } from "../arguments.ts";
import { done, NOTHING_FOUND } from "../outcomes.ts";

/** The commands that prompts don't offer yet. */
export interface HiddenCommands {
  hidden(): readonly CommandSpec[];
}

/** Finds commands that the prompt doesn't offer and adds them to the offer. */
export function findTools(commands: HiddenCommands | undefined): Command {
  return {
    name: FIND_TOOLS,
    aliases: ["search_tools", "list_tools", "find_commands"],
    category: "user",
    effect: "none",
    description:
      "Finds more tools, which you can call from the next step on: code analysis and tests, git history, downloads, pictures, sound, agents and others.",
    parameters: objectSchema(
      { query: { type: "string", minLength: 1, description: "words for what you want to do" } },
      ["query"],
    ),
    argumentAliases: olderNames({ query: "name input tool search text" }),
    withheld: () => (commands ? undefined : "Every command is offered here."),
    prepare: async (args) => {
      const query = requiredText(args, "query");
      return prepared("none", `Find tools for: ${query}`, async ({ record }) => {
        const hidden = commands?.hidden() ?? [];
        const found = matches(query, hidden);
        if (found.length === 0)
          return done(`No other tool fits. There are:\n${hidden.map(nameLine).join("\n")}`, NOTHING_FOUND);
        await record({ type: "changed", commands: found });
        const left = new Set(commands?.hidden().map(({ name }) => name));
        const names = found.filter((name) => !left.has(name));
        return done(`You can now call ${names.join(", ")}.`, displayText("timeline.addedTools", { names }));
      });
    },
  };
}

const MAX_GROUPS = 3;

/** The names of the commands that fit a query, each with its companions, the best match last. */
function matches(query: string, hidden: readonly CommandSpec[]): readonly string[] {
  const wanted = wordsOf(query);
  const ranked = hidden
    .map((spec) => ({ spec, score: scoreOf(spec, wanted) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MAX_GROUPS)
    .map(({ spec }) => spec.name);
  const isHidden = (name: string): boolean => hidden.some((spec) => spec.name === name);
  const companions = ranked.flatMap(companionsOf).filter(isHidden);
  return [...new Set([...ranked, ...companions])].toReversed();
}

/** Words in the name count more than those in the description. */
function scoreOf({ name, description }: CommandSpec, wanted: readonly string[]): number {
  const named = wordsOf(name);
  const described = wordsOf(description);
  return wanted.reduce(
    (sum, word) => sum + (named.includes(word) ? 3 : 0) + (described.includes(word) ? 1 : 0),
    0,
  );
}

/** The words of a text without the most common endings, so that "images" finds "image". */
function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => word.length > 2).map((word) => word.replace(/(?:ing|es|ed|s|e)$/, ""));
}

function nameLine({ name, description }: CommandSpec): string {
  return `- ${name}: ${description.replace(/\. .*$/s, ".")}`;
}
