import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { type HeadlessSetting, runProgram } from "../../support/headless.ts";
import { tempFolders } from "../../support/temp-folders.ts";

describe("plugins on the command line", () => {
  const server = serverForSuite();
  const tempFolder = tempFolders();

  async function setting(): Promise<HeadlessSetting> {
    const [workspace, data] = [await tempFolder(), await tempFolder()];
    return { baseUrl: server().baseUrl, workspace, data, env: { HOME: data } };
  }

  it("are listed with what to do, also when there are none", async () => {
    const place = await setting();
    const none = await runProgram(place, "plugins", "list");
    const folder = join(place.workspace, ".autogpt/plugins/hello");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "index.mjs"), "export default { report() {} };\n");
    const states = [];
    for (const step of ["list", "allow", "list", "deny", "list"]) {
      const { stdout } = await runProgram(place, "plugins", step, "hello");
      states.push(stdout.split("\n")[0]);
    }
    assert.deepEqual(
      { none: none.stdout.startsWith("There are no plugins here."), states },
      {
        none: true,
        states: [
          "hello: Waiting for your permission",
          "hello may be used, as it is now.",
          "hello: On",
          "hello isn't used.",
          "hello: Denied",
        ],
      },
    );
  });

  it("of the same name are distinguished, so that the user doesn't allow the wrong one", async () => {
    const place = await setting();
    const folder = join(place.workspace, ".autogpt/plugins/github");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "index.mjs"), "export default { report() {} };\n");
    const servers = { servers: { github: { url: "https://mcp.example" } } };
    await writeFile(join(place.workspace, ".autogpt/mcp.json"), JSON.stringify(servers));

    const unclear = await runProgram(place, "plugins", "allow", "github");
    const clear = await runProgram(place, "plugins", "allow", "mcp:github");

    const list = await runProgram(place, "plugins", "list");
    assert.deepEqual([unclear.code, unclear.stderr.includes("folder:github, mcp:github"), clear.code], [4, true, 0]);
    assert.deepEqual(list.stdout.match(/^github: .*$/gm), ["github: Waiting for your permission", "github: On"]);
  });

  it("must exist where they are named", async () => {
    const place = await setting();
    const { code, stderr } = await runProgram(
      place,
      "--task",
      "x",
      "--workspace",
      place.workspace,
      "--plugin",
      "/nowhere/at-all",
    );
    assert.deepEqual(
      { code, says: stderr.includes("--plugin names /nowhere/at-all, where nothing is.") },
      { code: 4, says: true },
    );
  });
});
