import assert from "node:assert/strict";
import { join } from "node:path";
import { type ListedPlugin, PluginCatalog } from "../../../src/plugins/catalog.ts";
import { Consents } from "../../../src/plugins/consents.ts";
import type { FoundPlugin, PluginSource } from "../../../src/plugins/plugin.ts";
import { groupPlugins, listPluginSteps, renderPluginDocument } from "../../../src/plugins/plugin-list.ts";
import { DEFAULT_SETTINGS } from "../../../src/schema/read-settings.ts";
import { writeInEnglish } from "../../../src/texts/display-text.ts";
import { mcpParts } from "../../support/mcp-servers.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();

function found(id: string, more: Partial<FoundPlugin> = {}): FoundPlugin {
  return {
    ...{ id, name: id, kind: "folder", from: "workspace", description: "Counts.", adds: [] },
    isolation: "It is isolated.",
    load: async () => assert.fail("Nothing is loaded."),
    ...more,
  };
}

function listed(state: ListedPlugin["state"], more: Partial<FoundPlugin> = {}): ListedPlugin {
  const plugin = found(state, more);
  return { plugin, state, ...(state === "broken" ? { problem: "It's torn." } : {}) };
}

describe("the list of plugins", () => {
  it("begins with those that wait for the user, whatever their origin", () => {
    const states = ["on", "denied", "new", "broken", "changed", "off", "excluded"] as const;

    const groups = groupPlugins(states.map((state) => listed(state)));

    assert.deepEqual(
      groups.map((group) => [writeInEnglish(group.title), ...group.listed.map(({ state }) => state)]),
      [
        ["Waiting for your permission", "new", "changed"],
        ["Can't be used", "broken"],
        ["On", "on"],
        ["Not used", "denied", "off", "excluded"],
      ],
    );
  });

  it("has the reason why a plugin can't be used in its document, and a step to where it's set up", () => {
    const broken = listed("broken", { file: "/w/.autogpt/mcp.json" });

    const text = renderPluginDocument(broken, writeInEnglish);

    assert.deepEqual(
      { steps: listPluginSteps(broken, {}), text },
      {
        steps: ["configure", "look", "open", "log"],
        text: "broken\nCounts.\n\nCan't be used\nFolder\nFrom this workspace\nIt's torn.\n\n\n",
      },
    );
  });

  it("offers to sign in, or to sign out, and to enter a secret only where that makes sense", () => {
    const one = listed("on");

    const steps = [{}, { isSignedIn: false }, { isSignedIn: true }, { takesSecret: true }].map((facts) =>
      listPluginSteps(one, facts),
    );

    const plain = ["configure", "look", "log", "deny"];
    assert.deepEqual(steps, [
      plain,
      ["signIn", ...plain],
      ["configure", "look", "log", "signOut", "deny"],
      ["secret", ...plain],
    ]);
  });

  it("is named to the user in one notice when several plugins can't be used", async () => {
    const folder = await tempFolder();
    const { run, notices } = mcpParts(folder);
    const source: PluginSource = {
      find: async () => [found("one", { problem: "It's torn." }), found("two", { problem: "It's torn." })],
    };
    const catalog = new PluginCatalog([source], new Consents(join(folder, "consents.json")), "editor");

    await catalog.load({ folder, isTrusted: true, settings: DEFAULT_SETTINGS }, run);

    assert.deepEqual(notices, [{ code: "plugins.someNotLoaded", parameters: { count: 2, names: "one, two" } }]);
  });
});
