import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";

const QUESTIONS = new URL("../../../fixtures/code-search/questions.tsv", import.meta.url);

describe("the questions about this repository", () => {
  it("do not change", () => {
    const hash = createHash("sha256").update(fs.readFileSync(QUESTIONS)).digest("hex").slice(0, 16);
    assert.equal(hash, "f9403591822dc41a");
  });
});
