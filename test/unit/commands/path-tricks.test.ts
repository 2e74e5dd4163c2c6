import assert from "node:assert/strict";
import { join } from "node:path";
import { getOutcomeText } from "../../../src/core/commands/outcome.ts";
import { findNodeGit } from "../../../src/node/git/git.ts";
import { CommandBench } from "../../support/command-bench.ts";
import { makeRepository } from "../../support/repositories.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { grown, plant } from "../../support/trees.ts";

/** Paths that try to leave the folder `$W`, whose sibling is `$W2` and beside which lies `outside`. */
const TRICKS = [
  "..",
  "../outside/secret.txt",
  "../outside/new.txt",
  "a/../../outside/secret.txt",
  "a/./.././../outside/secret.txt",
  "./../outside/secret.txt",
  "d/../..",
  "$W2/secret.txt",
  "$W/../outside/secret.txt",
  "/etc/passwd",
  "//etc/passwd",
  "/proc/self/environ",
  "/proc/self/cwd/../outside/secret.txt",
  "/dev/null",
  "link-file",
  "link-folder/secret.txt",
  "link-folder/new.txt",
  "link-folder/../secret.txt/../../outside/secret.txt",
  "chain/secret.txt",
  "a/deep-link/secret.txt",
  "link-missing",
  "link-missing/new.txt",
  "link-root/etc/passwd",
  "link-proc/cwd/../outside/secret.txt",
  "file:///etc/passwd",
  "file:/etc/passwd",
  "FILE://localhost/etc/passwd",
  "vscode-remote://wsl/etc/passwd",
  "link-dotdot/outside/secret.txt",
  "loop/secret.txt",
  "..\u2215outside\u2215secret.txt/../../outside/secret.txt",
  "\uff0e\uff0e/../../outside/secret.txt",
  "a/b.txt/../../../outside/secret.txt",
  "~/secret.txt",
  "~root/secret.txt",
  "~",
  "$HOME/secret.txt",
  "$" + "{HOME}/secret.txt",
  "%USERPROFILE%/secret.txt",
  "\\\\server\\share\\secret.txt",
  "\\\\?\\C:\\secret.txt",
  "\\\\.\\PhysicalDrive0",
  "//?/C:/secret.txt",
  "//server/share",
  "C:\\Windows\\win.ini",
  "c:/windows/win.ini",
  "C:secret.txt",
  "a.txt\0.png",
  "../outside/secret.txt\0",
  "a.txt%00.png",
  "a.txt\\0",
  "a.txt\\x00.png",
  "a.txt\\z",
  "new\u0001name.txt",
  "new\u001b[2Jname.txt",
  "new\nname.txt",
  "x/".repeat(20_000),
  `${"y".repeat(300)}/z.txt`,
  "",
];

/** Ordinary names everywhere but on Windows. */
const WINDOWS_TRICKS = [
  " ../outside/secret.txt",
  "output:../outside/secret.txt",
  "fresh.txt::$DATA",
  "fresh.txt:stream:$DATA",
  "fresh::$INDEX_ALLOCATION",
  "CON",
  "nul",
  "a/aux.txt",
  "COM1.log",
  "lpt9",
  "conout$",
  "fresh.txt.",
  "fresh.txt ",
  "fresh./x.txt",
];

/** Each file command, called with a path in every argument that takes one. */
const CALLS: readonly (readonly [name: string, args: (path: string) => object])[] = [
  ["read_file", (filename) => ({ filename })],
  ["write_to_file", (filename) => ({ filename, contents: "stolen" })],
  ["append_to_file", (filename) => ({ filename, contents: "stolen" })],
  ["edit_file", (filename) => ({ filename, edits: [{ search: "secret", replace: "stolen" }] })],
  ["move_file", (source) => ({ source, destination: "taken.txt" })],
  ["move_file", (destination) => ({ source: "own.txt", destination })],
  ["create_folder", (folder) => ({ folder })],
  ["delete_file", (filename) => ({ filename })],
  ["list_files", (folder) => ({ folder: folder || ".." })],
  ["search_files", (folder) => ({ folder: folder || "..", pattern: "secret" })],
  ["search_files", (folder) => ({ folder: folder || ".." })],
  ["analyze_code", (filename) => ({ filename })],
  ["git_status", (folder) => ({ folder: folder || ".." })],
  ["git_diff", (folder) => ({ folder: folder || ".." })],
  ["git_diff", (filename) => ({ filename })],
  ["git_log", (filename) => ({ filename })],
  ["execute_shell", (folder) => ({ folder: folder || "..", command_line: "cat secret.txt; touch new.txt" })],
];

describe("paths that try to leave the workspace", () => {
  const tempFolder = tempFolders();

  for (const [name, args] of CALLS)
    it(`do not get out through ${name} ${Object.keys(args("")).join(", ")}`, async () => {
      const home = await tempFolder();
      const outside = { "outside/secret.txt": "secret", "project2/secret.txt": "secret" };
      await plant(home, {
        ...outside,
        "project/a/b.txt": "inside",
        "project/own.txt": "own",
        "project/link-file": { link: "../outside/secret.txt" },
        "project/link-folder": { link: join(home, "outside") },
        "project/chain": { link: "link-folder" },
        "project/a/deep-link": { link: "../../outside" },
        "project/link-missing": { link: "../outside/missing" },
        "project/link-root": { link: "/" },
        "project/link-proc": { link: "/proc/self" },
        "project/link-dotdot": { link: ".." },
        "project/loop": { link: "loop" },
      });
      makeRepository(join(home, "project"), { "own.txt": "own" });
      const before = await grown(home);
      const bench = new CommandBench(join(home, "project"), join(home, "kept"), { git: findNodeGit() });
      const escapes: string[] = [];
      for (const trick of process.platform === "win32" ? [...TRICKS, ...WINDOWS_TRICKS] : TRICKS) {
        const path = trick.replace("$W", join(home, "project"));
        const outcome = await bench.call(name, args(path));
        const text = getOutcomeText(outcome).replaceAll(path, "").replaceAll("secret.txt", "");
        if (outcome.status !== "failed" || /secret|root:/.test(text)) escapes.push(`${trick} -> ${text}`);
      }
      assert.deepEqual({ escapes, files: await grown(home) }, { escapes: [], files: before });
    });
});
