import assert from "node:assert/strict";
import { WRAPPERS } from "../../../src/runtime/wrappers.ts";

describe("the list of wrappers", () => {
  it("names every wrapper of a run, for each port from the innermost to the outermost", () => {
    const names = (port: string) => WRAPPERS.filter((wrapper) => wrapper.port === port).map(({ name }) => name);
    assert.deepEqual(
      {
        log: names("log"),
        commands: names("commands"),
        begunCommands: names("begunCommands"),
        approver: names("approver"),
        smallTasks: names("smallTasks"),
      },
      {
        log: ["secrets", "disk"],
        commands: ["secrets", "undo", "unsaved", "provenance"],
        begunCommands: ["instructions"],
        approver: ["agent", "policy"],
        smallTasks: ["budget"],
      },
    );
  });

  it("gives a reason for each position", () =>
    assert.deepEqual(
      WRAPPERS.filter(({ why }) => !/^(Innermost|Outermost|Next|Outside|Around)\b.*\.$/.test(why)),
      [],
    ));
});
