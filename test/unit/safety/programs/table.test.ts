import assert from "node:assert/strict";
import { indexByName, selectEntered } from "../../../../src/safety/programs/program.ts";
import { findReadCheck, getProgramFacts, PROGRAM_FACTS } from "../../../../src/safety/programs/table.ts";
import { createLiteralWord, isReason } from "../../../../src/safety/shell/reading.ts";

describe("the table of programs", () => {
  it("finds the rows of a name, of its versions and of what begins like it, in order", () => {
    const find = indexByName([
      ["mkfs.*", "any"],
      ["python# pypy#", "versions"],
      ["python3 mkfs.ext4", "exact"],
    ]);
    const names = ["python", "python3", "python3.11", "pypy3", "python-config", "mkfs.ext4", "mkfs", "constructor"];
    assert.deepEqual(Object.fromEntries(names.map((name) => [name, find(name)])), {
      python: ["versions"],
      python3: ["versions", "exact"],
      "python3.11": ["versions"],
      pypy3: ["versions"],
      "python-config": [],
      "mkfs.ext4": ["any", "exact"],
      mkfs: [],
      constructor: [],
    });
  });

  it("joins the facts of all rows with a name, and knows nothing of other names", () => {
    const { runs, code, otherFlags } = getProgramFacts("python3");
    assert.deepEqual([runs, code?.flags?.test("-c"), otherFlags?.test("-d")], ["input", true, true]);
    assert.deepEqual([getProgramFacts("constructor"), getProgramFacts("")], [{}, {}]);
  });

  it("has each fact of a program in one row", () => {
    const names = new Set(PROGRAM_FACTS.flatMap(([row]) => row.split(" ")));
    const findFacts = indexByName(PROGRAM_FACTS);
    const twice = [...names].filter((name) => {
      const facts = findFacts(name).flatMap((row) => Object.keys(row));
      return new Set(facts).size < facts.length;
    });
    assert.deepEqual(twice, []);
  });

  it("says for each shell with which arguments a program only reads", () => {
    const isRead = (dialect: "bash" | "powershell", line: string): boolean => {
      const [name = "", ...args] = line.split(" ");
      const uses = findReadCheck(name, dialect)?.(args.map(createLiteralWord));
      return uses !== undefined && !isReason(uses);
    };
    const lines = [
      "cat x",
      "cat --help",
      "CAT x",
      "rg --version",
      "node --version",
      "node x",
      "git status",
      "gc x",
      "sls -Path a.ts x",
    ];
    const read = (dialect: "bash" | "powershell"): readonly string[] => lines.filter((line) => isRead(dialect, line));
    assert.deepEqual(
      { bash: read("bash"), powershell: read("powershell") },
      {
        bash: ["cat x", "cat --help", "rg --version", "node --version", "git status"],
        powershell: ["cat x", "CAT x", "node --version", "git status", "gc x", "sls -Path a.ts x"],
      },
    );
  });

  it("looks at the folders that better known names enter, whatever rarer names are beside them", () => {
    const rare = ["a", "b", "c"].map((place) => ({ place, enters: 4 as const }));
    const known = ["d", "e"].map((place) => ({ place, enters: 1 as const }));
    assert.deepEqual(selectEntered([...rare, ...known], 2), ["d", "e", "a", "b"]);
  });
});
