import { escapeInvisible, escapeInvisibleJson } from "../../core/base/text.ts";
import { describeMemoryText } from "../../core/events/memory-sentence.ts";
import { waitForFirstAnswer } from "../../memory/shared/first-answer.ts";
import { formatMemorySource } from "../../memory/store/memory-item.ts";
import type { WorkspaceMemory } from "../../memory/workspace-memory.ts";
import { type DisplayText, writeInEnglish } from "../../texts/display-text.ts";
import { printHelp } from "../exit-code.ts";
import { readFlags } from "../flags.ts";
import { createRunOptions } from "../options.ts";
import { runWithSession, type Session, type Subcommand } from "../session.ts";
import { UsageError } from "../usage-error.ts";

type MemoryAction = (session: Session, memory: WorkspaceMemory, words: string) => Promise<void>;

const ACTIONS: Readonly<Record<string, MemoryAction>> = { list, search, note };
const MOST = 30;
const MANY_TOKENS = 100_000;
/** Time limit for the server, in milliseconds, as others' notes arrive in the background. */
const TEAM_MS = 5_000;
const USAGE = `Usage: autogpt memory list|search|note ["TEXT"] [options]

  list                    the ${MOST} newest memories, the newest first
  search "WORDS"          the memories that fit best, and why
  note "TEXT"             save a note as a file in .autogpt/notes, for everybody who has the repository

  --workspace DIR         the folder whose memory it is (else the current one)
  --json                  print whole memories as JSON, one a line
  --share-memory WHAT     also show what the team has shared through memory.url, and share notes, or all
                          for the steps as well; the password is in MEMORY_SECRET

To add a folder's files, use autogpt ingest --dir DIR; with --init it clears the memory first, with what
you shared of it on the team's server. To only clear what is on this machine, delete .autogpt/memory.
Settings and their flags are those of a run.
`;

const NOTHING_YET =
  "Nothing is remembered here yet. Runs fill the memory as they work; autogpt ingest --dir DIR adds a folder now.";

/** `autogpt memory …`: lists and searches memories, and saves a note in the repository. Throws `UsageError`. */
export const runMemoryCommand: Subcommand = async (argv, env, around) => {
  const flags = readFlags(argv, {});
  if (flags.has("help")) return printHelp(USAGE, around);
  const [name = "list", ...words] = flags.rest;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  const text = words.join(" ").trim();
  if (!action || (action === list) !== (text === ""))
    throw new UsageError('"memory" takes one of these: list, search "WORDS", note "TEXT".');
  return runWithSession(createRunOptions(flags, env, "stored run"), around, async (session) => {
    await action(session, await session.host.storage.openMemory(session.workspace), text);
    return { kind: "done" };
  });
};

async function list(session: Session, memory: WorkspaceMemory): Promise<void> {
  await waitForFirstAnswer(memory, TEAM_MS, session.around.signal);
  await memory.refresh();
  const items = await memory.listNewest(MOST);
  for (const item of items) print(session, session.options.json ? item : { ...item, source: formatMemorySource(item) });
  if (items.length === 0) session.warn(NOTHING_YET);
}

async function search(session: Session, memory: WorkspaceMemory, words: string): Promise<void> {
  const { signal } = session.around;
  await waitForFirstAnswer(memory, TEAM_MS, signal);
  await memory.refresh();
  await memory.waitUntilEmbedded();
  const hits = await memory.recall(words, { count: MOST, maxTokens: MANY_TOKENS, signal, onlyAlike: true });
  for (const hit of hits) print(session, hit);
  if (hits.length === 0) session.warn(memory.state.count === 0 ? NOTHING_YET : "No memory matches. Try other words.");
}

async function note({ out }: Session, memory: WorkspaceMemory, text: string): Promise<void> {
  out.writeLine(escapeInvisible(await memory.saveNote(text, [])));
}

interface PrintedMemory {
  readonly id: string;
  readonly kind: string;
  readonly source: string;
  readonly place?: string;
  /** Absent if it's from this machine. */
  readonly author?: string;
  readonly at: string;
  readonly text: string;
  readonly why?: string;
  readonly reason?: DisplayText;
}

function print({ out, options }: Session, memory: PrintedMemory): void {
  const { id, kind, source, place, author, at, text, why, reason } = memory;
  if (options.json)
    return void out.writeLine(escapeInvisibleJson(JSON.stringify({ id, kind, source, place, author, at, text, why })));
  const found = reason ? writeInEnglish(reason) : why;
  out.writeLine(
    escapeInvisible(
      `${at.slice(0, 10)} ${kind}, ${source}${found === undefined ? "" : ` (${found})`}: ${writeInEnglish(describeMemoryText(text))}`,
    ),
  );
}
