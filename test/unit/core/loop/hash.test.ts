import assert from "node:assert/strict";
import { sha256 } from "../../../../src/core/loop/act.ts";

describe("sha256", () => {
  it("hashes the UTF-8 of a text", async () => {
    assert.equal(await sha256("é"), "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c");
  });
});
