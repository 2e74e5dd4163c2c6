import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { ALIKE } from "../../../src/memory/recall/recall.ts";
import { measureRecall } from "../../support/recall-quality.ts";
import { shippedTable } from "../../support/shipped-table.ts";

const FIXTURES = new URL("../../fixtures/recall/", import.meta.url);

describe("the quality of recall", () => {
  it("is measured on notes and questions that do not change", () => {
    const hashes = [
      "notes.tsv",
      "questions.tsv",
      "questions-close.tsv",
      "questions-further.tsv",
      "notes-development.tsv",
      "questions-development.tsv",
    ].map((name) =>
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
      "b4bc568f839dab20",
      "713124b27312b152",
    ]);
  });

  it("loses no right answer to the least similarity of what people search", async () => {
    const sets = ["questions.tsv", "questions-further.tsv", "questions-close.tsv"];
    const embedders = { table: shippedTable() };
    const all = await measureRecall(embedders, sets);
    const alike = await measureRecall(embedders, sets, 5, "notes.tsv", ALIKE);
    assert.deepEqual(alike, all);
  });

  it("is what the table promises: alone, with words, and on close questions", async () => {
    const sets = ["questions.tsv", "questions-further.tsv", "questions-close.tsv"];
    const [one, other, close] = await measureRecall({ table: shippedTable() }, sets);
    const least = (mode: string) => Math.min(one?.get(mode) ?? 0, other?.get(mode) ?? 0);
    assert.deepEqual(
      {
        alone: least("table") > 0.6,
        withWords: least("table and words") > 0.615,
        close: (close?.get("table and words") ?? 0) > 0.999,
      },
      { alone: true, withWords: true, close: true },
    );
  });
});
