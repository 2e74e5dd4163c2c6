import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { t } from "../../../src/texts/language.ts";
import { type PlayedServer, playedServer } from "../../support/mcp-servers.ts";
import { signedInServer } from "../../support/signed-in-server.ts";
import { answerDialog } from "../support/dialogs.ts";
import { takePicture } from "../support/pictures.ts";
import { answer, pick, runPaletteAction } from "../support/quick-input.ts";
import { cardButton, endCard, eventsOf, startRun, toStartPage, typed, untilArmed } from "../support/runs.ts";
import { complete } from "../support/steps.ts";
import { allowPlugin, openTools, takeStep, toolsRow } from "../support/tools-page.ts";
import { pageInEditor, panel } from "../support/webview.ts";
import { toast } from "../support/workbench.ts";
import { useStage } from "./stage.ts";

const TASK = "Say hello.";
const SERVER: PlayedServer = {
  tools: [{ name: "who", description: "Asks who the user is.", does: "ask" }],
  prompts: { hello: TASK },
};

describe("MCP servers of a workspace", () => {
  const onStage = useStage();

  /** Sets up a server in the workspace, and has the user allow it. The page of tools is open then. */
  async function allowed(name: string, entry: object, state: "running" | "failed"): Promise<Page> {
    const { page, folder } = onStage();
    fs.mkdirSync(path.join(folder, ".autogpt"), { recursive: true });
    fs.writeFileSync(path.join(folder, ".autogpt/mcp.json"), JSON.stringify({ servers: { [name]: entry } }));
    await allowPlugin(page, name, t(`plugins.state.${state}`));
    return page;
  }

  afterEach(async () => {
    fs.rmSync(path.join(onStage().folder, ".autogpt/mcp.json"), { force: true });
  });

  it("are signed in to on the page of tools, and out again", async () => {
    const server = await signedInServer();
    try {
      const page = await allowed("remote", { url: server.url }, "failed");
      const opening = page.context().waitForEvent("page");
      await takeStep(page, "remote", "signIn");
      await answerDialog(page, t("mcp.signInButton"));
      const browser = await opening;
      // In a browser, VS Code leads to addresses of this machine by way of its own, which this test doesn't have.
      const { pathname, search } = new URL(browser.url());
      await browser.close();
      const signedIn = new URL(pathname.replace(/^\/proxy\/\d+/, "") + search, server.url);
      const redirected = await fetch(signedIn, { redirect: "manual" });
      const back = new URL(redirected.headers.get("location") ?? "");
      const [, port = back.port, callback = back.pathname] = /^\/proxy\/(\d+)(\/.*)$/.exec(back.pathname) ?? [];
      const authorized = await fetch(`http://127.0.0.1:${port}${callback}${back.search}`);
      await toast(page, t("mcp.signedIn", { name: "remote" })).waitFor();
      const tokens = server.tokens.size;
      await takeStep(page, "remote", "signOut", true);
      await toast(page, t("mcp.signedOut", { name: "remote" })).waitFor();
      const signIn = t("plugins.forPlugin", { action: t("plugins.step.signIn"), name: "remote" });
      await toolsRow(page, "remote").getByRole("button", { name: signIn }).waitFor();

      assert.deepEqual({ isAuthorized: authorized.ok, tokens }, { isAuthorized: true, tokens: 1 });
    } finally {
      await server.close();
    }
  });

  it("are added to the user's settings by a command, run once they are allowed, and are removed again", async () => {
    const { page, folder } = onStage();
    const file = path.join(folder, "folks.json");
    fs.writeFileSync(file, JSON.stringify(SERVER));
    const { command, args } = playedServer(file);
    await toStartPage(page);
    await runPaletteAction(page, "AutoGPT: Tools and Plugins");
    await pageInEditor(page)
      .getByRole("button", { name: t("plugins.byCommand") })
      .click();
    await answer(page, t("mcp.addCommand"), [command, ...args].map((word) => `"${word}"`).join(" "));
    await answer(page, t("mcp.addName"), "folks");
    await pick(page, t("mcp.addPlace", { name: "folks" }), t("mcp.addToUser"));
    const shown = await answerDialog(page, t("mcp.addAndAllowButton"));
    const row = toolsRow(page, "folks");
    await row.locator(".state").getByText(t("plugins.state.running"), { exact: true }).waitFor();
    await row.getByText(t("plugins.tools", { count: 1 })).click();
    const tools = await row.locator(".tools-list").innerText();
    await takePicture(page, "added-server");
    await takeStep(page, "folks", "remove", true);
    await answerDialog(page, t("plugins.removeButton"));
    await row.waitFor({ state: "detached" });
    assert.deepEqual(
      { isWhole: [command, ...args].every((word) => shown.includes(word)), tools: tools.split(/\n+/) },
      { isWhole: true, tools: ["who asks each time", "Asks who the user is."] },
    );
  });

  it("ask the user during a call, and have prompts that a run starts with", async () => {
    const stage = onStage();
    const file = path.join(stage.folder, "people.json");
    fs.writeFileSync(file, JSON.stringify(SERVER));
    const page = await allowed("people", playedServer(file), "running");
    const call = { text: "I ask.", command: "people__who", args: {} };
    await startRun(stage, "Find out who the user is", call, complete());
    await untilArmed(page, 1);
    await cardButton(page, 1, "Approve").click();
    await panel(page).getByText("Who are you?").first().waitFor();
    await panel(page).getByRole("textbox", { name: "Your answer" }).fill("Ann");
    await takePicture(page, "elicitation");
    await panel(page).getByRole("button", { name: "Answer", exact: true }).click();
    await endCard(page, "Finished").waitFor();
    const [ended] = typed(eventsOf(stage.folder), "ended");
    const output = ended?.outcome.status === "done" ? ended.outcome.output : "";

    stage.model.play(complete("Said."));
    await openTools(page, "people");
    await takeStep(page, "people", "prompt");
    await pick(page, t("plugins.promptTitle", { name: "people" }), "hello");
    const shown = await answerDialog(page, t("plugins.promptButton"));
    await panel(page).getByText("Said.").first().waitFor();
    const [started] = typed(eventsOf(stage.folder), "started");
    await toStartPage(page);

    assert.deepEqual(
      { isAnswered: output.includes('"name":"Ann"'), isShown: shown.includes(TASK), task: started?.task },
      { isAnswered: true, isShown: true, task: TASK },
    );
  });
});
