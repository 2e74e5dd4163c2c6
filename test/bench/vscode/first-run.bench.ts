// Seconds, clicks and keys from a fresh window to the first approved change, by way to a model. `npm run bench first-run`.
// Playwright types without pause, and the models reply at once: the seconds are those that the product itself takes.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { CountedInput } from "../../e2e/support/counted-input.ts";
import { eventually } from "../../e2e/support/eventually.ts";
import { takePicture } from "../../e2e/support/pictures.ts";
import { MODEL_NAME, playedModel } from "../../e2e/support/played-model.ts";
import { quickInput } from "../../e2e/support/quick-input.ts";
import { cardButton, untilArmed } from "../../e2e/support/runs.ts";
import { openOllamaStage } from "../../e2e/support/stage.ts";
import { complete, write } from "../../e2e/support/steps.ts";
import { openVsCode, type VsCode } from "../../e2e/support/vscode.ts";
import { panel } from "../../e2e/support/webview.ts";
import { ROOT } from "../../host/places.ts";
import { check, exitWithChecks, table, tellMachine } from "../memory/report.ts";

const TASK = "Say hello in hello.txt";
const KEY = "sk-0123456789";
const HELLO = write("hello.txt", "hello\n");

/** What a way took; `typed` are the keys of the task and the API key. */
interface FirstRun {
  readonly seconds: number;
  readonly clicks: number;
  readonly keys: number;
  readonly typed: number;
}

const ways: Readonly<Record<string, FirstRun>> = {
  demo: await demo(),
  "API key": await apiKey(),
  "a key on another server": await otherServer(),
  Ollama: await ollama(),
  "a model of VS Code": await modelOfVsCode(),
};
table(
  "From a fresh window to the first approved change",
  ["", "seconds", "clicks", "keys", "of them task and API key"],
  Object.entries(ways).map(([way, { seconds, clicks, keys, typed }]) => [
    way,
    seconds.toFixed(1),
    String(clicks),
    String(keys),
    String(typed),
  ]),
);
tellMachine();
check("clicks with an API key", ways["API key"]?.clicks ?? Number.NaN, 3);
check("clicks with a key on another server", ways["a key on another server"]?.clicks ?? Number.NaN, 3);
check("clicks with Ollama", ways.Ollama?.clicks ?? Number.NaN, 2);
exitWithChecks();

/** Opens the panel in a fresh window, has the task done, and closes the window. */
async function measure(vscode: VsCode, way: (input: CountedInput, page: Page) => Promise<number>): Promise<FirstRun> {
  try {
    const { page } = vscode;
    const input = new CountedInput(page);
    const began = performance.now();
    await input.click(page.locator('.activitybar a.action-label[aria-label^="AutoGPT"]'));
    const typed = await way(input, page);
    return { seconds: (performance.now() - began) / 1000, clicks: input.clicks, keys: input.keys, typed };
  } catch (error) {
    await takePicture(vscode.page, "failed-first-run");
    throw error;
  } finally {
    await vscode.close();
  }
}

/** Types the task, sends it, approves the first change, and waits until it is made. */
async function task({ folder }: VsCode, input: CountedInput, page: Page): Promise<number> {
  await panel(page).locator("#composer:focus").waitFor();
  await input.type(TASK);
  await input.press("Enter");
  await untilArmed(page, 1);
  await input.click(cardButton(page, 1, "Approve"));
  await eventually("The change", () => fs.existsSync(path.join(folder, "hello.txt")));
  return TASK.length;
}

/** Before its first change, the demo asks to run the checks that fail. */
async function demo(): Promise<FirstRun> {
  const vscode = await openVsCode({ workspace: null });
  return measure(vscode, async (input, page) => {
    await input.click(panel(page).getByRole("button", { name: "Try the Demo" }));
    for (const question of ["Run this command?", "Edit cart.mjs?"]) {
      const card = panel(page).locator(".card.proposal", { hasText: question });
      const step = Number(await card.getAttribute("data-step"));
      await untilArmed(page, step);
      await input.click(cardButton(page, step, "Approve"));
      await card.waitFor({ state: "detached" });
    }
    return 0;
  });
}

/** The server and its usual model are known, as those of OpenAI are. */
async function apiKey(): Promise<FirstRun> {
  const model = await playedModel();
  model.demandKey(KEY);
  model.play(HELLO, complete());
  const vscode = await openVsCode({
    settings: { "autogpt.model.baseUrl": model.baseUrl, "autogpt.model.smart": MODEL_NAME },
    whenClosed: () => model.close(),
  });
  return measure(vscode, async (input, page) => {
    await input.click(panel(page).getByRole("button", { name: "Set API Key…" }));
    await quickInput(page)
      .getByText(/secret storage/)
      .first()
      .waitFor();
    await input.type(KEY);
    await input.press("Enter");
    return KEY.length + (await task(vscode, input, page));
  });
}

/** Nothing is set up or known: the address and the key of a server are entered, and its only model is taken. */
async function otherServer(): Promise<FirstRun> {
  const model = await playedModel();
  model.demandKey(KEY);
  model.play(HELLO, complete());
  const vscode = await openVsCode({ whenClosed: () => model.close() });
  return measure(vscode, async (input, page) => {
    const row = (text: string | RegExp) => quickInput(page).getByText(text).first();
    await input.click(panel(page).getByRole("button", { name: "Use another server…" }));
    await row(/address/i).waitFor();
    await input.type(model.baseUrl);
    await input.press("Enter");
    await row(/secret storage/).waitFor();
    await input.type(KEY);
    await input.press("Enter");
    return model.baseUrl.length + KEY.length + (await task(vscode, input, page));
  });
}

async function ollama(): Promise<FirstRun> {
  const stage = await openOllamaStage();
  stage.model.play(HELLO, complete());
  return measure(stage, async (input, page) => {
    await panel(page)
      .getByRole("combobox", { name: "Model" })
      .getByText(MODEL_NAME)
      .first()
      .waitFor({ state: "attached" });
    return task(stage, input, page);
  });
}

async function modelOfVsCode(): Promise<FirstRun> {
  const replies = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "replies-")), "replies.json");
  const steps = [HELLO, complete()].map(({ text, command, args }) => ({
    name: command,
    input: { thoughts: { text }, ...args },
  }));
  fs.writeFileSync(replies, JSON.stringify(steps));
  const vscode = await openVsCode({
    extensions: [path.join(ROOT, "test/fixtures/model-extension")],
    env: { MODEL_EXTENSION_REPLIES: replies },
    whenClosed: async () => fs.rmSync(path.dirname(replies), { recursive: true }),
  });
  return measure(vscode, async (input, page) => {
    await panel(page)
      .getByRole("combobox", { name: "Model" })
      .getByText("Fixture")
      .first()
      .waitFor({ state: "attached" });
    return task(vscode, input, page);
  });
}
