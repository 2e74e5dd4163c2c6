import assert from "node:assert/strict";
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findNodeGit } from "../../../../src/node/git/git.ts";
import { type PlantedBench, plantedBenches } from "../../../support/planted-bench.ts";
import { git, makeRepository, writeFiles } from "../../../support/repositories.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

/** What a repository's own settings could have run, each with a trap of its own. `TRAP` is a program that leaves a mark. */
const SETTINGS: readonly (readonly [key: string, value: string])[] = [
  ["core.fsmonitor", "TRAP"],
  ["core.hooksPath", "hooks-of-ours"],
  ["core.pager", "TRAP"],
  ["pager.status", "TRAP"],
  ["pager.diff", "TRAP"],
  ["pager.log", "TRAP"],
  ["core.editor", "TRAP"],
  ["core.sshCommand", "TRAP"],
  ["core.askPass", "TRAP"],
  ["core.gitProxy", "TRAP"],
  ["core.alternateRefsCommand", "TRAP"],
  ["credential.helper", "!TRAP"],
  ["diff.external", "TRAP"],
  ["diff.evil.command", "TRAP"],
  ["diff.evil.textconv", "TRAP"],
  ["diff.submodule", "diff"],
  ["status.submoduleSummary", "true"],
  ["filter.evil.clean", "TRAP"],
  ["filter.evil.smudge", "TRAP"],
  ["filter.evil.required", "true"],
  ["filter.e=v\u00eel .x.process", "TRAP"],
  ["merge.evil.driver", "TRAP"],
  ["gpg.program", "TRAP"],
  ["gpg.ssh.program", "TRAP"],
  ["log.showSignature", "true"],
  ["interactive.diffFilter", "TRAP"],
  ["alias.status", "!TRAP"],
  ["alias.diff", "!TRAP"],
  ["alias.log", "!TRAP"],
  ["remote.origin.url", "ext::TRAP"],
  ["remote.origin.promisor", "true"],
  ["remote.origin.partialclonefilter", "blob:none"],
  ["extensions.partialClone", "origin"],
  ["core.repositoryformatversion", "1"],
  ["trace2.normalTarget", "TRACE"],
];

/** A setting as git's files have it: `a.b.c` is the `c` of the section `a "b"`. */
function settingText(key: string, value: string): string {
  const [, section = "", inner, name = ""] = /^([^.]+)(?:\.(.*))?\.([^.]+)$/.exec(key) ?? [];
  return `[${section}${inner === undefined ? "" : ` "${inner}"`}]\n\t${name} = ${JSON.stringify(value)}\n`;
}

