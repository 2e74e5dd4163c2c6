import assert from "node:assert/strict";
import { serverForSuite } from "../../../support/fake-model-server.ts";
import { calling, headless, runProgram } from "../../../support/headless.ts";
import { npmServer } from "../../../support/mcp-servers.ts";
import { ofType } from "../../../support/rehearsal.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant } from "../../../support/trees.ts";

const server = serverForSuite();
const tempFolder = tempFolders();

const URI = "demo://resource/static/document/features.md";
const FINISH = calling("task_complete", { reason: "Done." });

describe("a task on the command line that mentions a resource", function () {
  this.timeout(60_000);

  it("has its text, quoted, once the server is allowed, and starts without it before", async () => {
    const setting = {
      baseUrl: server().baseUrl,
      workspace: await tempFolder(),
      data: await tempFolder(),
    };
    const servers = { everything: npmServer("everything", "stdio") };
    await plant(setting.workspace, { ".autogpt/mcp.json": JSON.stringify({ servers }) });
    const task = `Sum up @everything:${URI}.`;
    const run = async () => {
      server().plan(FINISH);
      const { events, stderr, end } = await headless(setting, "--task", task, "--json");
      return { text: ofType(events, "started")[0]?.task ?? "", stderr, end: end.reason };
    };

    const before = await run();
    const allowed = await runProgram(setting, "plugins", "allow", "everything");
    const after = await run();

    const why = `@everything:${URI} wasn't read: You haven't allowed the MCP server everything.`;
    assert.deepEqual(
      {
        ends: [before.end, after.end],
        code: allowed.code,
        begins: [before, after].map(({ text }) => text.startsWith(`${task}\n\n@everything:${URI}:\n====`)),
        whys: [before.text, before.stderr, after.text, after.stderr].map((text) => text.includes(why)),
        isThere: after.text.includes("# Everything Server - Features"),
      },
      {
        ends: ["finished", "finished"],
        code: 0,
        begins: [true, true],
        whys: [true, true, false, false],
        isThere: true,
      },
    );
  });
});
