import assert from "node:assert/strict";
import type { Disk } from "../../../../src/core/ports/disk.ts";
import { Grants } from "../../../../src/safety/policy/grants.ts";
import { decideVerdict, type PolicyState } from "../../../../src/safety/policy/policy-state.ts";
import { Provenance } from "../../../../src/safety/provenance/provenance.ts";
import { readerOf } from "../readers.ts";
import { emptyDisk, request } from "../support.ts";

const FOLDER = "C:\\work\\shop";

/** Files of a disk of Windows, which finds a name however it's spelled. */
const FILES = ["package.json", "mine.ps1", "tools\\build.cmd", "Makefile", "theirs.ps1"];

/** Another spelling of the same name: without case, separators and dots, as Windows resolves it. */
function resolved(path: string): string | undefined {
  const names: string[] = [];
  for (const name of path
    .replace(/^\\\\\?\\/, "")
    .toLowerCase()
    .split(/[\\/]+/))
    if (name === "..") names.pop();
    else if (name !== "." && name !== "") names.push(name.replace(/(?<=[^.])\.+$/, ""));
  const key = names.join("\\");
  return FILES.map((name) => `${FOLDER}\\${name}`).find((file) => file.toLowerCase() === key);
}

const disk: Disk = {
  ...emptyDisk,
  hash: async (path) => (resolved(path) === undefined ? undefined : "hash"),
  readText: async () => undefined,
  resolveRealPaths: async (path) => [resolved(path)].filter((one) => one !== undefined),
};

/** The verdict of continuous mode on a line of PowerShell, after the run has changed files and read a page. */
async function verdict(line: string, cwd = FOLDER, command = "execute_shell"): Promise<string> {
  const provenance = new Provenance();
  const grants = new Grants(() => provenance.sources.length);
  grants.startContinuous(9);
  provenance.apply({
    type: "ended",
    step: 1,
    outcome: { status: "done", output: "Hello.", source: { kind: "web", name: "https://docs.example.net/" } },
  } as never);
  const own = FILES.filter((name) => name !== "theirs.ps1").map((name) => `${FOLDER}\\${name}`);
  const state: PolicyState = {
    grants,
    provenance,
    platform: "win32",
    lines: {
      disk,
      loadShellLanguage: async () => ({ dialect: "powershell", reader: await readerOf("powershell") }),
    },
    getSettings: () => ({ rules: [], deny: [], readOnlyShell: false, allowHosts: [] }),
    listFolders: () => [FOLDER],
    isTrusted: () => true,
    ownFiles: async () => ({ changed: new Set(own), created: new Set(own) }),
  };
  const asked = request(command, {}, { effect: "run", shell: line, cwd });
  const { verdict: answer } = await decideVerdict(asked, state);
  return `${answer.verdict} ${answer.rule}`;
}

describe("after text that others wrote, continuous mode on Windows", () => {
  for (const line of [
    "npm test",
    "npm.cmd test",
    "make all",
    ".\\mine.ps1",
    "C:\\WORK\\shop\\MINE.PS1",
    ".\\mine",
    "& .\\tools\\..\\mine.ps1",
    "tools\\build",
    "C:/Work/Shop/mine.ps1",
    "\\work\\shop\\mine.ps1",
    "\\\\?\\C:\\work\\shop\\mine.ps1",
    "cd tools; ..\\mine.ps1",
  ])
    it(`asks before a script that the run has changed: ${line}`, async () => {
      assert.equal(await verdict(line), "ask untrusted-text");
    });

  it("asks in a folder whose drive is spelled in the other case", async () => {
    assert.equal(await verdict("npm test", "c:\\work\\shop"), "ask untrusted-text");
  });

  it("asks before run_tests of a package that the run has changed", async () => {
    assert.equal(await verdict("npm test", "c:/WORK/Shop", "run_tests"), "ask untrusted-text");
  });

  it("runs what the run hasn't changed", async () => {
    assert.deepEqual(
      [await verdict(".\\theirs.ps1"), await verdict("cargo build")],
      ["allow continuous", "allow continuous"],
    );
  });
});
