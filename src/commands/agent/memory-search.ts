import { type Command, createPreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Memory } from "../../core/ports/storage.ts";
import type { RecalledMemory } from "../../schema/run-values.ts";
import { displayText } from "../../texts/display-text.ts";
import { createNumberSchema, createObjectSchema, getRequiredText, getTextArgument } from "../arguments.ts";
import { createSuccess, NOTHING_FOUND } from "../outcomes.ts";

const COUNT = 5;
const MOST = 20;
const KINDS = ["note", "episode", "page", "file"];

/** Searches the memories of this run and of others. */
export function createMemorySearchCommand(memory: Memory | undefined): Command {
  return {
    name: "memory_search",
    aliases: ["recall", "search_memory", "memory_query", "remember_query"],
    category: "memory",
    effect: "read",
    traits: {
      titles: [{ code: "SearchMemory", text: "query" }],
      rank: 70,
      reads: "once",
      isForgettable: true,
      resource: "A memory of earlier runs.",
    },
    description: "Searches notes, earlier steps and runs, and pages read in this workspace.",
    parameters: createObjectSchema(
      {
        query: { type: "string", minLength: 1, maxLength: 2_000 },
        count: { type: "integer", minimum: 1, maximum: MOST },
        kind: { type: "string", enum: KINDS },
      },
      ["query"],
    ),
    argumentAliases: { input: "query", text: "query", question: "query", limit: "count" },
    withheld: () => (memory ? undefined : "The memory is turned off (autogpt.memory.enabled)."),
    prepare: async (args) => {
      const query = getRequiredText(args, "query");
      const kind = getTextArgument(args, "kind");
      const among = kind === undefined ? "" : ` (kind: ${kind})`;
      return createPreparedCall("read", `Look into the memory for: ${query}${among}`, async ({ signal }) =>
        createSearchOutcome(
          query,
          (await memory?.search(query, createNumberSchema(args, "count") ?? COUNT, signal, kind)) ?? [],
        ),
      );
    },
  };
}

/** Results are data from the memory; only those that are proven to be the user's own count as trusted. */
function createSearchOutcome(query: string, found: readonly RecalledMemory[]): Outcome {
  if (found.length === 0) return createSuccess("Nothing about that is in memory.", NOTHING_FOUND);
  const output = found.map(({ text, source }, index) => `${index + 1}. ${source}\n${text}`).join("\n\n");
  const clean = found.every(({ isClean }) => isClean) ? ({ isClean: true } as const) : {};
  return {
    ...createSuccess(output, displayText("timeline.memories", { count: found.length })),
    source: { kind: "memory", name: `a search for "${query.slice(0, 80)}"`, ...clean },
  };
}
