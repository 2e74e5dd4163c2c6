import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { loadGrammar } from "../../../../src/headless/workers.ts";
import { McpSource } from "../../../../src/plugins/mcp/mcp-source.ts";
import type { McpPool } from "../../../../src/plugins/mcp/server-pool.ts";
import type { RunChanges } from "../../../../src/plugins/started/started-files.ts";
import { createShellLanguageLoader } from "../../../../src/safety/shell/load.ts";
import { DEFAULT_SETTINGS } from "../../../../src/schema/read-settings.ts";
import { called, mcpParts } from "../../../support/mcp-servers.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();
const loadLanguage = createShellLanguageLoader("bash", loadGrammar);
const PLAYED = pathToFileURL(join(import.meta.dirname, "../../../fixtures/mcp-server.mjs")).href;
const TOOLS = {
  tools: [
    { name: "end", does: "crash" },
    { name: "say", answer: { content: [{ type: "text", text: "hello" }] } },
  ],
};

describe("the program of an MCP server", function () {
  this.timeout(30_000);
  const pools: McpPool[] = [];
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.close()));
  });

  /** A server in a script of the workspace that imports a part of it, set up there or by the user, and used by a run. */
  async function started(from: "workspace" | "user", script = 'import "./part.mjs";') {
    const folder = await tempFolder();
    await mkdir(join(folder, ".autogpt"));
    await writeFile(join(folder, "played.json"), JSON.stringify(TOOLS));
    await writeFile(join(folder, "part.mjs"), "");
    // A dynamic import would make it unknown what is loaded.
    await writeFile(join(folder, "server.mjs"), `${script}\nimport ${JSON.stringify(PLAYED)};\n`);
    // Its program is also found behind a shell.
    const behindShell = { command: "sh", args: ["-c", "exec node server.mjs played.json"] };
    const alone = { command: "node", args: ["server.mjs", "played.json"] };
    const servers = { s: process.platform === "win32" ? alone : behindShell };
    if (from === "workspace") await writeFile(join(folder, ".autogpt/mcp.json"), JSON.stringify({ servers }));
    const { host, run } = mcpParts(folder, { loadLanguage });
    const source = new McpSource(host);
    pools.push(source.pool);
    const settings = { ...DEFAULT_SETTINGS, mcp: { servers: from === "user" ? servers : {} } };
    let changes: RunChanges = { isOpen: false, names: new Set(), lastAt: 0 };
    const load = async (before: RunChanges, copy?: string) => {
      changes = before;
      const [found] = await source.find({ folder, isTrusted: true, settings });
      const plugin = await found?.load({
        ...run,
        getChanges: () => changes,
        ...(copy === undefined ? {} : { folder: copy, origin: folder }),
      });
      await plugin?.open?.(new AbortController().signal);
      const commands = plugin?.listCommands?.() ?? [];
      const call = async (name: string, args: object = {}): Promise<string> => {
        const { outcome } = await called(commands, name, { ...args });
        return "error" in outcome ? outcome.error : "text" in outcome ? "done" : outcome.status;
      };
      return { call };
    };
    const { call } = await load(changes);
    return {
      folder,
      call,
      load,
      write: async (name: string, text: string) => {
        await writeFile(join(folder, name), text);
        changes = { ...changes, names: new Set([...changes.names, name]), lastAt: Date.now() };
      },
    };
  }

  const short = (text: string): string =>
    /^The MCP server s isn't|^Files of the MCP server s have changed|^done/.exec(text)?.[0] ?? text;

  for (const from of ["workspace", "user"] as const)
    it(`isn't started again after the run has changed what it imports (${from})`, async () => {
      const { call, write } = await started(from);
      const before = await call("s__say");
      await write("notes.txt", "ordinary\n");
      await call("s__end");
      const afterOrdinary = await call("s__say");
      await write("part.mjs", "process.exit(9);\n");
      await call("s__end");
      const after = await call("s__say");
      assert.deepEqual(
        { before, afterOrdinary, after: short(after) },
        { before: "done", afterOrdinary: "done", after: "Files of the MCP server s have changed" },
      );
    });

  it("isn't started again after any change if not all that it loads can be known", async () => {
    const { call, write } = await started("user", "import(process.argv[3] ?? 'node:fs');");
    const before = await call("s__say");
    await write("notes.txt", "any\n");
    await call("s__end");
    const after = await call("s__say");
    assert.deepEqual({ before, after: short(after) }, { before: "done", after: "The MCP server s isn't" });
  });

  it("isn't started by a resumed run that had changed files, if the user's own entry names some of the workspace", async () => {
    const { load } = await started("user");
    for (const pool of pools) await pool.close();
    pools.length = 0;
    const late = await load({ isOpen: true, names: new Set(), lastAt: 1 });
    assert.deepEqual(short(await late.call("s__say")).slice(0, 14), "There is no com".slice(0, 14));
  });

  it("runs in the user's own folder for a run in a copy, and is given none of its files", async () => {
    const { load } = await started("workspace");
    const copy = await tempFolder();
    const { call } = await load({ isOpen: false, names: new Set(), lastAt: 0 }, copy);
    const calls = [
      {},
      { path: "src/a.ts" },
      { path: join(copy, "a.js") },
      { url: `${pathToFileURL(copy).href}/%61.js` },
      { list: [{ deep: join(copy, "x", "..", "a.js") }] },
    ];
    const answers = [];
    for (const args of calls)
      answers.push(/can't be given files of the copy|done/.exec(await call("s__say", args))?.[0]);
    assert.deepEqual(answers, ["done", "done", ...Array.from({ length: 3 }, () => "can't be given files of the copy")]);
  });
});
