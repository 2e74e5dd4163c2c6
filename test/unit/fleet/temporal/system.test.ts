import assert from "node:assert/strict";
import { explainNoLibrary } from "../../../../src/fleet/temporal/failures.ts";

describe("a worker's system", () => {
  it("is said to be none for Temporal's library where that has no program", () => {
    const explain = (platform: NodeJS.Platform, arch: NodeJS.Architecture, glibcVersionRuntime?: string) =>
      explainNoLibrary({
        platform,
        arch,
        report: { ...process.report, getReport: () => ({ header: { glibcVersionRuntime } }) },
      })?.split(". ")[0];
    assert.deepEqual(
      {
        debian: explain("linux", "x64", "2.41"),
        alpine: explain("linux", "arm64"),
        windows: explain("win32", "x64"),
        windowsOnArm: explain("win32", "arm64"),
        mac: explain("darwin", "arm64"),
      },
      {
        debian: undefined,
        alpine: "Temporal's library needs glibc, which Alpine and other systems with musl lack",
        windows: undefined,
        windowsOnArm: "Temporal's library isn't made for win32-arm64",
        mac: undefined,
      },
    );
  });
});
