import assert from "node:assert/strict";
import { startServer } from "../../../../src/plugins/mcp/server-process.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

describe("the process of an MCP server", () => {
  it("puts temporary files where the system wants them, with its own variables in place of ours", async () => {
    const folder = await tempFolder();
    const before = process.env.TMPDIR;
    process.env.TMPDIR = "/var/folders/ours";
    const code = "console.log(JSON.stringify([process.env.TMPDIR, process.env.LANG]))";
    const values = { command: process.execPath, args: ["-e", code], env: { LANG: "de" } };
    const server = await startServer("s", values, folder).finally(() => {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    });
    const first = await new Promise<string>((handleLine, handleEnd) =>
      server.listen({ handleLine, handleEnd, handleLongLine: () => undefined }),
    );
    await server.end();

    assert.deepEqual(JSON.parse(first), ["/var/folders/ours", "de"]);
  });
});
