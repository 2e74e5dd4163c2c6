import { WordRanking } from "../../core/base/word-ranking.ts";
import { type Command, createPreparedCall } from "../../core/commands/command.ts";
import { COMMAND } from "../../core/commands/command-traits.ts";
import { listCompanions } from "../../core/commands/offered-commands.ts";
import type { CommandSpec } from "../../core/ports/model.ts";
import { displayText } from "../../texts/display-text.ts";
import { createObjectSchema, createOlderNameTable, getRequiredText } from "../arguments.ts";
import { createSuccess, NOTHING_FOUND } from "../outcomes.ts";

/** The commands that prompts don't offer yet. */
export interface HiddenCommands {
  listHidden(): readonly CommandSpec[];
  /** Tools that no prompt offers, for `call_tool`; absent if there can't be any. */
  listCallableTools?(): readonly CommandSpec[];
}

/** Finds commands that the prompt doesn't offer and adds them to the offer. */
export function findTools(commands: HiddenCommands | undefined): Command {
  return {
    name: "find_tools",
    aliases: ["search_tools", "list_tools", "find_commands"],
    category: "user",
    effect: "none",
    traits: { titles: [{ code: "FindTools" }], role: "findTools", isIdle: true, rank: 0 },
    description:
      "Finds more tools, which you can call from the next step on: code analysis and tests, git history, downloads, pictures, sound, agents and others.",
    parameters: createObjectSchema(
      { query: { type: "string", minLength: 1, description: "words for what you want to do" } },
      ["query"],
    ),
    argumentAliases: createOlderNameTable({ query: "name input tool search text" }),
    withheld: () => (commands ? undefined : "Every command is offered here."),
    prepare: async (args) => {
      const query = getRequiredText(args, "query");
      return createPreparedCall("none", `Find tools for: ${query}`, async ({ record }) => {
        const hidden = commands?.listHidden() ?? [];
        const more = commands?.listCallableTools?.() ?? [];
        const found = findMatchingNames(query, hidden);
        const tools = TOOLS.findBest(query, more, MOST_TOOLS);
        if (found.length === 0 && tools.length === 0)
          return createSuccess(
            `No other tool fits. There are:\n${renderCommandNames([...hidden, ...more])}`,
            NOTHING_FOUND,
          );
        if (found.length > 0) await record({ type: "changed", commands: found });
        const left = new Set(commands?.listHidden().map(({ name }) => name));
        const names = found.filter((name) => !left.has(name));
        const texts = [
          ...(names.length > 0 ? [`You can now call ${names.join(", ")}.`] : []),
          ...(tools.length > 0 ? [renderToolDefinitions(tools)] : []),
        ];
        const all = [...names, ...tools.map(({ name }) => name)];
        const outcome = createSuccess(texts.join("\n\n"), displayText("timeline.addedTools", { names: all }));
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
  name: `${COMMAND.findTools}, with descriptions that their servers wrote`,
} as const;

const GROUPS = new WordRanking<CommandSpec>(({ name, description }) => `${name} ${name} ${name} ${description}`);
const TOOLS = new WordRanking<CommandSpec>(
  ({ name, description, parameters }) =>
    `${name} ${name} ${description} ${Object.keys(Object(parameters.properties)).join(" ")}`,
);

/** The names of the commands that match a query, each with its companions; the best match comes last. */
function findMatchingNames(query: string, hidden: readonly CommandSpec[]): readonly string[] {
  const ranked = GROUPS.findBest(query, hidden, MAX_GROUPS).map(({ name }) => name);
  const isHidden = (name: string): boolean => hidden.some((spec) => spec.name === name);
  const companions = ranked.flatMap(listCompanions).filter(isHidden);
  return [...new Set([...ranked, ...companions])].toReversed();
}

/** Describes how to call the tools, the best match first; as many as fit, at least one. */
function renderToolDefinitions(tools: readonly CommandSpec[]): string {
  const texts = tools.map(
    ({ name, description, parameters, ...more }) =>
      `${name}: ${description}\nArguments: ${JSON.stringify("offered" in more ? more.offered : parameters)}`,
  );
  let left = MOST_CHARS;
  const fitting = texts.filter((text, index) => {
    left -= text.length;
    return index === 0 || left >= 0;
  });
  return `Call these with ${COMMAND.callTool}, with the name and the arguments:\n\n${fitting.join("\n\n")}`;
}

const MOST_NAMES = 60;

function renderCommandNames(specs: readonly CommandSpec[]): string {
  const rest = specs.length - MOST_NAMES;
  const lines = specs.slice(0, MOST_NAMES).map(formatToolLine);
  return [...lines, ...(rest > 0 ? [`… and ${rest} more. Use other words to find them.`] : [])].join("\n");
}

function formatToolLine({ name, description }: CommandSpec): string {
  return `- ${name}: ${description.replace(/\. .*$/s, ".")}`;
}
