import assert from "node:assert/strict";
import { callTool } from "../../../../src/commands/agent/call-tool.ts";
import { createAllCommands } from "../../../../src/commands/all.ts";
import { findTraits, isLook, isReading, listCommandNames } from "../../../../src/core/commands/command-traits.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { COMMAND_BY_ROLE, COMMAND_ROWS } from "../../../../src/schema/command-rows.ts";

const ALL = [...createAllCommands({ workspace: createNodeWorkspace({ folders: [] }) }), callTool()];

/** The arguments that a command's traits name. */
function listNamedArguments(name: string): readonly string[] {
  const { titles, question, changes } = findTraits(name) ?? { titles: [] };
  const texts = [...titles.map(({ when: _when, ...text }) => text), ...(question ? [question] : [])];
  return [...texts.flatMap(({ code: _code, ...shown }) => Object.values(shown)), ...(changes ? [changes] : [])];
}

describe("the traits of commands", () => {
  it("are in the table as the commands have them, in the order of the prompt", () => {
    assert.deepEqual(
      Object.entries(COMMAND_ROWS),
      ALL.map(({ name, traits }) => [name, traits]),
    );
  });

  it("give each role to one command", () => {
    assert.deepEqual(
      Object.entries(COMMAND_BY_ROLE),
      ALL.flatMap(({ name, traits }) => (traits?.role ? [[traits.role, name]] : [])),
    );
  });

  it("have a title for each command, except for the one that calls tools, which are named", () => {
    assert.deepEqual(
      listCommandNames(({ titles }) => titles.length === 0),
      ["call_tool"],
    );
  });

  it("name only arguments that the command takes", () => {
    const strangers = ALL.flatMap(({ name, parameters }) =>
      listNamedArguments(name)
        .filter((argument) => !Object.hasOwn(Object(parameters.properties), argument))
        .map((argument) => `${name} ${argument}`),
    );
    assert.deepEqual(strangers, []);
  });

  it("of a tool that isn't ours are unknown, whatever it's called", () => {
    assert.deepEqual(
      ["mcp_github_issue", "toString", ""].map((name) => [findTraits(name), isReading({ name }), isLook({ name })]),
      [
        [undefined, false, false],
        [undefined, false, false],
        [undefined, false, false],
      ],
    );
  });

  it("separate a look, which a later one replaces, from other readings", () => {
    const kinds = ["git_status", "memory_search", "execute_shell"].map((name) => ({
      name,
      reads: isReading({ name }),
      looks: isLook({ name }),
    }));
    assert.deepEqual(kinds, [
      { name: "git_status", reads: true, looks: true },
      { name: "memory_search", reads: true, looks: false },
      { name: "execute_shell", reads: false, looks: false },
    ]);
  });
});
