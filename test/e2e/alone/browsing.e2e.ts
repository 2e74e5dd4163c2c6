import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { findTestBrowser } from "../../support/real-browser.ts";
import { page as html, webServers } from "../../support/web-server.ts";
import { eventually } from "../support/eventually.ts";
import { THEMES, takePicture } from "../support/pictures.ts";
import type { PlayedStep } from "../support/played-model.ts";
import { cardButton, cardOf, decisions, endCard, startRun, untilArmed } from "../support/runs.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { complete } from "../support/steps.ts";
import { panel } from "../support/webview.ts";

const SHOP = `<!doctype html><title>Shop</title><body style="background:#204060;color:white"><h1>Shop</h1>
<button onclick="this.textContent='Bought'">Buy</button>`;

const step = (command: string, args: PlayedStep["args"] = {}): PlayedStep => ({
  text: `I use ${command}.`,
  command,
  args,
});

/** The processes of the browsers that runs in this VS Code have started. */
function listBrowsers({ server }: Stage): readonly string[] {
  const profile = path.join(server.profileFolder, "tmp", "autogpt-browser-");
  const lines = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line.includes(`--user-data-dir=${profile}`));
}

describe("a page of a server on this machine", () => {
  const server = webServers();
  let stage: Stage;

  before(async function () {
    const browser = await findTestBrowser();
    if (browser === undefined) this.skip();
    stage = await openStage({ settings: { ...THEMES.ofSystem, "autogpt.web.browser": browser } });
  });

  after(() => stage?.close());

  it("is approved once, used and shown, and what the user marks on its picture is seen by the agent", async () => {
    const { page, model } = stage;
    const { port } = await server((_asked, answer) => html(answer, SHOP));
    const marked = Promise.withResolvers<void>();
    await startRun(
      stage,
      "Look at the shop",
      step("find_tools", { query: "browser page click screenshot" }),
      step("open_page", { url: `http://localhost:${port}/` }),
      step("click", { ref: "e3" }),
      step("screenshot"),
      { ...step("read_page"), until: marked.promise },
      complete(),
    );
    const card = cardOf(page, 2);
    await card.waitFor();
    await takePicture(page, "browser-card");
    const asked = (await card.innerText()).replaceAll(/\s+/g, " ");
    await untilArmed(page, 2);
    await cardButton(page, 2, "Approve").click();
    await panel(page).getByRole("button", { name: "Mark and send" }).first().waitFor();
    await takePicture(page, "browser-picture");
    const during = listBrowsers(stage).length > 0;
    await panel(page).getByRole("button", { name: "Mark and send" }).first().click();
    const dialog = panel(page).getByRole("dialog");
    const area = (await dialog.locator(".marked-picture").boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(area.x + area.width * 0.1, area.y + area.height * 0.1);
    await page.mouse.down();
    await page.mouse.move(area.x + area.width * 0.6, area.y + area.height * 0.5, { steps: 4 });
    await page.mouse.up();
    await takePicture(page, "browser-marking");
    await dialog.getByLabel("Comment").fill("This is too dark");
    await dialog.getByRole("button", { name: "Send with comment" }).click();
    await dialog.waitFor({ state: "detached" });
    await takePicture(page, "browser-marked");
    marked.resolve();
    await endCard(page, "Finished").waitFor();
    await takePicture(page, "browser-finished");
    const told = model.told();
    await eventually("The browser's end", () => listBrowsers(stage).length === 0);

    assert.deepEqual(
      {
        asks: asked.includes(`http://localhost:${port} is on this machine`),
        decided: decisions(stage.folder),
        told: ["Bought", "This is too dark"].filter((text) => told.includes(text)),
        pictures: told.split('"type":"image_url"').length - 1,
        during,
      },
      {
        asks: true,
        decided: [1, 2, 3, 4, 5, 6].map((at) => `${at} allowed by ${at === 2 ? "user" : "rule"}`),
        told: ["Bought", "This is too dark"],
        pictures: 2,
        during: true,
      },
    );
  });
});
