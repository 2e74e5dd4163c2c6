// Keeps indexes of workspace folders in a thread of its own. Bundled as dist/code-worker.cjs.
import { parentPort, workerData } from "node:worker_threads";
import { Queue } from "../../core/base/async.ts";
import { getErrorMessage } from "../../core/base/errors.ts";
import { createTableEmbedder } from "../../memory/embedding/table-embedder.ts";
import { createGlobTest } from "../../node/search/glob.ts";
import type { TextVectors } from "./code-index.ts";
import type { FoundPlace, IndexMessage, IndexRequest, SearchRequest, WorkerSetup } from "./code-indexes.ts";
import { findExcerpt } from "./code-texts.ts";
import { FolderIndex, INDEX_LIMITS } from "./folder-index.ts";

const setup: WorkerSetup = workerData;
const table = openTable();
/** Handles one folder at a time, so that two don't read their files concurrently. */
const queue = new Queue();
const indexes = new Map<string, FolderIndex>();
const running = new Map<number, AbortController>();

/** Number of parts listed per file. */
const MOST_PARTS = 3;
const PROGRESS_MS = 500;

parentPort?.on("message", (request: IndexRequest) => {
  if (request.kind === "close") return void close();
  const { id } = request;
  if (request.kind === "cancel") return running.get(id)?.abort();
  const stop = new AbortController();
  running.set(id, stop);
  void queue
    .add(() => answerRequest(request, stop.signal))
    .then(
      (answer) => send({ kind: "answer", id, ...answer }),
      (error: unknown) => send({ kind: "failed", id, why: getErrorMessage(error) }),
    )
    .finally(() => running.delete(id));
});

async function answerRequest(request: SearchRequest, signal: AbortSignal) {
  const { id, settings, unsaved, changes, query, count } = request;
  const index = await openFolderIndex(request);
  let told = performance.now();
  const read = await index.update(
    changes,
    settings,
    unsaved,
    (done, all) => {
      if (performance.now() - told < PROGRESS_MS) return;
      told = performance.now();
      send({ kind: "progress", id, done, all });
    },
    signal,
  );
  const hits = await index.search(query, count, createPathFilter(request));
  const found: FoundPlace[] = [];
  for (const { path, score, parts } of hits) {
    const lines = (await index.findFileText(path, settings))?.split(/\r?\n/) ?? [];
    const best = parts[0];
    if (!best) continue;
    const { first, text } = findExcerpt(lines.slice(best.from - 1, best.to), query);
    const others = parts.slice(1, MOST_PARTS).map(({ from, to, symbols }) => ({ from, to, symbols }));
    const { from, to, symbols } = best;
    found.push({ path, score, from, to, symbols, others, line: best.from + first, excerpt: text });
  }
  return { found, isPartial: index.isPartial, figures: index.figures, read };
}

function createPathFilter({ below, glob }: SearchRequest): ((path: string) => boolean) | undefined {
  if (below === "" && glob === undefined) return undefined;
  const passes = glob === undefined ? () => true : createGlobTest(glob);
  const isThere = (path: string) => (below === "" || below.endsWith("/") ? path.startsWith(below) : path === below);
  return (path) => isThere(path) && (passes(path) || passes(path.slice(below.length)));
}

/** The embedder of this version's table; undefined where it can't be read, so that words alone count. */
async function openTable(): Promise<TextVectors | undefined> {
  if (setup.table === undefined) return undefined;
  const embedder = createTableEmbedder(setup.table);
  const [vector] = await embedder.embed([""], new AbortController().signal).catch(() => []);
  return vector && { ...embedder, dimensions: vector.length };
}

/** Opens the index of a folder. Drops the least recently used indexes if all together are too large. */
async function openFolderIndex({ root, file, seed }: SearchRequest): Promise<FolderIndex> {
  const { limits = INDEX_LIMITS } = setup;
  const embedder = await table;
  const index = indexes.get(root) ?? new FolderIndex(root, { embedder, file, seed, limits });
  indexes.delete(root);
  let chars = index.figures.chars;
  for (const [other, { figures }] of [...indexes].reverse()) {
    chars += figures.chars;
    if (chars <= limits.chars) continue;
    await indexes
      .get(other)
      ?.store()
      .catch(() => undefined);
    indexes.delete(other);
  }
  indexes.set(root, index);
  return index;
}

async function close(): Promise<void> {
  for (const stop of running.values()) stop.abort();
  await queue.idle;
  for (const index of indexes.values()) await index.store().catch(() => undefined);
  parentPort?.close();
}

function send(message: IndexMessage): void {
  parentPort?.postMessage(message);
}
