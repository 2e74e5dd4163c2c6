import { visible, visibleJson } from "../../core/base/text.ts";
import type { WorkspaceMemory } from "../../memory/workspace-memory.ts";
import { type DisplayText, inEnglish } from "../../texts/display-text.ts";
import type { ProgramEnd } from "../exit-code.ts";
import { readFlags } from "../flags.ts";
import { runOptions } from "../options.ts";
import { inSession, type Session, type Surroundings } from "../session.ts";
import { UsageError } from "../usage-error.ts";

type MemoryAction = (session: Session, memory: WorkspaceMemory, words: string) => Promise<void>;

const ACTIONS: Readonly<Record<string, MemoryAction>> = { list, search, note };
const MOST = 30;
const MANY_TOKENS = 100_000;

/** `autogpt memory …`: lists and searches memories, and saves a note in the repository. Throws `UsageError`. */
export async function memoryCommand(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  around: Surroundings,
): Promise<ProgramEnd> {
  const flags = readFlags(argv, {});
  const [name = "list", ...words] = flags.rest;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  const text = words.join(" ").trim();
  if (!action || (action === list) !== (text === ""))
    throw new UsageError('"memory" takes one of these: list, search "WORDS", note "TEXT".');
  return inSession(runOptions(flags, env, "stored run"), around, async (session) => {
    await action(session, await session.host.storage.memory(session.workspace), text);
    return { kind: "done" };
  });
}

async function list(session: Session, memory: WorkspaceMemory): Promise<void> {
  await memory.refresh();
  const items = await memory.newest(MOST);
  for (const item of items) print(session, item);
  if (items.length === 0)
    session.warn(
      "Nothing is remembered here yet. Runs fill the memory as they work; autogpt ingest --dir DIR adds a folder now.",
    );
}

async function search(session: Session, memory: WorkspaceMemory, words: string): Promise<void> {
  await memory.refresh();
  await memory.embedded();
  const { signal } = session.around;
  const hits = await memory.recall(words, { count: MOST, maxTokens: MANY_TOKENS, signal });
  for (const hit of hits) print(session, hit);
  if (hits.length === 0) session.warn("No memory matches. Try other words.");
}

async function note({ out }: Session, memory: WorkspaceMemory, text: string): Promise<void> {
  out.line(visible(await memory.saveNote(text, [])));
}

interface PrintedMemory {
  readonly id: string;
  readonly kind: string;
  readonly source: string;
  /** Absent: this machine's own. */
  readonly author?: string;
  readonly at: string;
  readonly text: string;
  readonly why?: string;
  readonly reason?: DisplayText;
}

function print({ out, options }: Session, memory: PrintedMemory): void {
  const { id, kind, source, author, at, text, why, reason } = memory;
  if (options.json)
    return void out.line(visibleJson(JSON.stringify({ id, kind, source, author, at, text, why })));
  const [first = ""] = text.trim().split("\n");
  const from = author === undefined ? source : `${source}, from ${author}`;
  const found = reason ? inEnglish(reason) : why;
  out.line(
    visible(`${at.slice(0, 10)} ${kind}, ${from}${found === undefined ? "" : ` (${found})`}: ${first}`),
  );
}
