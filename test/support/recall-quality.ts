import fs from "node:fs";
import path from "node:path";
import type { Embedder } from "../../src/memory/embedding/embedder.ts";
import { searchByMeaning } from "../../src/memory/recall/recall.ts";
import { MemoryIndex } from "../../src/memory/search/memory-index.ts";
import { fuse } from "../../src/memory/search/ranking.ts";
import { createMemoryItem } from "../../src/memory/store/memory-item.ts";
import type { StoredItem } from "../../src/memory/store/memory-store.ts";
import { createStoredItem } from "../../src/memory/store/stored-item.ts";

/** For one set of questions: by mode, the share whose note is among the first hits. */
export type Recall = ReadonlyMap<string, number>;

type Row = readonly [key: string, text: string];

const CANDIDATES = 60;
const ROOT = path.join(import.meta.dirname, "../..");
const { signal } = new AbortController();

/** How often words and each embedder find the right note among the first hits, for each set of questions. */
export async function measureRecall(
  embedders: Readonly<Record<string, Embedder>>,
  sets: readonly string[],
  first = 5,
  notes = "notes.tsv",
  leastAlike = 0,
): Promise<readonly Recall[]> {
  const tables = sets.map(() => new Map<string, number>());
  for (const [name, embedder] of Object.entries(embedders)) {
    const { index, keys } = await indexed(embedder, read(notes));
    for (const [place, set] of sets.entries()) {
      const asked = read(set);
      const hits = { words: 0, meaning: 0, both: 0 };
      for (const [key, text] of asked) {
        const meant = await searchByMeaning({ query: text, count: CANDIDATES, signal }, index, embedder);
        const byWords = await index.findWithWords(text, CANDIDATES);
        const among = (found: readonly { readonly value: StoredItem }[]) =>
          found.slice(0, first).some(({ value }) => keys.get(value.id) === key) ? 1 / asked.length : 0;
        hits.words += among(byWords);
        hits.meaning += among(meant);
        hits.both += among(
          fuse(meant, byWords).filter(({ words, meaning }) => words || (meaning?.cosine ?? 0) >= leastAlike),
        );
      }
      tables[place]?.set("words", hits.words).set(name, hits.meaning).set(`${name} and words`, hits.both);
    }
  }
  return tables;
}

/** The notes as memories, and the key of each. */
async function indexed(embedder: Embedder, notes: readonly Row[]) {
  const index = new MemoryIndex(embedder.id);
  const keys = new Map<string, string>();
  const vectors = await embedder.embed(
    notes.map(([, text]) => text),
    signal,
  );
  for (const [place, [key, text]] of notes.entries()) {
    const item = createMemoryItem({ kind: "note", text, source: "" }, new Date(0));
    keys.set(item.id, key);
    index.put(createStoredItem(item), undefined);
    index.embed(item.id, { embedder: embedder.id, vector: vectors[place] ?? new Float32Array() });
  }
  return { index, keys };
}

function read(name: string): readonly Row[] {
  const lines = fs
    .readFileSync(path.join(ROOT, "test/fixtures/recall", name), "utf8")
    .trim()
    .split("\n");
  return lines.map((line): Row => {
    const [key = "", text = ""] = line.split("\t");
    return [key, text];
  });
}
