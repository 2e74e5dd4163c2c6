import assert from "node:assert/strict";
import type { RunEnd } from "../../../../src/core/commands/outcome.ts";
import { createLeveledLog, logEnd } from "../../../../src/editor/panel/log.ts";

describe("the log", () => {
  it("shows as much as the user wants, whatever the channel would hide", () => {
    const told: string[] = [];
    const tells = (kind: string) => (message: string | Error) => void told.push(`${kind} ${message}`);
    let level = "";
    const channel = {
      error: tells("error"),
      warn: tells("warn"),
      info: tells("info"),
      debug: tells("debug"),
    };
    const log = createLeveledLog(() => level, channel);
    for (level of ["error", "warn", "info", "debug"])
      for (const kind of ["error", "warn", "info", "debug"] as const) log[kind](`${level}: ${kind}`);
    assert.deepEqual(told, [
      "error error: error",
      ...["error warn: error", "warn warn: warn"],
      ...["error info: error", "warn info: warn", "info info: info"],
      ...["error debug: error", "warn debug: warn", "info debug: info", "info debug: debug"],
    ]);
  });

  it("gives the reason of a run's end, as an error if the run broke", () => {
    const lines: string[] = [];
    const write = (kind: string) => (message: string | Error) => void lines.push(`${kind} ${message}`);
    const log = { error: write("error"), warn: write("warn"), info: write("info"), debug: write("debug") };
    const ends: readonly RunEnd[] = [
      { reason: "crashed", error: "x is not a function\n  at y" },
      { reason: "failed", error: "The disk is full." },
      { reason: "stuck", why: "It repeats itself." },
      { reason: "exhausted", limit: "steps" },
      { reason: "finished", summary: "All is done." },
      { reason: "stopped" },
    ];
    for (const end of ends) logEnd("r1", end, log);
    assert.deepEqual(lines, [
      "error r1: over: crashed: x is not a function at y",
      "error r1: over: failed: The disk is full.",
      "info r1: over: stuck: It repeats itself.",
      "info r1: over: exhausted: steps",
      "info r1: over: finished",
      "info r1: over: stopped",
    ]);
  });
});
