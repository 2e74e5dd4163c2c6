import assert from "node:assert/strict";
import { previewHash } from "../../../../src/core/loop/act.ts";
import { sha256 } from "../../../../src/sha256.ts";

describe("hash of a preview", () => {
  it("is SHA-256 of the UTF-8 of call and preview", async () => {
    const call = { name: "read_file", args: { filename: "é" } };
    const preview = { kind: "details", text: "Read é." } as const;
    assert.equal(await previewHash(call, preview), sha256(JSON.stringify([call, preview])));
  });

  it("hashes the UTF-8 of a text", () => {
    assert.equal(sha256("é"), "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c");
  });
});
