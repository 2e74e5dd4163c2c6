import assert from "node:assert/strict";
import { findNearestName, isMisspelled } from "../../../../src/core/base/text.ts";

const NAMES = ["read_file", "write_to_file", "execute_shell"];

describe("nearest", () => {
  const cases = [
    ["read_fil", "read_file"],
    ["READ_FILE", "read_file"],
    ["write_file", "write_to_file"],
    ["exec_shell", "execute_shell"],
    ["dance", undefined],
    ["x".repeat(300), undefined],
  ] as const;
  for (const [name, expected] of cases) {
    it(`takes ${name.slice(0, 20)} for ${expected ?? "nothing known"}`, () =>
      assert.equal(findNearestName(name, NAMES), expected));
  }

  const spellings = [
    ["start_lin", true],
    ["quetsion", true],
    ["Tool", true],
    ["page", false],
    ["to", false],
    ["volume", false],
  ] as const;
  for (const [name, expected] of spellings)
    it(`takes ${name} for ${expected ? "a misspelled name" : "another name"}`, () =>
      assert.equal(isMisspelled(name, ["start_line", "question", "tools", "path", "do"]), expected));

  it("finds nothing among no candidates", () => assert.equal(findNearestName("a", []), undefined));
});
