import assert from "node:assert/strict";
import type { ModelsPage } from "../../src/schema/panel-values.ts";
import { panels } from "./support/browser.ts";
import { MODELS, scene } from "./support/scenes.ts";

describe("the Models page", () => {
  const open = panels();

  it("shows the models in use, and each provider's state with the reason for trouble", async () => {
    const { page, send } = await open({ width: 300 });
    await send(...scene("models"));
    const rows = page.locator(".provider");
    const texts = await rows.evaluateAll((items) =>
      items.map((item) =>
        ["h3", ".state", ".why"].map((part) => item.querySelector(part)?.textContent?.trim() ?? "").join(" | "),
      ),
    );
    assert.deepEqual(
      { used: (await page.locator(".model").allTextContents()).map((text) => text.trim()), texts },
      {
        used: ["claude-sonnet-5 · Anthropic", "qwen3-coder:30b · Ollama"],
        texts: [
          "OpenAI | No API key | ",
          "Anthropic | Connected, 12 models | ",
          'OpenRouter | Key rejected (401) | It said: "No auth credentials found".',
          "gpu-box-8000 | Can't reach gpu-box:8000 | Start the server, or use another one.",
          "Ollama | Connected, 3 models | ",
          "VS Code | No models | ",
        ],
      },
    );
  });

  it("has a button for each change, and none takes more than one click", async () => {
    const { page, send, said } = await open();
    await send(...scene("models"));
    const press = (name: string) => page.getByRole("button", { name, exact: true }).first().click();
    await page.getByTitle("Change the fast model").click();
    await page.locator("[data-provider=openai]").getByRole("button", { name: "Set API key…" }).click();
    const row = page.locator("[data-provider=openrouter]");
    for (const name of ["Change key…", "Remove key", "Edit address…", "Remove provider…"])
      await row.getByRole("button", { name }).click();
    for (const name of ["Mistral", "Azure OpenAI…", "Other server…", "Check again"]) await press(name);
    const change = (id: string, name: string) => ({ type: "changeProvider", id, change: name });
    assert.deepEqual(await said(), [
      { type: "pickModel", role: "fast" },
      change("openai", "setKey"),
      change("openrouter", "setKey"),
      change("openrouter", "removeKey"),
      change("openrouter", "editAddress"),
      change("openrouter", "remove"),
      { type: "addProvider", way: "mistral" },
      { type: "addProvider", way: "azure" },
      { type: "addProvider", way: "server" },
      { type: "checkProviders" },
    ]);
  });

  it("offers nothing for what settings can't change, and a way to models instead of a key for the editor", async () => {
    const { page, send } = await open();
    await send(...scene("models"));
    const buttons = async (id: string) =>
      (await page.locator(`[data-provider=${id}]`).getByRole("button").allTextContents()).map((text) => text.trim());
    assert.deepEqual([await buttons("openai"), await buttons("vscode")], [["Set API key…"], ["Find extensions"]]);
  });

  it("has one accent: the key that is missing, and only while there is no model", async () => {
    const { page, send } = await open();
    const primary = async (models: ModelsPage) => {
      await send({ type: "models", models });
      return page.locator(".button.primary").evaluateAll((all) => all.map((one) => one.getAttribute("title")));
    };
    const { smart: _smart, fast: _fast, providers, ...rest } = MODELS;
    const fresh = { ...rest, providers: providers.map((one) => ({ ...one, main: one.id === "openai" })) };
    assert.deepEqual(
      { working: await primary(MODELS), fresh: await primary(fresh) },
      { working: [], fresh: ["OpenAI: Set API key…"] },
    );
  });

  it("says that it is asking until the answers are there", async () => {
    const { page, send } = await open();
    const waiting = MODELS.providers.map(({ source: _source, ...one }) => one);
    const { smart: _smart, fast: _fast, ...rest } = MODELS;
    await send({ type: "models", models: { ...rest, providers: waiting, looking: true } });
    assert.deepEqual(
      {
        states: [...new Set(await page.locator(".state").allTextContents())],
        button: await page.getByRole("button", { name: "Checking…" }).isDisabled(),
      },
      { states: ["Checking…"], button: true },
    );
    await send({ type: "models", models: MODELS });
    assert.equal(await page.getByRole("log").innerText(), "All providers are checked.");
  });
});
