import assert from "node:assert/strict";
import {
  findInnermostFolder,
  getPathBelow,
  isInside,
  listSegmentsBelow,
  splitPathSegments,
} from "../../../../src/safety/paths/paths.ts";
import { findProtection, findSteeringReason } from "../../../../src/safety/paths/sensitive.ts";
import { displayText } from "../../../../src/texts/display-text.ts";

describe("the names along a path", () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    "/home/Ann/.ENV": ["home", "ann", ".env"],
    "C:\\Users\\Ann\\.env": ["c:", "users", "ann", ".env"],
    "a//b/./c/": ["a", "b", "c"],
    "a/.env. . /b.txt:stream": ["a", ".env", "b.txt"],
    "a/../.env": ["a", "..", ".env"],
    "ﬁle/Ａ": ["file", "a"],
    "a/.e\u200bnv": ["a", ".env"],
    "a/.env\u00ad": ["a", ".env"],
    "": [],
  };
  for (const [path, names] of Object.entries(cases)) {
    it(`are the same however it is spelled: ${JSON.stringify(path)}`, () =>
      assert.deepEqual(splitPathSegments(path), names));
  }
});

describe("names that mean something else on Windows", () => {
  it("are plain names elsewhere", () => {
    assert.deepEqual(splitPathSegments("a/.env. /b.txt:stream", "linux"), ["a", ".env. ", "b.txt:stream"]);
  });

  const verdicts = (path: string) => ({
    linux: findProtection({ path: `/w/${path}`, how: "write" }, ["/w"], "linux"),
    windows: findProtection({ path: `C:\\w\\${path}`, how: "read" }, ["C:\\w"], "win32"),
  });
  const SHORT = displayText("safety.line.shortName");
  for (const [path, windows] of [
    ["GIT~1", SHORT],
    ["GITCON~1.TXT", SHORT],
    ["12FF~12.", SHORT],
    ["backup~2024-01.tar.gz", undefined],
    ["file~1~", undefined],
    ["longer-name~1.txt", undefined],
  ] as const)
    it(`count as short only where they can be: ${path}`, () =>
      assert.deepEqual(verdicts(path), { linux: undefined, windows }));
});

describe("the user's own files on Windows and macOS", () => {
  const protect = (path: string, how: "read" | "write") =>
    findProtection({ path: `/home/ann/${path}`, how }, ["/home/ann"], "linux");

  for (const [path, how, why] of [
    [
      "AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/ConsoleHost_history.txt",
      "read",
      "historyMayHoldSecrets",
    ],
    [".zsh_sessions/1A2B.history", "read", "historyMayHoldSecrets"],
    ["NTUSER.DAT", "read", "mayHoldSecrets"],
    ["Documents/WindowsPowerShell/Microsoft.PowerShell_profile.ps1", "write", "runsAtLogin"],
    ["Documents/PowerShell/profile.ps1", "write", "runsAtLogin"],
  ] as const)
    it(`are protected: ${path}`, () => assert.deepEqual(protect(path, how), displayText(`safety.line.${why}`)));

  it("may be read, such as a profile, and a review shows what a double click starts", () =>
    assert.deepEqual(
      { profile: protect("profile.ps1", "read"), command: findSteeringReason(["bin", "build.command"]) },
      { profile: undefined, command: displayText("safety.line.startsPrograms") },
    ));
});

describe("the user's own folder of this agent, in a workspace that is their home", () => {
  for (const path of [
    ".local/share/autogpt/plugin-consents.json",
    ".local/share/autogpt/compiled/entry.cache",
    "Library/Application Support/autogpt/run-key",
    "AppData/Local/autogpt/memory-key",
  ])
    it(`steers this agent: ${path}`, () =>
      assert.deepEqual(
        findProtection({ path: `/home/ann/${path}`, how: "write" }, ["/home/ann"], "linux"),
        displayText("safety.line.steersThisAgent"),
      ));
});

describe("a path inside a folder", () => {
  it("is the folder itself or below it, not beside it", () => {
    const isIn = (path: string, ...folders: readonly string[]) => isInside(path, folders, "linux");
    assert.deepEqual(
      {
        itself: isIn("/w", "/w"),
        itselfWithSlash: isIn("/w", "/w/"),
        below: isIn("/w/a/b", "/w"),
        sibling: isIn("/w2/a", "/w"),
        above: isIn("/", "/w"),
        up: isIn("/w/../x", "/w"),
        upAtEnd: isIn("/w/..", "/w"),
        dots: isIn("/w/..a/b..", "/w"),
        emptyFolder: isIn("/w", ""),
        emptyBoth: isIn("", ""),
        second: isIn("/b/x", "/a", "/b"),
        none: isIn("/w"),
      },
      {
        itself: true,
        itselfWithSlash: true,
        below: true,
        sibling: false,
        above: false,
        up: false,
        upAtEnd: false,
        dots: true,
        emptyFolder: false,
        emptyBoth: false,
        second: true,
        none: false,
      },
    );
  });

  it("has its case on Linux alone, and backslashes separate on Windows alone", () => {
    const isIn = (path: string, folder: string) => ({
      linux: isInside(path, [folder], "linux"),
      darwin: isInside(path, [folder], "darwin"),
      win32: isInside(path, [folder], "win32"),
    });
    assert.deepEqual(
      { case: isIn("/W/a", "/w"), backslash: isIn("\\w\\a", "\\w"), mixed: isIn("c:/w/a", "C:\\w") },
      {
        case: { linux: false, darwin: true, win32: true },
        backslash: { linux: false, darwin: false, win32: true },
        mixed: { linux: false, darwin: false, win32: true },
      },
    );
  });

  it("may be on another machine, and has its case in WSL", () => {
    const isIn = (path: string, folder: string) => isInside(path, [folder], "win32");
    assert.deepEqual(
      {
        share: isIn("\\\\SERVER\\share\\shop\\a", "\\\\server\\share\\shop"),
        wsl: isIn("\\\\wsl$\\Ubuntu\\shop\\a", "\\\\wsl$\\Ubuntu\\shop"),
        otherCase: isIn("\\\\wsl$\\Ubuntu\\Shop\\a", "\\\\wsl$\\Ubuntu\\shop"),
        label: getPathBelow("\\\\server\\share\\shop\\a\\B", ["\\\\server\\share\\shop"], "win32"),
      },
      { share: true, wsl: true, otherCase: false, label: "a/B" },
    );
  });

  it("belongs to the innermost of several", () => {
    const folders = ["/w", "/w/inner/deep", "/w/inner"];
    assert.deepEqual(
      {
        folder: findInnermostFolder("/w/inner/a", folders, "linux"),
        none: findInnermostFolder("/x", folders, "linux"),
        below: getPathBelow("/w/inner/a/B", folders, "linux"),
        itself: getPathBelow("/w", folders, "linux"),
        outside: getPathBelow("/x/y", folders, "linux"),
        windows: getPathBelow("C:\\w\\a\\B", ["C:\\w"], "win32"),
        backslash: getPathBelow("/w/a\\b", ["/w"], "linux"),
        names: listSegmentsBelow("/w/inner/a/B", folders, "linux"),
        namesOutside: listSegmentsBelow("/x/Y", folders, "linux"),
      },
      {
        folder: "/w/inner",
        none: undefined,
        below: "a/B",
        itself: "",
        outside: "/x/y",
        windows: "a/B",
        backslash: "a\\b",
        names: ["a", "b"],
        namesOutside: ["x", "y"],
      },
    );
  });
});
