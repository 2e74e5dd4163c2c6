import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { t } from "../../../src/texts/language.ts";
import { ROOT } from "../../host/places.ts";
import { type GitLabProject, type GitLabServer, gitlabServer } from "../../support/gitlab-server.ts";
import { git, writeFiles } from "../../support/repositories.ts";
import { answerDialog } from "../support/dialogs.ts";
import { answer, quickInput, runPaletteAction } from "../support/quick-input.ts";
import { openStage, type Stage } from "../support/stage.ts";
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
});
