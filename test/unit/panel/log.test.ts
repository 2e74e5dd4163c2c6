import assert from "node:assert/strict";
import { leveledLog } from "../../../src/panel/log.ts";

describe("the log", () => {
  it("tells as much as the user wants, whatever the channel would hide", () => {
    const told: string[] = [];
    const tells = (kind: string) => (message: string | Error) => void told.push(`${kind} ${message}`);
    let level = "";
    const channel = {
      error: tells("error"),
      warn: tells("warn"),
      info: tells("info"),
      debug: tells("debug"),
    };
    const log = leveledLog(() => level, channel);
    for (level of ["error", "warn", "info", "debug"])
      for (const kind of ["error", "warn", "info", "debug"] as const) log[kind](`${level}: ${kind}`);
    assert.deepEqual(told, [
      "error error: error",
      ...["error warn: error", "warn warn: warn"],
      ...["error info: error", "warn info: warn", "info info: info"],
      ...["error debug: error", "warn debug: warn", "info debug: info", "info debug: debug"],
    ]);
  });
});
