import assert from "node:assert/strict";
import { EmbeddingError } from "../../src/memory/embedding/embedder.ts";
import { hashedEmbedder } from "../../src/memory/embedding/hashed-embedder.ts";
import { openMemory } from "../../src/memory/store/local-store.ts";
import { killRounds } from "../faults/memory-kill-rounds.ts";
import { tempFolders } from "../support/temp-folders.ts";
import { memoryContract } from "./memory.contract.ts";

memoryContract("Vectra with an embedder", (folder, redact) =>
  openMemory({ folder, embedder: hashedEmbedder(), ...(redact ? { redact } : {}) }),
);

memoryContract("Vectra in segments of two", (folder, redact) =>
  openMemory({ folder, embedder: hashedEmbedder(), segmentSize: 2, ...(redact ? { redact } : {}) }),
);

memoryContract("Vectra without an embedder that answers", (folder, redact) =>
  openMemory({
    folder,
    embedder: {
      id: "dead",
      batch: 8,
      embed: () => Promise.reject(new EmbeddingError("service", "Nobody answers.")),
    },
    ...(redact ? { redact } : {}),
  }),
);

describe("memory: a writer that is killed", () => {
  const tempFolder = tempFolders();

  it("loses nothing that it acknowledged, in ten rounds", async function () {
    this.timeout(120_000);
    const { rounds, acknowledged, lost, unreadable } = await killRounds(await tempFolder(), 10);
    assert.deepEqual(
      { rounds, some: acknowledged > 0, lost, unreadable },
      { rounds: 10, some: true, lost: 0, unreadable: 0 },
    );
  });
});
