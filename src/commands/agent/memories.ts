import { type Command, createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Memory } from "../../core/ports/storage.ts";
import type { RecalledMemory } from "../../schema/run-values.ts";
import { displayText, writeInEnglish } from "../../texts/display-text.ts";
import { createObjectSchema, getNumberArgument, getRequiredText, getTextArgument } from "../arguments.ts";
import { createNewTextFile, type FileChangeDependencies, prepareFileChange } from "../file-change.ts";
import { createFailure, createSuccess, createTextSummary, NOTHING_FOUND, shortenToOneLine } from "../outcomes.ts";

/** Dependencies of saving notes. */
interface MemoryAddDependencies extends FileChangeDependencies {
  readonly memory?: Memory | undefined;
}

/** Saves a note for later steps and runs, or as a file of the repository for everybody who works on it. */
export function createMemoryAddCommand(parts: MemoryAddDependencies): Command {
  const { memory } = parts;
  return {
    name: "memory_add",
    aliases: ["remember", "memory_save", "save_memory"],
    category: "memory",
    effect: "none",
    traits: {
      titles: [{ code: "ShareNote", when: "shared" }, { code: "Remember" }],
      rank: 70,
      isForgettable: true,
    },
    description:
      "Keeps a note for later steps and runs here: a decision, a fact that was hard to find, a wish of the user.",
    parameters: createObjectSchema(
      {
        text: { type: "string", minLength: 1, maxLength: 20_000 },
        shared: {
          type: "boolean",
          description: "For the whole team, as a file. Only if the user wants that.",
        },
      },
      ["text"],
    ),
    argumentAliases: { note: "text", content: "text", contents: "text", string: "text", memory: "text" },
    withheld: () => (memory ? undefined : "The memory is turned off (autogpt.memory.enabled)."),
    prepare: async (args) => {
      const text = getRequiredText(args, "text");
      if (text.trim() === "") return createFailure(writeInEnglish(displayText("trouble.nothingToRemember")));
      if (memory && args.shared === true) return prepareSharedNote(parts, memory, text);
      return createPreparedCall("none", `Remember in this workspace:\n\n${text}`, async () => {
        const server = await memory?.add(text);
        if (server === undefined) return createSuccess("Saved to memory.", createTextSummary(text));
        const shared = displayText("results.sharedNote", { text: shortenToOneLine(text), server });
        return createSuccess("Saved to memory, which is shared with the team.", shared);
      });
    },
  };
}

/** A note for the team is a new file, so it is shown and approved like any other file that the agent writes. */
async function prepareSharedNote(
  parts: FileChangeDependencies,
  memory: Memory,
  text: string,
): Promise<PreparedCall | Outcome> {
  const { path, contents } = await memory.prepareNoteFile(text);
  const place = await parts.workspace.locate(path, "new");
  return prepareFileChange(parts, {
    place,
    after: createNewTextFile(place, contents),
    did: `Saved the note as "${place.label}". The team gets it once the file is committed.`,
    details: `Create the file "${place.label}" with this text:\n\n${contents}`,
  });
}

const DEFAULT_FOUND = 5;
const MOST_FOUND = 20;
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
        count: { type: "integer", minimum: 1, maximum: MOST_FOUND },
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
          (await memory?.search(query, getNumberArgument(args, "count") ?? DEFAULT_FOUND, signal, kind)) ?? [],
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
