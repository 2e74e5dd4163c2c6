import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { measureRecall } from "../../support/recall-quality.ts";

const FIXTURES = new URL("../../fixtures/recall/", import.meta.url);

describe("the quality of recall", () => {
  it("is measured on notes and questions that do not change", () => {
    const hashes = ["notes.tsv", "questions.tsv", "questions-close.tsv", "questions-further.tsv"].map(
      (name) =>
        createHash("sha256")
          .update(fs.readFileSync(new URL(name, FIXTURES)))
          .digest("hex")
          .slice(0, 16),
    );
    assert.deepEqual(hashes, [
      "7a6a19f3bf1337ba",
      "658b41d2b0f6d52f",
      "e7910e6bba3624c7",
      "ba7d398ba7eb6996",
    ]);
  });

  it("is 0.15 above words alone offline on questions in other words, and no worse on close ones", async function () {
    this.timeout(120_000);
    const [far, close] = await measureRecall(["questions.tsv", "questions-close.tsv"]);
    const gain = (far?.get("encoder and words") ?? 0) - (far?.get("words") ?? 1);
    const loss = (close?.get("words") ?? 1) - (close?.get("encoder and words") ?? 0);
    assert.deepEqual({ gain: gain >= 0.15, loss: loss > 0.001 }, { gain: true, loss: false });
  });
});
