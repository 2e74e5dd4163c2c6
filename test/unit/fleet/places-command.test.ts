import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../../support/headless.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();
const RUN = "20260102_090000_remote_a1b2";

describe("runs in other places, by the command line", () => {
  async function start(...words: readonly string[]) {
    const data = await tempFolder();
    const { code, stdout, stderr } = await runProgram(
      { baseUrl: "http://127.0.0.1:1", workspace: await tempFolder(), data },
      "fleet",
      ...words,
    );
    return { code, said: `${stdout}${stderr}`, hasKey: existsSync(join(data, "fleet-key")) };
  }

  it("get no fleet key of their own for a fleet, whose workers could do nothing with it", async () => {
    const { code, said, hasKey } = await start("list", "--on", "temporal://127.0.0.1:1");
    assert.deepEqual(
      { code, said: said.split(".")[0], hasKey },
      { code: 4, said: "There is no fleet key on this machine", hasKey: false },
    );
  });

  it("get higher limits only by names and amounts", async () => {
    const said = [];
    for (const limits of [[], ["usd"], ["steps=-1"], ["days=1"], ["usd=5=6"]])
      said.push((await start("raise", RUN, ...limits, "--on", "ssh:nowhere.invalid")).said.trim());
    const how =
      "Say what it may spend in all, as in usd=5 steps=200 (usd, tokens, steps, replies, minutes; 0: no limit).";
    assert.deepEqual(
      said.map((text) => text.includes(how)),
      said.map(() => true),
    );
  });
});
