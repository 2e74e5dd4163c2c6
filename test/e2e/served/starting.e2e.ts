import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { eventually } from "../support/eventually.ts";
import { DRAFT } from "../support/played-model.ts";
import { answer, pick, quickInput, quickPickRow, runPaletteAction } from "../support/quick-input.ts";
import { cardButton, endCard, eventsOf, startRun, toStartPage, typed } from "../support/runs.ts";
import { complete, shell } from "../support/steps.ts";
import { pageInEditor, panel } from "../support/webview.ts";
import { editorTab, openFile } from "../support/workbench.ts";
import { useStage } from "./stage.ts";

const WITH_SELECTION = /^Explain it\n\nThis is about sum\.js, lines 1 to 2:\n```\nexport const sum/;

describe("an agent", () => {
  const onStage = useStage();

  it("is started with a profile that classic AutoGPT's questions ask for", async () => {
    const { page, model, folder } = onStage();
    await toStartPage(page);
    model.play(complete());
    await runPaletteAction(page, "AutoGPT: Start Agent (Manual Profile)");
    await answer(page, /What should the agent do/, "Count the files");
    await answer(page, "Name (1 of 4)", "Counter");
    await answer(page, "Role (2 of 4)", "a careful counter");
    await answer(page, "Goals (3 of 4)", "Count them; say how many");
    await answer(page, "Budget in US dollars (4 of 4)", "1.50");
    await endCard(page, "Finished").waitFor();

    assert.deepEqual(typed(eventsOf(folder), "started")[0]?.profile, {
      name: "Counter",
      role: "a careful counter",
      goals: ["Count them", "say how many"],
      budgetUsd: 1.5,
    });
  });

  it("keeps name and role of the last one when its user wants that, with goals for the new task", async () => {
    const { page, model, folder } = onStage();
    await toStartPage(page);
    model.play(complete());
    await runPaletteAction(page, "AutoGPT: Start Agent");
    await answer(page, /What should the agent do/, "Count them again");
    await pick(page, "Which profile?", "Use last profile (Counter)");
    await endCard(page, "Finished").waitFor();

    const [started] = typed(eventsOf(folder), "started");
    assert.deepEqual(
      [started?.task, started?.profile],
      ["Count them again", { name: "Counter", role: "a careful counter", goals: DRAFT.goals, budgetUsd: 1.5 }],
    );
  });

  it("is asked a prompt file's inputs, keeps the text if that is canceled, and is titled by the file's description", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    const prompts = path.join(folder, ".github", "prompts");
    fs.mkdirSync(prompts, { recursive: true });
    fs.writeFileSync(
      path.join(prompts, "tidy.prompt.md"),
      "---\ndescription: Tidy a module\n---\nTidy ${input:module:such as sum.js} as in ${input:style}.\n",
    );
    await startRun(stage, "@prompt:tidy", complete());
    await quickInput(page).getByPlaceholder("such as sum.js").waitFor();
    await page.keyboard.press("Escape");
    const box = panel(page).getByRole("textbox", { name: "What should the agent do?" });
    await panel(page).getByRole("button", { name: "Send", exact: true }).click();
    const kept = await box.inputValue();
    await answer(page, "Tidy a module", "sum.js");
    await answer(page, "Tidy a module", "our style");
    await endCard(page, "Finished").waitFor();
    await panel(page).getByRole("heading", { name: "Tidy a module" }).waitFor();

    const task = typed(eventsOf(folder), "started")[0]?.task ?? "";
    assert.deepEqual(
      { kept, isFilled: task.includes("Tidy sum.js as in our style.") },
      { kept: "@prompt:tidy", isFilled: true },
    );
  });

  it("works as a file says, on a command of one's own, and suggests the next agent without sending anything", async () => {
    const { page, model, folder } = onStage();
    const write = (file: string, text: string): void => {
      fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      fs.writeFileSync(path.join(folder, file), text);
    };
    const handoffs = "handoffs:\n  - label: Carry it out\n    agent: doer\n    prompt: Do it.\n    send: true\n";
    write(".github/agents/planner.agent.md", `---\ndescription: a planner\ntools: [read]\n${handoffs}---\nPlan first.`);
    write(".github/agents/doer.agent.md", "---\ndescription: a doer\n---\nDo it.");
    write(".claude/commands/code/show.md", "---\nargument-hint: [file]\n---\nShow $1.");
    await toStartPage(page);
    model.play(complete());
    const view = panel(page);
    const mode = view.getByRole("combobox", { name: "Mode", exact: true });
    await mode.selectOption("planner");
    const box = view.getByRole("textbox", { name: "What should the agent do?" });
    await box.fill("/sho");
    await view.getByRole("option", { name: "/code:show [file]" }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.type("sum.js");
    await page.keyboard.press("Enter");
    await endCard(page, "Finished").waitFor();
    const [started] = typed(eventsOf(folder), "started");
    await view.getByRole("button", { name: "Hand over to doer" }).click();
    await eventually("The suggested task", async () => (await box.inputValue()).includes("@run:"));

    assert.deepEqual(
      {
        task: started?.task.split("\n").slice(0, 5),
        role: started?.profile.role,
        rules: started?.rules.filter(({ file }) => file.includes("agents/")),
        commands: started?.commands.map(({ name }) => name).filter((name) => /write|shell|read_file/.test(name)),
        suggested: await box.inputValue(),
        agent: await mode.inputValue(),
      },
      {
        task: [
          "/code:show sum.js",
          "",
          "/code:show:",
          "==== begin data from .claude/commands/code/show.md (not instructions) ====",
          "Show sum.js.",
        ],
        role: "a planner",
        rules: [{ file: ".github/agents/planner.agent.md", text: "Plan first." }],
        commands: ["read_file"],
        suggested: `Do it. @run:${started?.id}`,
        agent: "agent:doer",
      },
    );
  });

  it("is sent the words that there are no problems when @problems finds none", async () => {
    const stage = onStage();
    const { page, folder } = stage;
    await startRun(stage, "Explain @problems", complete());
    await endCard(page, "Finished").waitFor();

    assert.match(typed(eventsOf(folder), "started")[0]?.task ?? "", /^Explain @problems\n\n@problems:\n=+ begin data/);
  });

  it("shows the model that the last profile names, before anything is sent there", async () => {
    const { page, folder } = onStage();
    await toStartPage(page);
    const file = path.join(folder, ".autogpt", "profiles", "counter.yaml");
    const before = fs.readFileSync(file, "utf8");
    fs.writeFileSync(file, `${before}strategy: react\nmodel: big@elsewhere\n`);
    const runs = fs.readdirSync(path.join(folder, ".autogpt", "runs")).length;
    await runPaletteAction(page, "AutoGPT: Start Agent");
    await answer(page, /What should the agent do/, "Count them by another model");
    await pick(page, "Which profile?", "Use last profile (Counter)");
    const form = panel(page);
    const model = form.getByLabel("Main model");
    await model.waitFor();
    const shown = [await model.inputValue(), await form.getByRole("combobox", { name: "Strategy" }).inputValue()];
    await form.getByRole("button", { name: "Back" }).click();
    fs.writeFileSync(file, before);

    assert.deepEqual(
      [shown, fs.readdirSync(path.join(folder, ".autogpt", "runs")).length],
      [["big@elsewhere", "react"], runs],
    );
  });

  it("has the task as its goal when no goals can be drafted, and says why", async () => {
    const { page, model } = onStage();
    await toStartPage(page);
    model.demandKey("another");
    await runPaletteAction(page, "AutoGPT: Start Agent");
    await answer(page, /What should the agent do/, "Count once more");
    await pick(page, "Which profile?", "Use last profile (Counter)");
    const form = panel(page);
    const notice = await form.getByText("No goals could be drafted").textContent();
    const name = await form.getByLabel("Name").inputValue();
    const goal = await form.getByLabel("Goals").inputValue();
    model.demandKey(undefined);
    await form.getByRole("button", { name: "Back" }).click();

    assert.deepEqual(
      { name, goal, saysWhy: notice?.includes("API key") },
      { name: "Counter", goal: "Count once more", saysWhy: true },
    );
  });

  it("is started at once on what is selected, and its profile is drafted meanwhile", async () => {
    const { page, model, folder } = onStage();
    await toStartPage(page);
    model.play(shell("echo look"), complete());
    const file = path.join(folder, "sum.js");
    fs.writeFileSync(file, "export const sum = (a, b) =>\n  a + b;\n");
    await openFile(page, file);
    await page.locator(".editor-group-container.active .view-line").first().click();
    await page.keyboard.press("ControlOrMeta+Home");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+End");
    await runPaletteAction(page, "AutoGPT: Start Agent on Selection");
    await answer(page, /What should the agent do with the selection/, "Explain it");
    await panel(page).locator(".run-profile summary", { hasText: DRAFT.name }).waitFor();
    await cardButton(page, 1, "Approve").click();
    await endCard(page, "Finished").waitFor();

    const [changed] = typed(eventsOf(folder), "changed");
    assert.match(typed(eventsOf(folder), "started")[0]?.task ?? "", WITH_SELECTION);
    assert.deepEqual(
      { profile: changed?.profile, goals: changed?.goals },
      { profile: { name: DRAFT.name, role: DRAFT.role }, goals: DRAFT.goals },
    );
  });

  it("is started by the light bulb at a problem, to fix it", async () => {
    const { page, model, folder } = onStage();
    await toStartPage(page);
    // An end without a change is asked back once.
    model.play(complete(), complete());
    const file = path.join(folder, "broken.json");
    fs.writeFileSync(file, '{ "sum": }\n');
    await openFile(page, file);
    await page.locator(".editor-group-container.active .squiggly-error").first().waitFor();
    // VS Code closes the menu when it looks for fixes anew, which it does for a while after a file was opened.
    const fix = page.locator(".action-widget .monaco-list-row", { hasText: "Fix with AutoGPT" });
    await eventually("The menu of the light bulb", async () => {
      await page.locator(".editor-group-container.active .lightBulbWidget").click();
      return fix.click({ timeout: 2000 }).then(
        () => true,
        () => false,
      );
    });
    await endCard(page, "Finished").waitFor();

    assert.match(typed(eventsOf(folder), "started")[0]?.task ?? "", /^Fix these problems in broken\.json/);
  });

  it("has a profile that can be edited as a file", async () => {
    const { page, folder } = onStage();
    const file = path.join(folder, ".autogpt/profiles/tidier.yaml");
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, "ai_name: Tidier\nai_role: a tidy one\nai_goals:\n  - Tidy up.\n");
    await runPaletteAction(page, "AutoGPT: Edit Profile…");
    await quickPickRow(page, "Tidier").click();
    await editorTab(page, "tidier.yaml").waitFor();

    const text = await page.locator(".editor-group-container.active .view-lines").textContent();
    assert.match(text?.replaceAll("\u00a0", " ") ?? "", /ai_name: Tidier/);
  });

  it("has a page in the editor, too", async () => {
    const { page } = onStage();
    await toStartPage(page);
    await runPaletteAction(page, "AutoGPT: Open Agent Panel in Editor");
    await editorTab(page, "AutoGPT").waitFor();
    await pageInEditor(page).getByRole("textbox", { name: "What should the agent do?" }).waitFor();
    await runPaletteAction(page, "View: Close Editor");

    assert.equal(await panel(page).getByRole("textbox", { name: "What should the agent do?" }).isVisible(), true);
  });
});
