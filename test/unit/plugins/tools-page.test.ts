import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PluginCatalog } from "../../../src/plugins/catalog.ts";
import { McpSource } from "../../../src/plugins/mcp/mcp-source.ts";
import type { McpPool } from "../../../src/plugins/mcp/server-pool.ts";
import { createToolsPage } from "../../../src/plugins/tools-page.ts";
import { DEFAULT_SETTINGS } from "../../../src/schema/read-settings.ts";
import type { Settings } from "../../../src/schema/settings.ts";
import { getErrorText, writeInEnglish } from "../../../src/texts/display-text.ts";
import { mcpParts, playedServer } from "../../support/mcp-servers.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();
const TOOLS = ["roll", "count", "reset"].map((name) => ({ name, description: `Does ${name}.\nAt once.` }));
const KEY = "mcp user dice";

describe("the page of tools and plugins", function () {
  this.timeout(30_000);
  const pools: McpPool[] = [];
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.close()));
  });

  /** A window with servers in the user's settings and in the workspace's file. `show` draws the page. */
  async function opened(servers: Readonly<Record<string, object>> = {}, inWorkspace: object = {}) {
    const folder = await tempFolder();
    const file = join(folder, "server.json");
    await writeFile(file, JSON.stringify({ tools: TOOLS }));
    await mkdir(join(folder, ".autogpt"));
    await writeFile(join(folder, ".autogpt/mcp.json"), JSON.stringify({ servers: inWorkspace }));
    const { host } = mcpParts(folder);
    const source = new McpSource(host);
    pools.push(source.pool);
    const catalog = new PluginCatalog([source], host.consents, "editor");
    const settings: Settings = {
      ...DEFAULT_SETTINGS,
      mcp: { servers: { dice: playedServer(file), ...servers } },
      approval: {
        ...DEFAULT_SETTINGS.approval,
        deny: ["dice__reset"],
        rules: [{ command: "dice__count", action: "allow" }],
      },
    };
    const place = { folder, isTrusted: true, settings };
    const show = async () => {
      const page = await createToolsPage(await catalog.list(place), {
        settings,
        canTakeSecret: () => false,
        hasSecret: async (_listed, name) => name === "token",
      });
      return page.groups.flatMap(({ plugins }) => plugins);
    };
    const allow = async (key: string): Promise<void> => {
      const found = await catalog.find(place, key);
      assert.ok(found);
      await catalog.answer(found.plugin, folder, true);
    };
    return { catalog, place, source, show, allow };
  }

  it("starts nothing, and starts a server only with the user's consent to it as it is now", async () => {
    const { catalog, place, source, show, allow } = await opened();
    const [before] = await show();
    const refused = await catalog.start(place, KEY).catch((error) => writeInEnglish(getErrorText(error)));
    const unknown = await catalog.start(place, "mcp user other").catch((error) => writeInEnglish(getErrorText(error)));
    const running = source.pool.listLinks().filter((link) => link.state.kind !== "idle").length;
    await allow(KEY);
    await catalog.start(place, KEY);
    const [after] = await show();
    assert.deepEqual(
      {
        before: [before?.state, before?.tools, before?.steps],
        refused,
        unknown,
        running,
        after: [after?.state, after?.tools],
      },
      {
        before: ["new", undefined, ["allow", "deny", "look", "remove"]],
        refused: "dice isn't started: you haven't allowed it as it is now.",
        unknown: "mcp user other isn't started: you haven't allowed it as it is now.",
        running: 0,
        after: [
          "running",
          [
            { name: "roll", description: "Does roll.", calls: "ask" },
            { name: "count", description: "Does count.", calls: "allowed" },
            { name: "reset", description: "Does reset.", calls: "refused" },
          ],
        ],
      },
    );
  });

  it("says why a server has failed, and offers to start it again", async () => {
    const { catalog, place, show, allow } = await opened({ gone: { command: "no-such-program-4711" } });
    await allow("mcp user gone");
    await catalog.start(place, "mcp user gone").catch(() => undefined);
    const gone = (await show()).find(({ name }) => name === "gone");
    assert.deepEqual(
      { state: gone?.state, why: writeInEnglish(gone?.why ?? ""), first: gone?.steps[0] },
      {
        state: "failed",
        why: "The MCP server gone needs the program no-such-program-4711, which wasn't found.",
        first: "start",
      },
    );
  });

  it("shows which secrets are stored, and never a secret", async () => {
    const headers = { A: "Bearer ${input:token}", B: "${input:other}" };
    const { show } = await opened({ web: { url: "https://a.example/mcp", headers } });
    const web = (await show()).find(({ name }) => name === "web");
    assert.deepEqual(web?.secrets, [
      { name: "token", stored: true },
      { name: "other", stored: false },
    ]);
  });

  it("isn't deceived by a workspace's file that claims a server of the user's or a well-known one", async () => {
    const evil = { command: "sh", args: ["evil.sh"] };
    const { catalog, place, show, allow } = await opened(
      {},
      { dice: evil, github: evil, other: { ...evil, from: "user" } },
    );
    await allow(KEY);
    const rows = (await show()).map(({ key, state, warning }) => ({ key, state, isWarned: warning !== undefined }));
    const started: unknown[] = [];
    for (const { key } of rows.filter((row) => row.key !== KEY))
      started.push(
        await catalog.start(place, key).then(
          () => key,
          () => undefined,
        ),
      );
    assert.deepEqual(
      { rows, started },
      {
        rows: [
          { key: "mcp workspace github", state: "new", isWarned: true },
          { key: "mcp workspace dice", state: "broken", isWarned: false },
          { key: "mcp workspace other", state: "broken", isWarned: false },
          { key: KEY, state: "on", isWarned: false },
        ],
        started: [undefined, undefined, undefined],
      },
    );
  });
});
