import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { freePort } from "../../support/free-port.ts";
import { git } from "../../support/repositories.ts";
import { THEMES, takePicture } from "../support/pictures.ts";
import { quickInput, quickPickRow } from "../support/quick-input.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { panel } from "../support/webview.ts";
import { openPane, openViewContainer, treeRow } from "../support/workbench.ts";

describe("places for runs beside this machine", () => {
  const top = fs.mkdtempSync(path.join(fs.realpathSync("/tmp"), "autogpt-places-"));
  let stage: Stage;
  let place: string;

  before(async () => {
    place = `127.0.0.1:${await freePort()}`;
    const data = path.join(top, "autogpt");
    fs.mkdirSync(path.join(data, "fleet"), { recursive: true });
    fs.writeFileSync(path.join(data, "fleet-key"), `autogpt-fleet-1 ${Buffer.alloc(32, 7).toString("base64url")}\n`);
    const known = { version: 1, places: [`temporal://${place}/team`], runs: {} };
    fs.writeFileSync(path.join(data, "fleet/places.json"), JSON.stringify(known));
    stage = await openStage({ settings: THEMES.dark, env: { XDG_DATA_HOME: top } });
    git(stage.folder, "init", "-q");
    git(stage.folder, "remote", "add", "origin", "https://ada:secret@example.com/team/tool.git");
  });
  after(async () => {
    await stage?.close();
    fs.rmSync(top, { recursive: true, force: true });
  });

  it("are listed with the reason why they can't be reached, and looked at again by a click", async () => {
    const { page } = stage;
    await openViewContainer(page, "AutoGPT");
    await openPane(page, "Runs");
    const group = treeRow(page, /^Fleet/);
    await group.waitFor();
    await group.click();
    const row = treeRow(page, `${place}/team can't be reached`);
    await row.waitFor();
    const label = await row.getAttribute("aria-label");
    await takePicture(page, "fleet-list");
    await row.click();
    await row.waitFor();

    assert.match(label ?? "", /\/team can't be reached: The Temporal server at 127\.0\.0\.1:\d+ can't be reached: /);
  });

  it("are offered for a task, with new fleets by a checked address", async () => {
    const { page } = stage;
    const view = panel(page);
    await view.getByRole("combobox", { name: "Mode", exact: true }).selectOption("Send to…");
    await view.getByRole("textbox", { name: "What should the agent do?" }).fill("Fix the parser");
    await view.getByRole("button", { name: "Send", exact: true }).click();
    await quickPickRow(page, `${place}/team`).waitFor();
    await takePicture(page, "fleet-places");
    await quickPickRow(page, "Add a fleet…").click();
    const input = quickInput(page).locator("input.input");
    await input.fill("http://box");
    await quickInput(page).getByText('"http://box" isn\'t the address of a Temporal server.').waitFor();
    await takePicture(page, "fleet-address");
    await input.fill(`temporal://${place}`);
    await input.press("Enter");
    const dialog = page.locator(".monaco-dialog-box");
    await dialog.waitFor();
    await takePicture(page, "fleet-consent");
    const consent = await dialog.innerText();
    await page.keyboard.press("Escape");

    assert.match(consent, /Send this task to 127\.0\.0\.1:\d+\?.*repository https:\/\/example\.com\/team\/tool\.git/s);
  });
});
