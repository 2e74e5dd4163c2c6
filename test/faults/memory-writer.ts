// Remembers one thing after the other, forgets some again, and says what was acknowledged, until it is killed.
// Arguments: the folder, and the number of the round.
import fs from "node:fs";
import { openMemory } from "../../src/memory/open-memory.ts";
import { shippedTable } from "../support/shipped-table.ts";

const [folder = "", round = ""] = process.argv.slice(2);
const store = await openMemory({ folder, embedder: shippedTable(), segmentSize: 16 });

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

/** Not through a stream: what was told must not be lost in a buffer. */
function tell(acknowledged: object): void {
  fs.writeSync(1, `${JSON.stringify(acknowledged)}\n`);
}
