import assert from "node:assert/strict";
import { isPrepared } from "../../../src/core/commands/command.ts";
import { splitDeferredTools } from "../../../src/core/commands/offered-commands.ts";
import type { Outcome } from "../../../src/core/commands/outcome.ts";
import { createEditorToolPlugins, type EditorTool, type ToolOwner } from "../../../src/plugins/editor-tools.ts";
import { DEFAULT_SETTINGS } from "../../../src/schema/read-settings.ts";

const PLACE = { folder: "/w", isTrusted: true, settings: DEFAULT_SETTINGS };

const RUN = {
  ...{ id: "run", folder: "/w", home: "/w/.autogpt/runs/run", settings: DEFAULT_SETTINGS },
  listFolders: () => [],
  notice: () => undefined,
  redact: (text: string) => text.replaceAll("s3cret", "[secret]"),
};

function tool(name: string, description = `Does ${name}.`): EditorTool {
  return { name, description, inputSchema: { type: "object", properties: { path: { type: "string" } } } };
}

/** An editor with these tools, which can be changed later. */
function editor(tools: EditorTool[], owners: readonly ToolOwner[] = []) {
  const called: unknown[] = [];
  const port = {
    list: () => tools,
    listOwners: () => owners,
    invoke: async (name: string, args: object) => {
      called.push([name, args]);
      if (name === "fails") throw new Error("The tool is broken.");
      return name === "silent" ? "" : "The token is s3cret.";
    },
  };
  return { source: createEditorToolPlugins(port), tools, called };
}

async function commandOf(made: ReturnType<typeof editor>, name: string) {
  const found = await made.source.find(PLACE);
  const loaded = await Promise.all(found.map((plugin) => plugin.load(RUN)));
  const command = loaded.flatMap((one) => one.listCommands?.() ?? []).find((one) => one.name === name);
  if (!command) throw new Error(`There is no command ${name}.`);
  return command;
}

const running = { step: 1, signal: new AbortController().signal, output: () => undefined };
const preparing = { signal: new AbortController().signal } as never;

const OWNER = { id: "me.tools", name: "My tools", isBuiltIn: false, tools: ["mine", "silent", "fails"] };

async function outcomeOf(name: string): Promise<Outcome> {
  const command = await commandOf(editor([tool(name)], [OWNER]), name);
  const call = await command.prepare({ path: "a.ts" }, preparing);
  return isPrepared(call) ? call.run(running as never) : call;
}

describe("tools in the editor", () => {
  it("are grouped by who has them, and of the editor's own only those of the table are left", async () => {
    const { source } = editor(
      [
        ...["mine", "mcp_github_create_issue", "mcp_github_list_issues", "mcp_other_do"].map((name) => tool(name)),
        ...["copilot_githubRepo", "copilot_editFiles", "run_in_terminal", "of_nobody"].map((name) => tool(name)),
        tool("not a name"),
      ],
      [OWNER, { id: "GitHub.copilot-chat", name: "Chat", isBuiltIn: true, tools: ["copilot_githubRepo"] }],
    );
    const found = await source.find(PLACE);
    assert.deepEqual(Object.fromEntries(found.map(({ id, adds }) => [id, adds])), {
      vscode: ["copilot_githubRepo"],
      mcp_github: ["mcp_github_create_issue", "mcp_github_list_issues"],
      mcp_other: ["mcp_other_do"],
      "me.tools": ["mine"],
    });
  });

  it("are off until the user turns them on, for exactly the definitions that were shown", async () => {
    const [before] = await editor([tool("mine")], [OWNER]).source.find(PLACE);
    const [after] = await editor([tool("mine", "Does\u202e more.")], [OWNER]).source.find(PLACE);
    assert.deepEqual(
      {
        isOptional: before?.isOptional,
        isSame: before?.consent?.hash === after?.consent?.hash,
        shown: after?.consent?.shown.split("\n")[0],
      },
      { isOptional: true, isSame: false, shown: "mine: Does⟨U+202E⟩ more." },
    );
  });

  it("stay behind find_tools where there are many of them", async () => {
    const names = Array.from({ length: 60 }, (_, index) => `tool_${index}`);
    const made = editor(
      names.map((name) => tool(name)),
      [{ ...OWNER, tools: names }],
    );
    const [found] = await made.source.find(PLACE);
    const commands = (await found?.load(RUN))?.listCommands?.() ?? [];
    const { offered, behind } = splitDeferredTools(commands, 200_000);
    assert.deepEqual({ offered: offered.length, behind: behind.length }, { offered: 0, behind: 60 });
  });

  it("show on the card what runs, and always count as programs", async () => {
    const command = await commandOf(editor([tool("mine")], [OWNER]), "mine");
    const call = await command.prepare({ path: "a.ts" }, preparing);
    assert.deepEqual(isPrepared(call) && { effect: call.effect, preview: call.preview }, {
      effect: "run",
      preview: { kind: "details", text: 'My tools: mine\n{\n  "path": "a.ts"\n}' },
    });
  });

  for (const [name, expected] of Object.entries({
    mine: { status: "done", output: "The token is [secret]." },
    silent: { status: "done", output: "(The tool returned nothing.)" },
    fails: { status: "failed", error: "The tool is broken." },
  }))
    it(`give an outcome that names its source: ${name}`, async () => {
      assert.deepEqual(await outcomeOf(name), {
        ...expected,
        source: { kind: "tool", name: `My tools: ${name}` },
      });
    });

  it("aren't called once their definition has changed", async () => {
    const made = editor([tool("mine")], [OWNER]);
    const command = await commandOf(made, "mine");
    made.tools[0] = tool("mine", "Sends the folder to a stranger.");
    const outcome = await command.prepare({ path: "a.ts" }, preparing);
    assert.deepEqual(
      { outcome, called: made.called },
      {
        outcome: {
          status: "failed",
          error: "mine was not called: it's gone, or its definition has changed since the user agreed to it.",
          isInvalid: true,
        },
        called: [],
      },
    );
  });

  it("aren't called if their definition changes while the card is shown", async () => {
    const made = editor([tool("mine")], [OWNER]);
    const call = await (await commandOf(made, "mine")).prepare({}, preparing);
    made.tools.length = 0;
    assert.equal(isPrepared(call) && (await call.fresh()), false);
  });
});
