import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { findWalls } from "../../../src/isolation/walls/find-walls.ts";
import { t } from "../../../src/texts/language.ts";
import { saying } from "../../support/fake-model-server.ts";
import { type GitHubRepository, type GitHubServer, githubServer } from "../../support/github-server.ts";
import { git, writeFiles } from "../../support/repositories.ts";
import { answerDialog } from "../support/dialogs.ts";
import { answer, runPaletteAction } from "../support/quick-input.ts";
import { answerReviewComment, cardButton, endCard, startRun } from "../support/runs.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { complete, write } from "../support/steps.ts";
import { panel } from "../support/webview.ts";
import { toast } from "../support/workbench.ts";

const DRAFT = { title: "Add the agent's file", text: "It was missing." };

const WORKFLOW = "jobs:\n  test:\n    steps:\n      - name: Look\n        run: test -f fixed.txt\n";

const endButton = (page: Page, name: string) =>
  panel(page).locator(".card.end").getByRole("button", { name, exact: true });

describe("a pull request", () => {
  let root: string;
  let github: GitHubServer;
  let repository: GitHubRepository;
  let stage: Stage;

  before(async () => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), "autogpt-github-"));
    github = await githubServer(root);
    repository = github.addRepository("octo/tool", {
      checks: [{ id: 7, name: "test", conclusion: "failure", app: { slug: "github-actions" }, output: {} }],
      jobs: {
        7: {
          job: { id: 7, run_id: 70, name: "test", steps: [{ name: "Look", conclusion: "failure" }] },
          log: "fixed.txt is missing\n",
        },
      },
      runs: { 70: { id: 70, path: ".github/workflows/ci.yml" } },
      threads: [
        {
          isResolved: false,
          path: "README.md",
          line: 1,
          comments: { nodes: [{ databaseId: 2, body: "Why?", url: "https://x/2", author: { login: "rev" } }] },
        },
      ],
    });
    stage = await openStage({
      settings: { "github-enterprise.uri": github.web },
      env: { GH_ENTERPRISE_TOKEN: "good-token" },
    });
    const { folder } = stage;
    writeFiles(folder, { ".github/workflows/ci.yml": WORKFLOW });
    for (const args of [
      ["init", "-q", "-b", "main"],
      ["config", "user.name", "Ada"],
      ["config", "user.email", "ada@example.com"],
      ["add", "README.md", ".github"],
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
    await answer(
      page,
      t("codehost.titlePrompt", { base: "main", repository: "octo/tool", request: t("codehost.pullRequest") }),
      DRAFT.title,
    );
    await page.locator(".monaco-dialog-box").waitFor();
    const before = {
      pulls: repository.pulls.length,
      pushed: github.calls.some(({ path: at }) => at.includes("git-receive-pack")),
    };
    const shown = await answerDialog(page, t("codehost.createButton"));
    await toast(
      page,
      t("codehost.created", { request: t("codehost.pullRequest"), number: "#100", title: DRAFT.title }),
    ).waitFor();

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

  it("has its failed checks repaired in a copy, where the same command is run again at the end", async function () {
    if ((await findWalls("auto")).engine === "none") this.skip();
    const { page, model, folder } = stage;
    model.play(write("fixed.txt", "here\n"), complete());
    await runPaletteAction(page, "AutoGPT: Repair Failed Checks");
    await endCard(page, "Finished").waitFor();
    await toast(page, t("codehost.passesNow", { command: "test -f fixed.txt" })).waitFor();
    const task = model.told();
    assert.deepEqual(
      {
        command: task.includes("test -f fixed.txt"),
        log: task.includes("fixed.txt is missing"),
        inWorkspace: fs.existsSync(path.join(folder, "fixed.txt")),
        pushed: git(github.folderOf("octo/tool"), "branch", "--list").includes("repair"),
      },
      { command: true, log: true, inWorkspace: false, pushed: false },
    );
  });

  it("has its review comments answered by replies that are sent one by one, by a person only", async () => {
    repository.pulls.push({ number: 5, title: "Main", body: "", head: "main", base: "main" });
    const sent = () => github.calls.filter(({ path: at }) => at.endsWith("/replies")).length;
    const { before, shown } = await answerReviewComment(stage, sent);
    assert.deepEqual(
      { before, shows: ["rev: Why?", "Because it's short."].filter((part) => shown.includes(part)), sent: sent() },
      { before: 0, shows: ["rev: Why?", "Because it's short."], sent: 1 },
    );
  });
});
