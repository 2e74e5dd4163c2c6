import { WordRanking } from "../../core/base/word-ranking.ts";
import { type Command, prepared } from "../../core/commands/command.ts";
import { CALL_TOOL, companionsOf, FIND_TOOLS } from "../../core/commands/offered-commands.ts";
import type { CommandSpec } from "../../core/ports/model.ts";
import { displayText } from "../../texts/display-text.ts";
import { objectSchema, olderNames, requiredText } from "../arguments.ts";
import { done, NOTHING_FOUND } from "../outcomes.ts";

/** The commands that prompts don't offer yet. */
export interface HiddenCommands {
  hidden(): readonly CommandSpec[];
  /** Tools that no prompt offers, for `call_tool`; absent if there can't be any. */
  more?(): readonly CommandSpec[];
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
        const more = commands?.more?.() ?? [];
        const found = matches(query, hidden);
        const tools = TOOLS.best(query, more, MOST_TOOLS);
        if (found.length === 0 && tools.length === 0)
          return done(`No other tool fits. There are:\n${namesOf([...hidden, ...more])}`, NOTHING_FOUND);
        if (found.length > 0) await record({ type: "changed", commands: found });
        const left = new Set(commands?.hidden().map(({ name }) => name));
        const names = found.filter((name) => !left.has(name));
        const texts = [
          ...(names.length > 0 ? [`You can now call ${names.join(", ")}.`] : []),
          ...(tools.length > 0 ? [definitions(tools)] : []),
        ];
        const all = [...names, ...tools.map(({ name }) => name)];
        const outcome = done(texts.join("\n\n"), displayText("timeline.addedTools", { names: all }));
        return tools.length === 0 ? outcome : { ...outcome, source: DESCRIBED };
      });
    },
  };
}

const MAX_GROUPS = 3;
/** Definitions of tools in one answer, and their characters. */
const MOST_TOOLS = 6;
const MOST_CHARS = 24_000;

/** Servers describe their tools themselves. */
const DESCRIBED = {
  kind: "tool",
  name: `${FIND_TOOLS}, with descriptions that their servers wrote`,
} as const;

const GROUPS = new WordRanking<CommandSpec>(
  ({ name, description }) => `${name} ${name} ${name} ${description}`,
);
const TOOLS = new WordRanking<CommandSpec>(
  ({ name, description, parameters }) =>
    `${name} ${name} ${description} ${Object.keys(Object(parameters.properties)).join(" ")}`,
);

/** The names of the commands that fit a query, each with its companions, the best match last. */
function matches(query: string, hidden: readonly CommandSpec[]): readonly string[] {
  const ranked = GROUPS.best(query, hidden, MAX_GROUPS).map(({ name }) => name);
  const isHidden = (name: string): boolean => hidden.some((spec) => spec.name === name);
  const companions = ranked.flatMap(companionsOf).filter(isHidden);
  return [...new Set([...ranked, ...companions])].toReversed();
}

/** How the tools are called, the best match first; as many as fit, at least one. */
function definitions(tools: readonly CommandSpec[]): string {
  const texts = tools.map(
    ({ name, description, parameters, ...more }) =>
      `${name}: ${description}\nArguments: ${JSON.stringify("offered" in more ? more.offered : parameters)}`,
  );
  let left = MOST_CHARS;
  const fitting = texts.filter((text, index) => {
    left -= text.length;
    return index === 0 || left >= 0;
  });
  return `Call these with ${CALL_TOOL}, with the name and the arguments:\n\n${fitting.join("\n\n")}`;
}

const MOST_NAMES = 60;

function namesOf(specs: readonly CommandSpec[]): string {
  const rest = specs.length - MOST_NAMES;
  const lines = specs.slice(0, MOST_NAMES).map(nameLine);
  return [...lines, ...(rest > 0 ? [`… and ${rest} more. Use other words to find them.`] : [])].join("\n");
}

function nameLine({ name, description }: CommandSpec): string {
  return `- ${name}: ${description.replace(/\. .*$/s, ".")}`;
}
