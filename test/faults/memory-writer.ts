// Remembers one thing after the other, forgets some again, and says what was acknowledged, until it is killed.
// Arguments: the folder, the number of the round, and the file of the embedding table.
import fs from "node:fs";
import { tableEmbedder } from "../../src/memory/embedding/table-embedder.ts";
import { openMemory } from "../../src/memory/open-memory.ts";

const [folder = "", round = "", table = ""] = process.argv.slice(2);
void write();

async function write(): Promise<never> {
  const store = await openMemory({ folder, embedder: tableEmbedder(table), segmentSize: 16 });
  for (let number = 0; ; number++) {
    const text = `memory ${number} of round ${round}: ${"so many words ".repeat(number % 40)}`.trim();
    const [id = ""] = await store.add([{ kind: "episode", text, source: `round ${round}` }]);
    tell({ added: id, text });
    if (number % 7 === 6) {
      await store.remove([id]);
      tell({ removed: id });
    }
    if (number % 50 === 49) await store.refresh();
  }
}

/** Not through a stream: what was told must not be lost in a buffer. */
function tell(acknowledged: object): void {
  fs.writeSync(1, `${JSON.stringify(acknowledged)}\n`);
}
