import assert from "node:assert/strict";
import fs from "node:fs/promises";
import path from "node:path";
import { type Embedder, EmbeddingError } from "../../src/memory/embedding/embedder.ts";
import { openMemory } from "../../src/memory/open-memory.ts";
import { MEMORY_STORES, type MemoryStoreName } from "../../src/memory/stores.ts";
import type { MemoryOptions } from "../../src/memory/workspace-memory.ts";
import { killRounds } from "../faults/memory-kill-rounds.ts";
import { shippedTable } from "../support/shipped-table.ts";
import { tempFolders } from "../support/temp-folders.ts";
import { memoryContract } from "./memory.contract.ts";

const dead: Embedder = {
  id: "dead",
  batch: 8,
  embed: () => Promise.reject(new EmbeddingError("service", "The service doesn't answer.")),
};

const WAYS: Readonly<Record<string, Pick<MemoryOptions, "embedder" | "segmentSize">>> = {
  "with an embedder": { embedder: shippedTable() },
  "in segments of two": { embedder: shippedTable(), segmentSize: 2 },
  "with an embedder that doesn't answer": { embedder: dead },
};

function isStoreName(name: string): name is MemoryStoreName {
  return Object.hasOwn(MEMORY_STORES, name);
}

for (const store of Object.keys(MEMORY_STORES).filter(isStoreName)) {
  for (const [way, options] of Object.entries(WAYS)) {
    memoryContract(`${store}, ${way}`, MEMORY_STORES[store].writers, (folder, redact) =>
      openMemory({ folder, store, ...options, ...(redact ? { redact } : {}) }),
    );
  }
}

describe("memory: a writer that is killed", () => {
  const tempFolder = tempFolders();

  it("loses no acknowledged memory, in ten rounds with three embedders, one after the other", async function () {
    this.timeout(120_000);
    const { rounds, acknowledged, lost, reasons } = await killRounds(await tempFolder(), 10);
    assert.deepEqual(
      { rounds, some: acknowledged > 0, lost, reasons },
      { rounds: 10, some: true, lost: 0, reasons: [] },
    );
  });

  it("isn't taken for one that lost something when it can't be opened, and the reason is given", async function () {
    this.timeout(60_000);
    const file = path.join(await tempFolder(), "file");
    await fs.writeFile(file, "");
    const { lost, unreadable, reasons } = await killRounds(path.join(file, "memory"), 1);
    assert.deepEqual(
      { lost, unreadable, areGiven: reasons.every((reason) => /couldn't be used \(ENOTDIR/.test(reason)) },
      { lost: 0, unreadable: 2, areGiven: true },
    );
  });
});
