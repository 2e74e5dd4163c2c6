import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { findWalls } from "../../../src/isolation/walls/find-walls.ts";
import { t } from "../../../src/texts/language.ts";
import { ROOT } from "../../host/places.ts";
import { type GitLabProject, type GitLabServer, gitlabServer } from "../../support/gitlab-server.ts";
import { git, writeFiles } from "../../support/repositories.ts";
import { answerDialog } from "../support/dialogs.ts";
import { answer, quickInput, runPaletteAction } from "../support/quick-input.ts";
import { answerReviewComment, endCard } from "../support/runs.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { complete, write } from "../support/steps.ts";
import type { Wishes } from "../support/vscode.ts";
import { answerToast, toast } from "../support/workbench.ts";

describe("a merge request", () => {
  let root: string;
  let gitlab: GitLabServer;
  let project: GitLabProject;
  let stage: Stage;

  async function open(wishes: Pick<Wishes, "env" | "extensions">): Promise<void> {
    stage = await openStage({ settings: { "gitlab.instanceUrl": gitlab.web }, ...wishes });
    const { folder } = stage;
    const run = (...args: readonly string[]) => git(folder, ...args);
    run("init", "-q", "-b", "main");
    run("add", "README.md");
    run("commit", "-q", "-m", "First commit");
    run("remote", "add", "origin", `${gitlab.web}/group/sub/tool.git`);
    run("push", "-q", gitlab.folderOf("group/sub/tool"), "main");
    run("checkout", "-q", "-b", "fix");
    writeFiles(folder, { "made.txt": "fixed\n" });
    run("add", "made.txt");
    run("commit", "-q", "-m", "Fix the tool");
  }

  beforeEach(async () => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), "autogpt-gitlab-"));
    gitlab = await gitlabServer(root);
    project = gitlab.addRepository("group/sub/tool");
  });

  afterEach(async () => {
    await stage.close();
    await gitlab.close();
    fs.rmSync(root, { recursive: true, force: true });
  });

  it("is created with a token that is entered once, and entered again once the server refuses it", async () => {
    await open({});
    const { page } = stage;
    const { host } = new URL(gitlab.web);
    const named = { base: "main", repository: "group/sub/tool", request: t("codehost.mergeRequest") };
    const create = async (): Promise<void> => {
      await answer(page, t("codehost.branchPrompt", { repository: "group/sub/tool" }), "fix");
      await answer(page, t("codehost.titlePrompt", named), "Fix the tool");
      await page.locator(".monaco-dialog-box").waitFor();
    };
    await runPaletteAction(page, "AutoGPT: Create Pull Request…");
    await quickInput(page)
      .getByRole("button", { name: t("codehost.createToken", { host }) })
      .waitFor();
    await answer(page, t("codehost.tokenTitle", { host }), "old-token");
    await answerToast(page, t("codehost.signedOut", { host }), t("codehost.signInButton"));
    await answer(page, t("codehost.tokenTitle", { host }), "good-token");
    await create();
    const before = project.pulls.length;
    const shown = await answerDialog(page, t("codehost.createButton"));
    const created = { request: t("codehost.mergeRequest"), number: "!100", title: "Fix the tool" };
    await toast(page, t("codehost.created", created)).waitFor();
    // The stored token is used now, without a question.
    await runPaletteAction(page, "AutoGPT: Create Pull Request…");
    await answer(page, t("codehost.branchPrompt", { repository: "group/sub/tool" }), "fix");
    await page.locator(".monaco-dialog-box").waitFor();
    const again = await answerDialog(page, t("codehost.pushNowButton"));
    assert.deepEqual(
      {
        before,
        shows: ["group/sub/tool fix", "group/sub/tool main", "made.txt"].filter((part) => shown.includes(part)),
        pulls: project.pulls.map(({ number, title, head, base }) => ({ number, title, head, base })),
        again: again.includes("merge request !100"),
        pushed: git(gitlab.folderOf("group/sub/tool"), "diff", "--name-only", "main", "fix").trim(),
      },
      {
        before: 0,
        shows: ["group/sub/tool fix", "group/sub/tool main", "made.txt"],
        pulls: [{ number: 100, title: "Fix the tool", head: "fix", base: "main" }],
        again: true,
        pushed: "made.txt",
      },
    );
  });

  it("is prepared with the account of GitLab's extension on its own server, and with no other server's", async () => {
    const accounts = [
      { server: "https://gitlab.com", token: "token-of-gitlab.com" },
      { server: `${gitlab.web}.evil.test`, token: "other-token" },
      { server: gitlab.web, token: "good-token" },
    ];
    await open({
      env: { GITLAB_ACCOUNTS: JSON.stringify(accounts) },
      extensions: [path.join(ROOT, "test/fixtures/accounts-extension")],
    });
    const { page } = stage;
    await runPaletteAction(page, "AutoGPT: Create Pull Request…");
    await page.locator(".monaco-dialog-box").waitFor();
    const asked = await answerDialog(page, "Allow");
    await quickInput(page)
      .getByText(t("codehost.branchPrompt", { repository: "group/sub/tool" }))
      .waitFor();
    assert.deepEqual(
      {
        asked: /AutoGPT.*GitLab/.test(asked),
        sent: [...new Set(gitlab.calls.map(({ authorization }) => authorization))],
      },
      { asked: true, sent: ["Bearer good-token"] },
    );
  });

  it("has a failed job repaired in a copy by the job's own script, where it's run again at the end", async function () {
    if ((await findWalls("auto")).engine === "none") this.skip();
    await open({ env: { GITLAB_HOST: gitlab.web, GITLAB_TOKEN: "good-token" } });
    const { page, model, folder } = stage;
    writeFiles(folder, { ".gitlab-ci.yml": "look:\n  script:\n    - cd .\n    - test -f fixed.txt\n" });
    git(folder, "add", ".gitlab-ci.yml");
    git(folder, "commit", "-q", "-m", "Check it");
    const sha = git(folder, "rev-parse", "HEAD").trim();
    const trace = "section_start:1:step_script\r\u001b[0K$ test -f fixed.txt\nfixed.txt is missing\n";
    project.pipelines.push({ id: 1, sha, jobs: [{ id: 7, name: "look", status: "failed", trace }] });
    model.play(write("fixed.txt", "here\n"), complete());
    await runPaletteAction(page, "AutoGPT: Repair Failed Checks");
    await endCard(page, "Finished").waitFor();
    await toast(page, t("codehost.passesNow", { command: "cd . test -f fixed.txt" })).waitFor();
    const task = model.told();
    assert.deepEqual(
      {
        command: task.includes("cd .\\ntest -f fixed.txt"),
        log: task.includes("fixed.txt is missing"),
        inWorkspace: fs.existsSync(path.join(folder, "fixed.txt")),
      },
      { command: true, log: true, inWorkspace: false },
    );
  });

  it("has its discussions answered by replies that a person sends", async () => {
    await open({ env: { GITLAB_HOST: gitlab.web, GITLAB_TOKEN: "good-token" } });
    project.pulls.push({ number: 5, title: "Fix", body: "", head: "fix", base: "main" });
    const position = { new_path: "README.md", old_path: "README.md", new_line: 1 };
    const note = { id: 2, body: "Why?", system: false, resolvable: true, resolved: false, author: { username: "rev" } };
    project.discussions.push({ id: "aa", notes: [{ ...note, position }] });
    const sent = () => gitlab.calls.filter(({ method, path: at }) => method === "POST" && at.endsWith("/notes")).length;
    const { before, shown } = await answerReviewComment(stage, sent);
    assert.deepEqual(
      { before, shows: ["merge request !5", "rev: Why?"].filter((part) => shown.includes(part)), sent: sent() },
      { before: 0, shows: ["merge request !5", "rev: Why?"], sent: 1 },
    );
  });
});
