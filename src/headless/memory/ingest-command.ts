import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Writable } from "node:stream";
import { waitUntilAborted } from "../../core/base/async.ts";
import { escapeInvisible, escapeInvisibleJson, formatCount, formatQuantity } from "../../core/base/text.ts";
import { MAX_MEMORY_CHARS, USUAL_CHUNKS } from "../../memory/recall/documents.ts";
import { type IngestSummary, ingestFolder } from "../../memory/recall/ingest-folder.ts";
import type { WorkspaceMemory } from "../../memory/workspace-memory.ts";
import { DocumentThread } from "../../node/documents/document-thread.ts";
import { findFolderFiles } from "../../runtime/ingest/folder-files.ts";
import { groupSkippedByReason } from "../../runtime/ingest/skipped-text.ts";
import { writeInEnglish } from "../../texts/display-text.ts";
import { type ProgramEnd, printHelp } from "../exit-code.ts";
import { type Flag, type Flags, readFlags, renderFlags } from "../flags.ts";
import { createRunOptions, getBaseFolder, parseCountFlag } from "../options.ts";
import { runWithSession, type Session, type Subcommand } from "../session.ts";
import { UsageError } from "../usage-error.ts";
import { WORKERS } from "../workers.ts";

const FLAGS = {
  dir: { value: "DIR", help: "the folder whose files are remembered" },
  init: { help: "clear the memory first, with what you shared of it on the team's server" },
  overlap: {
    value: "N",
    help: `characters that two pieces of a text share (else ${USUAL_CHUNKS.overlapChars})`,
  },
  "max-length": {
    value: "N",
    help: `characters of a piece, ${formatCount(MAX_MEMORY_CHARS)} at most (else ${formatCount(USUAL_CHUNKS.maxChars)})`,
  },
} as const satisfies Readonly<Record<string, Flag>>;

const USAGE = `Usage: autogpt ingest --dir DIR [options]

Adds the text files and documents in a folder to the memory of a workspace, in pieces. The next time only new and
changed files are added, and memories of deleted files are removed. Files that Git or .autogptignore leave out, files
that may hold secrets, and links are left out.

${renderFlags(FLAGS)}
  --workspace DIR         the folder whose memory it is (else the current one)
  --json                  print the result as JSON, with each file that was skipped
  --debug                 name each file that was skipped
Settings and their flags are those of a run.
`;

const SHORTEST_PIECE = 100;

/** `autogpt ingest`: adds a folder's files to the memory. Throws `UsageError`. */
export const runIngestCommand: Subcommand = async (argv, env, around) => {
  const flags = readFlags(argv, FLAGS);
  if (flags.has("help")) return printHelp(USAGE, around);
  const [stranger] = flags.rest;
  if (stranger !== undefined) throw new UsageError(`"${stranger}" is no option. The folder follows --dir.`);
  const dir = flags.findValue("dir");
  if (dir === undefined) throw new UsageError("Name the folder to remember with --dir.");
  const chunks = parseChunkSize(flags);
  const folder = await resolveExistingFolder(resolve(getBaseFolder(env), dir));
  const isDetailed = flags.has("debug");
  return runWithSession(createRunOptions(flags, env, "stored run"), around, async (session) => {
    const memory = await session.host.storage.openMemory(session.workspace);
    if (flags.has("init")) await memory.clear();
    return ingestFiles(session, memory, { folder, chunks, isDetailed });
  });
};

function parseChunkSize(flags: Flags<keyof typeof FLAGS>): typeof USUAL_CHUNKS {
  const unit = " of characters";
  const maxChars =
    parseCountFlag(flags, "max-length", { least: SHORTEST_PIECE, most: MAX_MEMORY_CHARS, unit }) ??
    USUAL_CHUNKS.maxChars;
  const most = Math.floor(maxChars / 2);
  const overlapChars =
    parseCountFlag(flags, "overlap", { least: 0, most, unit }) ?? Math.min(USUAL_CHUNKS.overlapChars, most);
  return { maxChars, overlapChars };
}

async function resolveExistingFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) throw new UsageError(`There is no folder ${path}. Give --dir a folder with files.`);
  return realpath(path);
}