describe("a poisoned repository", () => {
  const planted = plantedBenches();
  const tempFolder = tempFolders();

  /** A repository in which everything that can be set to run a program is, and a folder where each leaves its mark. */
  async function poisoned(env: NodeJS.ProcessEnv = process.env): Promise<PlantedBench & { readonly marks: string }> {
    const marks = await tempFolder();
    const made = await planted({}, { git: findNodeGit(env) });
    const { folder } = made;
    makeRepository(folder, { "a.txt": "one\n", "b.txt": "one\n" });
    const trap = await tempFolder();
    const program = join(trap, "trap");
    writeFileSync(program, `#!/bin/sh\ntouch '${marks}/sprung'\ncat\n`);
    chmodSync(program, 0o755);
    makeSubmodule(folder, program);
    const hooks = [join(folder, "hooks-of-ours"), join(folder, ".git/hooks")];
    for (const hook of [
      "post-index-change",
      "post-checkout",
      "pre-commit",
      "fsmonitor-watchman",
      "reference-transaction",
    ])
      for (const where of hooks) {
        mkdirSync(where, { recursive: true });
        writeFileSync(join(where, hook), `#!/bin/sh\ntouch '${marks}/${hook}'\n`);
        chmodSync(join(where, hook), 0o755);
      }
    writeFiles(folder, {
      "a.txt": "two\n",
      "b.txt": "two\n",
      ".gitattributes": "a.txt filter=evil diff=evil merge=evil\nb.txt filter=e=v\u00eel\n",
      ".git/info/attributes": "* filter=evil diff=evil\n",
    });
    const settings = SETTINGS.map(([key, value]) =>
      settingText(key, value.replace("TRAP", program).replace("TRACE", join(marks, "trace"))),
    );
    appendFileSync(join(folder, ".git/config"), settings.join(""));
    return { ...made, marks };
  }

  /** A submodule whose own settings are poisoned as well. */
  function makeSubmodule(folder: string, program: string): void {
    const inner = join(folder, "inner");
    makeRepository(inner, { "c.txt": "c\n" });
    git(folder, "add", "inner");
    git(inner, "config", "core.fsmonitor", program);
    git(inner, "config", "diff.external", program);
    git(inner, "config", "filter.other.clean", program);
    writeFiles(inner, { "c.txt": "changed\n", ".gitattributes": "* filter=other\n" });
  }

  it("runs nothing, whatever is looked at", async () => {
    const { bench, folder, marks } = await poisoned();
    const outcomes = [
      await bench.call("git_status", {}),
      await bench.call("git_diff", {}),
      await bench.call("git_diff", { staged: true }),
      await bench.call("git_log", {}),
      await bench.call("git_log", { filename: "a.txt" }),
      await bench.call("git_status", { folder: "inner" }),
      await bench.call("git_diff", { folder: "inner" }),
    ];
    assert.deepEqual(
      [outcomes.map(({ status }) => status), readdirSync(marks), JSON.stringify(outcomes[1]).includes("+two")],
      [Array(7).fill("done"), [], true],
    );
    assert.ok(existsSync(folder));
  });

  it("would have run something, were git asked as it is", async () => {
    const { folder, marks } = await poisoned();
    git(folder, "config", "--unset", "extensions.partialClone");
    git(folder, "status");
    assert.notDeepEqual(readdirSync(marks), []);
  });

  it("is not helped by variables of the environment", async () => {
    const marks = await tempFolder();
    const program = join(marks, "trap");
    writeFileSync(program, `#!/bin/sh\ntouch '${marks}/sprung'\n`);
    chmodSync(program, 0o755);
    const names = [
      "GIT_EXTERNAL_DIFF",
      "GIT_PAGER",
      "GIT_SSH_COMMAND",
      "GIT_ASKPASS",
      "SSH_ASKPASS",
      "GIT_EDITOR",
      "PAGER",
      "GIT_PROXY_COMMAND",
    ];
    const { bench } = await poisoned({
      ...process.env,
      ...Object.fromEntries(names.map((name) => [name, program])),
      GIT_DIR: "/nowhere",
      GIT_INDEX_FILE: "/nowhere",
      GIT_CONFIG_PARAMETERS: `'core.fsmonitor'='${program}'`,
      GIT_TRACE: join(marks, "trace"),
    });
    await bench.call("git_diff", {});
    assert.deepEqual([(await bench.call("git_status", {})).status, readdirSync(marks)], ["done", ["trap"]]);
  });

  it("cannot show files of another folder as its own", async () => {
    const { bench, folder } = await planted({}, { git: findNodeGit() });
    const elsewhere = await tempFolder();
    writeFiles(elsewhere, { "a.txt": "a secret\n" });
    makeRepository(folder, { "a.txt": "one\n" });
    git(folder, "config", "core.worktree", elsewhere);
    assert.deepEqual(await bench.call("git_diff", {}), {
      status: "done",
      output: "Nothing has changed since the last commit.",
    });
  });

  it("fetches nothing that is missing", async () => {
    const { bench, folder, marks } = await poisoned();
    const blob = git(folder, "rev-parse", "HEAD:a.txt").trim();
    rmSync(join(folder, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    const outcome = await bench.call("git_diff", { filename: "a.txt" });
    assert.deepEqual([outcome.status, readdirSync(marks)], ["failed", []]);
  });
});
