// Remembers one thing after the other, forgets some again, and says what was acknowledged, until it is killed.
// Arguments: the folder, the number of the round, and the file of the embedding table.
import fs from "node:fs";
import type { Embedder } from "../../src/memory/embedding/embedder.ts";
import { createTableEmbedder } from "../../src/memory/embedding/table-embedder.ts";
import { openMemory } from "../../src/memory/open-memory.ts";
import { writeInEnglish } from "../../src/texts/display-text.ts";

const [folder = "", round = "", file = ""] = process.argv.slice(2);
const table = createTableEmbedder(file);
/** Each round another one, as when two windows have different settings, or different versions of the extension. */
const EMBEDDERS: readonly Embedder[] = [
  table,
  { id: "as many numbers", batch: table.batch, embed: (texts, signal) => table.embed(texts, signal) },
  {
    id: "fewer numbers",
    batch: table.batch,
    embed: async (texts, signal) => (await table.embed(texts, signal)).map((vector) => vector.slice(0, 40)),
  },
];
void write();

async function write(): Promise<never> {
  const embedder = EMBEDDERS[Number(round) % EMBEDDERS.length] ?? table;
  const store = await openMemory({ folder, embedder, segmentSize: 16 });
  const { notices } = store.state;
  if (notices.length > 0) tell({ notices: notices.map(writeInEnglish) });
  for (let number = 0; ; number++) {
    const text = `memory ${number} of round ${round}: ${"so many words ".repeat(number % 40)}`.trim();
    const [id = ""] = await store.add([{ kind: "episode", text, source: `round ${round}` }]);
    tell({ added: id, text });
    if (number % 7 === 6) {
      tell({ removing: id });
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
