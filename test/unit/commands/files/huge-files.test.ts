import assert from "node:assert/strict";
import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { plantedBenches } from "../../../support/planted-bench.ts";

const MB = 1024 * 1024;

describe("a huge file", () => {
  const planted = plantedBenches();
  const withFile = async (bytes: number) => {
    const made = await planted({ "big.log": "" });
    await truncate(join(made.folder, "big.log"), bytes);
    return made;
  };

  it("is replaced after a card, without a diff", async () => {
    const { bench } = await withFile(51 * MB);
    assert.deepEqual(await bench.try("write_to_file", { filename: "big.log", contents: "short\n" }), {
      preview: { kind: "details", text: 'Replace the file "big.log" (53 MB) by this text:\n\nshort\n' },
      outcome: { status: "done", output: 'Replaced "big.log" with 1 line.' },
    });
  });

  it("is not read as a whole, and the model is shown how to read it", async () => {
    const { bench } = await withFile(201 * MB);
    assert.deepEqual(await bench.call("read_file", { filename: "big.log" }), {
      status: "failed",
      error: `"big.log" has ${201 * MB} bytes, more than can be read at once. Look at parts of it with execute_shell (head, tail, sed -n).`,
    });
  });
});
