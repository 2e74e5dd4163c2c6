import assert from "node:assert/strict";
import { callTool } from "../../../../src/commands/agent/call-tool.ts";
import { type Command, createPreparedCall } from "../../../../src/core/commands/command.ts";
import { createCommandSet } from "../../../../src/core/commands/command-set.ts";
import { selectFittingCommands, splitDeferredTools } from "../../../../src/core/commands/offered-commands.ts";

function tool(name: string, more: Partial<Command> = {}): Command {
  return {
    name,
    aliases: [],
    category: "mcp",
    effect: "run",
    description: `Does ${name}, which takes some words to describe.`,
    parameters: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
    isDeferrable: true,
    prepare: async (args) =>
      createPreparedCall("run", `${name} ${JSON.stringify(args)}`, async () => ({
        status: "done",
        output: name,
      })),
    ...more,
  };
}

function withBehind(own: readonly Command[], behind: readonly Command[], disabled: readonly string[] = []) {
  const set = createCommandSet(own, disabled);
  set.add([], () => behind);
  return set;
}

describe("commands that prompts don't offer", () => {
  it("are called by their own names, whichever way the model writes it", () => {
    const { isDeferrable: _, ...own } = tool("read_file");
    const set = withBehind([own, callTool()], [tool("github__create_issue")]);
    const calls = [
      { name: "call_tool", args: { name: "github__create_issue", args: { title: "x" } } },
      { name: "Use_Tool", args: { tool: "GitHub__create_issue", arguments: { title: "x" } } },
      { name: "call_tool", args: { name: "github__create_issue", title: "x" } },
      { name: "github__create_issue", args: { title: "x" } },
      { name: "call_tool", args: { name: "read_file", args: '{"title":"x"}' } },
    ];

    const understood = calls.map((call) => set.understand(call).call);

    const issue = { name: "github__create_issue", args: { title: "x" } };
    assert.deepEqual(understood, [issue, issue, issue, issue, { name: "read_file", args: { title: "x" } }]);
  });

  it("never run by way of call_tool itself", async () => {
    const set = withBehind([callTool()], [tool("a__b")]);
    const preparing = { step: 1, signal: new AbortController().signal };
    const calls = [
      { name: "call_tool", args: { name: "a__b", args: { title: "x" } } },
      { name: "call_tool", args: { name: "call_tool", args: { name: "a__b", args: { title: "x" } } } },
    ];

    const outcomes = await Promise.all(calls.map((call) => set.prepare(call, preparing)));

    assert.deepEqual(
      outcomes.map((outcome) => "status" in outcome && outcome.status),
      ["failed", "failed"],
    );
  });

  it("never take the place of ours, and don't come back once they are turned off", () => {
    const { isDeferrable: _, ...own } = tool("read_file", { description: "ours" });
    const set = withBehind([own], [tool("READ_FILE"), tool("a__b")], ["mcp"]);
    const open = withBehind([own], [tool("read_file", { name: "Read_File" })]);

    const names = [set.resolve("a__b"), open.resolve("READ_FILE")];

    assert.deepEqual(names, [undefined, "read_file"]);
  });

  it("are only those that a profile names, and the command that calls them is offered only with them", () => {
    const behind = [tool("a__b"), tool("c__d"), tool("e__f", { category: "other" })];
    const limited = (only: readonly string[]) => {
      const set = createCommandSet([tool("read_file")], [], only);
      set.add([callTool()], () => behind);
      return [
        ...["read_file", "a__b", "c__d", "e__f", "call_tool"].filter((name) => set.resolve(name)),
        set.listUnknownCommands?.(),
      ];
    };

    const found = [["A__B", "e__f"], ["mcp", "nobody"], ["read_file"], []].map(limited);

    assert.deepEqual(found, [
      ["a__b", "e__f", "call_tool", []],
      ["read_file", "a__b", "c__d", "call_tool", ["nobody"]],
      ["read_file", []],
      ["read_file", "a__b", "c__d", "e__f", "call_tool", []],
    ]);
  });

  it("are all tools of servers once there are too many, except those that are pinned", () => {
    const few = Array.from({ length: 40 }, (_, index) => tool(`s__t${index}`));
    const { isDeferrable: _, ...pinned } = tool("s__pinned");
    const counts = [
      splitDeferredTools(few, 200_000),
      splitDeferredTools([...few, tool("s__more")], 200_000),
      splitDeferredTools([...few, tool("s__more"), pinned], 200_000),
      splitDeferredTools(few, 8_000),
    ];

    const lengths = counts.map(({ offered, behind }) => [offered.length, behind.length]);

    assert.deepEqual(lengths, [
      [40, 0],
      [0, 41],
      [1, 41],
      [0, 40],
    ]);
  });

  it("can be found even where everything else is offered", () => {
    const names = ["find_tools", "call_tool"].map((name) => tool(name, { category: "user", effect: "none" }));

    const { offered } = selectFittingCommands(names, 200_000);

    assert.deepEqual(
      offered.map(({ name }) => name),
      ["find_tools", "call_tool"],
    );
  });
});
