import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { t } from "../../../src/texts/language.ts";
import { saying } from "../../support/fake-model-server.ts";
import { type GitHubServer, githubServer, type PlayedRepository } from "../../support/github-server.ts";
import { git } from "../../support/repositories.ts";
import { answerDialog } from "../support/dialogs.ts";
import { answer } from "../support/quick-input.ts";
import { cardButton, endCard, startRun } from "../support/runs.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { complete, write } from "../support/steps.ts";
import { panel } from "../support/webview.ts";
import { toast } from "../support/workbench.ts";

const DRAFT = { title: "Add the agent's file", text: "It was missing." };

const endButton = (page: Page, name: string) =>
  panel(page).locator(".card.end").getByRole("button", { name, exact: true });

describe("a pull request", () => {
  let root: string;
  let github: GitHubServer;
  let repository: PlayedRepository;
  let stage: Stage;

  before(async () => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), "autogpt-github-"));
    github = await githubServer(root);
    repository = github.addRepository("octo/tool");
    stage = await openStage({
      settings: { "github-enterprise.uri": github.web },
      env: { GH_ENTERPRISE_TOKEN: "good-token" },
    });
    const { folder } = stage;
    for (const args of [
      ["init", "-q", "-b", "main"],
      ["config", "user.name", "Ada"],
      ["config", "user.email", "ada@example.com"],
      ["add", "README.md"],
      ["commit", "-q", "-m", "First commit"],
      ["remote", "add", "origin", `${github.web}/octo/tool.git`],
      ["push", "-q", github.folderOf("octo/tool"), "main"],
    ])
      git(folder, ...args);
  });

  after(async () => {
    await stage.close();
    await github.close();
    fs.rmSync(root, { recursive: true, force: true });
  });

  it("is drafted from a run's changes, shown with all that leaves, and sent by the last click only", async () => {
    const { page, folder } = stage;
    await startRun(
      stage,
      "Write a file to propose",
      write("made.txt", "the agent's\n"),
      complete(),
      saying(JSON.stringify(DRAFT)),
    );
    await cardButton(page, 1, "Approve").click();
    await endCard(page, "Finished").waitFor();
    await endButton(page, t("approval.moreMenu")).click();
    await panel(page)
      .getByRole("menuitem", { name: t("actions.createPullRequestButton") })
      .click();
    await answer(page, t("codehost.branchPrompt", { repository: "octo/tool" }), "agent/file");
    await answer(page, t("codehost.titlePrompt", { base: "main", repository: "octo/tool" }), DRAFT.title);
    await page.locator(".monaco-dialog-box").waitFor();
    const before = {
      pulls: repository.pulls.length,
      pushed: github.calls.some(({ path: at }) => at.includes("git-receive-pack")),
    };
    const shown = await answerDialog(page, t("codehost.createButton"));
    await toast(page, t("codehost.created", { number: 100, title: DRAFT.title })).waitFor();

    assert.deepEqual(
      {
        before,
        shows: ["octo/tool agent/file", "octo/tool main", "made.txt", DRAFT.text].filter((part) =>
          shown.includes(part),
        ),
        pulls: repository.pulls.map(({ title, body, head, base }) => ({ title, body, head, base })),
        pushed: git(github.folderOf("octo/tool"), "diff", "--name-only", "main", "agent/file").trim(),
        checkedOut: git(folder, "branch", "--show-current").trim(),
      },
      {
        before: { pulls: 0, pushed: false },
        shows: ["octo/tool agent/file", "octo/tool main", "made.txt", DRAFT.text],
        pulls: [{ title: DRAFT.title, body: DRAFT.text, head: "agent/file", base: "main" }],
        pushed: "made.txt",
        checkedOut: "main",
      },
    );
  });
});
