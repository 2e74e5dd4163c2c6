// What it costs to add a folder of 10,000 files to the memory. `npm run bench ingest`.

import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { USUAL_CHUNKS } from "../../src/memory/recall/documents.ts";
import { type IngestSummary, ingestFolder } from "../../src/memory/recall/ingest-folder.ts";
import type { WorkspaceMemory } from "../../src/memory/workspace-memory.ts";
import { DocumentThread } from "../../src/node/documents/document-thread.ts";
import { makeSecrets } from "../../src/runs/log/secrets.ts";
import { findFolderFiles } from "../../src/runtime/ingest/folder-files.ts";
import { shippedTable } from "../support/shipped-table.ts";
import { longestGap } from "./memory/clock.ts";
import { loadEntryPoint } from "./memory/entry-point.ts";
import { check, checkGap, exitWithChecks, table, tellMachine } from "./memory/report.ts";

const FILES = 10_000;
/** Files of each hundred that are documents, by the program that reads them in a thread. */
const DOCUMENTS = ["plan.xlsx", "plan.pptx", "plan.odt", "plan.rtf", "page.html", "page.html"] as const;
const CHANGED = 100;
const GAP_MS = 50;

const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "ingest-bench-")));
const fixtures = path.join(import.meta.dirname, "../fixtures/documents");
const { openMemory } = await loadEntryPoint(root);
const { redact } = makeSecrets([randomUUID()]);
const documents = new DocumentThread(new URL("../../src/node/documents/document-worker.ts", import.meta.url));

try {
  tellMachine();
  makeFiles();
  const memory = await openMemory({ folder: path.join(root, "memory"), embedder: shippedTable(), redact });
  await measure("a first time", memory, 120);
  await measure("a second time, nothing changed", memory, 5);
  for (let index = 0; index < CHANGED; index++) fs.appendFileSync(fileAt(index * 100 + 50), "One more line.\n");
  fs.rmSync(path.join(root, "files", "99"), { recursive: true });
  await measure(`${CHANGED} files changed, and one folder deleted`, memory, 5);
  await memory.close();
  await measureLargeText();
} finally {
  await documents.close();
  fs.rmSync(root, { recursive: true, force: true });
}
exitWithChecks();

function fileAt(index: number): string {
  const kind = DOCUMENTS[index % 100];
  const ending = kind ? path.extname(kind) : index % 2 === 0 ? ".md" : ".ts";
  return path.join(root, "files", String(Math.floor(index / 100)), `${index}${ending}`);
}

function makeFiles(): void {
  for (let index = 0; index < FILES; index++) {
    const file = fileAt(index);
    if (index % 100 === 0) fs.mkdirSync(path.dirname(file), { recursive: true });
    const kind = DOCUMENTS[index % 100];
    if (kind && kind !== "page.html") fs.copyFileSync(path.join(fixtures, kind), file);
    else fs.writeFileSync(file, kind ? `<h1>${index}</h1><p>${textOf(index)}</p>` : textOf(index));
  }
}

/** About 4,000 characters, which are three pieces. */
function textOf(index: number): string {
  const line = (at: number) =>
    `Line ${at} of file ${index}: the pump ${(index * 31 + at * 17) % 997} feeds pipe ${(index + at) % 613} of hall ${index % 89}.`;
  return `${Array.from({ length: 60 }, (_, at) => line(at)).join("\n")}\n`;
}

async function measure(what: string, memory: WorkspaceMemory, mostSeconds: number): Promise<void> {
  const files = await findFolderFiles({ workspace: root, folder: path.join(root, "files"), documents });
  const { signal } = new AbortController();
  let summary: IngestSummary | undefined;
  globalThis.gc?.();
  const start = performance.now();
  const gap = await longestGap(async () => {
    summary = await ingestFolder(memory, files, { chunks: USUAL_CHUNKS, signal });
  });
  const seconds = (performance.now() - start) / 1000;
  await memory.waitUntilEmbedded();
  const { added = 0, changed = 0, unchanged = 0, removed = 0, skipped = [] } = summary ?? {};
  table(
    `${FILES} files, ${what}`,
    ["s", "with vectors, s", "added", "changed", "unchanged", "removed", "skipped", "memories", "MB of memory"],
    [
      [
        seconds.toFixed(1),
        ((performance.now() - start) / 1000).toFixed(1),
        ...[added, changed, unchanged, removed, skipped.length, memory.state.count].map(String),
        (process.memoryUsage().rss / 1e6).toFixed(0),
      ],
    ],
  );
  check(`${what}, s`, seconds, mostSeconds);
  checkGap(`adding ${FILES} files, ${what}`, gap, GAP_MS);
}

/** The longest file that is added at all. */
async function measureLargeText(): Promise<void> {
  const folder = path.join(root, "large");
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, "large.md"), `${textOf(1)}\n`.repeat(480).slice(0, 2_000_000));
  const memory = await openMemory({
    folder: path.join(root, "memory-2"),
    embedder: shippedTable(),
    redact,
  });
  const files = await findFolderFiles({ workspace: root, folder, documents });
  const { signal } = new AbortController();
  const gap = await longestGap(() => ingestFolder(memory, files, { chunks: USUAL_CHUNKS, signal }));
  console.log(`\nA text of 2 MB: ${memory.state.count} memories`);
  checkGap("adding a text of 2 MB", gap, GAP_MS);
  await memory.close();
}
