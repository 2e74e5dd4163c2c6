import assert from "node:assert/strict";
import { listStartFolders } from "../../../../src/safety/read-only/control-flow.ts";
import { readerOf } from "../readers.ts";

const BOTH = ["", "a"];

/** Lines whose last command may stand in these folders. */
const LINES: readonly (readonly [line: string, folders: readonly string[]])[] = [
  ["ls", [""]],
  ["cd a; ls", BOTH],
  ["cd a\nls", BOTH],
  ["cd a || ls", BOTH],
  ["cd a && ls", ["a"]],
  ["cd a &&\nls", ["a"]],
  ["cd a && wc x | sort && ls", ["a"]],
  ["cd a && wc x; ls", BOTH],
  ["cd a && wc x || ls", BOTH],
  ["! cd a && ls", BOTH],
  ["(cd a) && ls", BOTH],
  ["if cd a; then wc x; fi && ls", BOTH],
  ["cd a | sort && ls", BOTH],
  ["wc x | cd a && ls", BOTH],
  ["wc x || cd a && ls", BOTH],
  ["{ wc x; } || cd a && ls", BOTH],
  ["wc x && cd a && ls", ["a"]],
  ["cd a && cd b && ls", ["a/b"]],
  ["cd a; cd b && ls", ["b", "a/b"]],
];

describe("the folder that a command runs in", () => {
  for (const [line, folders] of LINES)
    it(`is ${folders.join(" or ") || "the first one"} at the end of ${JSON.stringify(line)}`, async () => {
      const reading = (await readerOf("bash")).read(line);
      const flow = reading.kind === "script" ? reading.flow : undefined;
      assert.deepEqual([...new Set(listStartFolders(flow ?? [])?.at(-1))].sort(), [...folders].sort());
    });

  it("can't be determined after many", async () => {
    const reading = (await readerOf("bash")).read("cd a; cd b; cd c; cd d; cd e; ls");
    assert.equal(listStartFolders((reading.kind === "script" ? reading.flow : undefined) ?? []), undefined);
  });
});
