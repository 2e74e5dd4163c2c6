import assert from "node:assert/strict";
import { formatToolId } from "../../../../src/plugins/mcp/server-plugin.ts";
import { createToolCommandName } from "../../../../src/plugins/mcp/tools.ts";

/** Servers and tools whose names could be taken for each other's, in the order in which they start. */
const PAIRS: readonly (readonly [server: string, tool: string])[] = [
  ...([
    ["a", "b__c"],
    ["a__b", "c"],
    ["a", "_b"],
    ["a_", "b"],
    ["a_", "_b"],
    ["a", "__b"],
    ["a__", "b"],
  ] as const),
  ...([
    ["git hub", "x"],
    ["git_hub", "x"],
    ["git.hub", "x"],
    ["git  hub", "x"],
    ["Git Hub", "x"],
    ["git_hub_", "x"],
  ] as const),
  ...([
    ["caf\u00e9", "x"],
    ["cafe\u0301", "x"],
    ["caf\u0435", "x"],
    ["caf\u200be", "x"],
    ["", "x"],
    ["__", "x"],
  ] as const),
  ...([
    ["s".repeat(60), "x"],
    [`${"s".repeat(59)}t`, "x"],
    ["s".repeat(40), "x".repeat(80)],
    ["s".repeat(41), "x".repeat(79)],
  ] as const),
  ...([
    ["s", "x".repeat(80)],
    ["s", `${"x".repeat(79)}y`],
    ["1", "x"],
    ["_1", "x"],
    ["-", "x"],
    ["_-", "x"],
  ] as const),
];

describe("the command's name of a server's tool", () => {
  it("belongs to one server alone, in any case of letters", () => {
    const names = PAIRS.map(([server, tool]) => createToolCommandName(server, tool).toLowerCase());
    assert.deepEqual(
      names.filter((name, at) => names.indexOf(name) !== at),
      [],
    );
  });

  it("can't be taken by a server that is called like another one's changed name", () => {
    const changed = createToolCommandName("a__b", "c").split("__")[0] ?? "";
    assert.notEqual(createToolCommandName(changed, "c"), createToolCommandName("a__b", "c"));
  });

  it("is one that models take, and the plain one where that is clear", () => {
    const names = PAIRS.map(([server, tool]) => createToolCommandName(server, tool));
    assert.deepEqual(
      {
        wrong: names.filter((name) => !/^[A-Za-z_][\w-]{0,63}$/.test(name)),
        plain: [
          createToolCommandName("GitHub", "get_issue"),
          createToolCommandName("my-server", "a.b"),
          createToolCommandName("a", "b__c"),
        ],
      },
      { wrong: [], plain: ["GitHub__get_issue", "my-server__a_b", "a__b__c"] },
    );
  });

  it("has the user's consent to itself, too", () => {
    assert.notEqual(formatToolId("a", "b/c"), formatToolId("a/b", "c"));
  });
});
