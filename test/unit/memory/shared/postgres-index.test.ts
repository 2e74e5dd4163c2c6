import assert from "node:assert/strict";
import { isMade } from "../../../../src/memory/shared/servers/postgres-log.ts";
import { defineVectorIndex } from "../../../../src/memory/shared/servers/postgres-schema.ts";

describe("the index of a team's vectors on PostgreSQL", () => {
  it("isn't made again if another program finishes it just before this one gets the lock", async () => {
    const asked: string[] = [];
    let isThere = false;
    const client = {
      async query(text: string) {
        const [word = ""] = /pg_index|lock|drop|create/.exec(text) ?? [];
        asked.push(word);
        if (word === "pg_index") return { rows: isThere ? [{}] : [] };
        isThere = true;
        return { rows: [{ taken: true }] };
      },
    };
    const index = defineVectorIndex("p", { embedder: "one", vector: new Float32Array(4) });
    const made = await isMade(client, index, true);
    assert.deepEqual([made, asked], [true, ["pg_index", "lock", "pg_index"]]);
  });
});