interface IngestCall {
  readonly folder: string;
  readonly chunks: typeof USUAL_CHUNKS;
  readonly isDetailed: boolean;
}

async function ingestFiles(
  { options, workspace, out, around, warn }: Session,
  memory: WorkspaceMemory,
  { folder, chunks, isDetailed }: IngestCall,
): Promise<ProgramEnd> {
  const documents = new DocumentThread(WORKERS.documents);
  const { signal, stderr } = around;
  const progress = createProgress(stderr);
  try {
    const files = await findFolderFiles({ workspace, folder, documents });
    const summary = await ingestFolder(memory, files, {
      chunks,
      signal,
      reportProgress: (done, all) =>
        progress.show(`${formatCount(done)} of ${formatQuantity(all, "file")}`, done === all),
    });
    if (!summary.isStopped) await waitForVectors(memory, progress, signal);
    progress.end();
    out.writeLine(options.json ? escapeInvisibleJson(JSON.stringify(summary)) : renderSummary(summary));
    if (isDetailed) for (const line of renderSkippedLines(summary)) warn(line);
    if (summary.isStopped) return { kind: "stopped" };
    if (!summary.skipped.some(({ reason }) => reason === "full")) return { kind: "done" };
    warn(explainFullMemory(memory));
    return { kind: "problem" };
  } finally {
    progress.end();
    await documents.close();
  }
}

/** Waits until the new memories can be found by meaning, too. Missing vectors are created at the next start. */
async function waitForVectors(memory: WorkspaceMemory, progress: Progress, signal: AbortSignal): Promise<void> {
  const stop = memory.onChange(() => {
    const { embedded, count } = memory.state;
    progress.show(`vectors for ${formatCount(embedded)} of ${formatQuantity(count, "memory", "memories")}`);
  });
  await waitUntilAborted(memory.waitUntilEmbedded(), signal).catch(() => undefined);
  stop();
}

interface Progress {
  /** Skips some texts, unless `isLast` is set. */
  show(text: string, isLast?: boolean): void;
  end(): void;
}

/** Intervals of progress output: on a terminal in a single line, elsewhere on separate lines. */
const TERMINAL_MS = 100;
const LINES_MS = 5_000;

function createProgress(stream: Writable & { readonly isTTY?: boolean }): Progress {
  const isTerminal = stream.isTTY === true;
  const every = isTerminal ? TERMINAL_MS : LINES_MS;
  let [shownAt, isShown] = [performance.now(), false];
  return {
    show(text, isLast = false) {
      if (performance.now() - shownAt < every && !(isLast && isTerminal)) return;
      shownAt = performance.now();
      stream.write(isTerminal ? `\r\u001b[K${text}` : `${text}\n`);
      isShown = isTerminal;
    },
    end() {
      if (isShown) stream.write("\r\u001b[K");
      isShown = false;
    },
  };
}

function renderSummary(summary: IngestSummary): string {
  const { added, changed, unchanged, removed, skipped, pieces, isStopped } = summary;
  const reasons = groupSkippedByReason(skipped).map(
    ({ reason, files }) => `${formatCount(files.length)} ${writeInEnglish(reason)}`,
  );
  return [
    `${formatQuantity(added, "file")} added, ${formatCount(changed)} changed, ${formatCount(unchanged)} unchanged, ${formatCount(removed)} removed, ${formatCount(skipped.length)} skipped${reasons.length === 0 ? "" : ` (${reasons.join("; ")})`}; ${formatQuantity(pieces, "memory", "memories")} added.`,
    ...(isStopped ? ["Stopped. What is done stays; the same call continues."] : []),
  ].join("\n");
}

function renderSkippedLines({ skipped }: IngestSummary): readonly string[] {
  return groupSkippedByReason(skipped).flatMap(({ reason, files }) =>
    files.map(({ source, why }) => escapeInvisible(`${source}: ${why ?? writeInEnglish(reason)}`)),
  );
}

function explainFullMemory({ most }: WorkspaceMemory): string {
  return `The memory is full: it holds ${formatCount(most)} memories, of which runs keep a part. The other files weren't added. Add --init to clear it first, or give a smaller folder or longer pieces with --max-length.`;
}
