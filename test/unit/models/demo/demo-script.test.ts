import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createAllCommands } from "../../../../src/commands/all.ts";
import { createCommandSet } from "../../../../src/core/commands/command-set.ts";
import { applyEvent, NO_RUN } from "../../../../src/core/events/run-state.ts";
import type { Approver } from "../../../../src/core/ports/approver.ts";
import { FormatChoice } from "../../../../src/core/reply/formats.ts";
import { renderChecklistText } from "../../../../src/core/reply/plan.ts";
import { DEMO_FILES, DEMO_TASK } from "../../../../src/models/demo/demo-files.ts";
import { createDemoScript } from "../../../../src/models/demo/demo-script.ts";
import { createScriptedModel } from "../../../../src/models/demo/scripted-model.ts";
import { createNodeShell } from "../../../../src/node/processes/shell.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import { ofType, rehearse } from "../../../support/rehearsal.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const RUN_CHECKS = `"${process.execPath}" check.mjs`;

/** Plays the demo with real files and real commands in a folder of its own. */
async function play(folder: string, format: "tools" | "text", approver?: Approver) {
  for (const [name, text] of Object.entries(DEMO_FILES)) await writeFile(join(folder, name), text);
  const workspace = createNodeWorkspace({ folders: [{ name: "demo", path: folder }] });
  const shell = createNodeShell({ outputFolder: join(folder, ".outputs") });
  const commands = createCommandSet(createAllCommands({ workspace, shell }));
  const { end, log } = await rehearse({
    answers: [],
    ...(approver ? { approver } : {}),
    start: { task: DEMO_TASK, commands: commands.specs },
    thinking: {
      model: createScriptedModel(createDemoScript(RUN_CHECKS)),
      formats: new FormatChoice([format]),
    },
    parts: { commands },
  });
  const plan = renderChecklistText(log.events.reduce(applyEvent, NO_RUN).plan);
  return { folder, end: Object.values(end).join(": "), plan, events: log.events };
}

/** The commands and what came of them, one word each. */
function course(events: readonly AgentEvent[]): string[] {
  const names = ofType(events, "replied").map(({ reply }) => (reply.kind === "proposal" ? reply.call.name : "?"));
  return ofType(events, "ended").map(({ outcome }, index) => `${names[index]} ${outcome.status}`);
}

/** What the agent thought aloud in a step. */
function thought(events: readonly AgentEvent[], step: number): string {
  const reply = ofType(events, "replied").find((event) => event.step === step)?.reply;
  return reply?.kind === "proposal" ? reply.thoughts.text : "";
}

/** Refuses these commands, and accepts the rest; some with another text than was proposed. */
function choosy(refused: Readonly<Record<string, string>>, accepted: Readonly<Record<string, string>> = {}): Approver {
  return {
    async decide({ proposal: { call } }) {
      const feedback = refused[call.name];
      const text = accepted[call.name];
      if (feedback !== undefined) return { decision: { allow: false, feedback }, by: "user", reason: "a test" };
      return {
        decision: { allow: true, ...(text === undefined ? {} : { accepted: text }) },
        by: "user",
        reason: "a test",
      };
    },
  };
}

const SCRIPTED = "(The replies of this demo were scripted; set an API key or choose a model to let a real one work.)";

describe("the demo", () => {
  const newFolder = tempFolders();

  for (const format of ["tools", "text"] as const) {
    it(`finds a real bug, fixes it and proves it, in the form of ${format}`, async () => {
      const { folder, end, plan, events } = await play(await newFolder(), format);
      assert.deepEqual(
        {
          end,
          plan,
          course: course(events),
          fixed: (await readFile(join(folder, "cart.mjs"), "utf8")).includes("quantity >= 10"),
        },
        {
          end: `finished: The discount now starts at ten items, as the README promises, and all checks pass. ${SCRIPTED}`,
          plan: "[x] Find out which check fails, and why\n[x] Fix the cause\n[x] Run the checks again",
          course: [
            "update_plan done",
            "list_files done",
            "read_file done",
            "execute_shell done",
            "edit_file done",
            "update_plan done",
            "write_to_file done",
            "execute_shell done",
            "task_complete finished",
          ],
          fixed: true,
        },
      );
    });
  }
});

describe("the demo, when its user has another mind,", () => {
  const newFolder = tempFolders();

  it("takes a refused change for what it is, and claims nothing", async () => {
    const { folder, end, plan, events } = await play(
      await newFolder(),
      "tools",
      choosy({ edit_file: "I want to do that myself." }),
    );
    assert.deepEqual(
      {
        end,
        plan,
        next: thought(events, 6),
        notes: (await readFile(join(folder, "NOTES.md"), "utf8")).includes("Not fixed yet"),
      },
      {
        end: `finished: The bug is found but not fixed, because the change was not made: in cart.mjs, > should be >=. ${SCRIPTED}`,
        plan: "[x] Find out which check fails, and why\n[-] Fix the cause\n[x] Run the checks again",
        next: `You refused edit_file, so it was not run. You said: "I want to do that myself". I'll continue without it. The change is not in the file, so the bug is still there. I'll update the plan.`,
        notes: true,
      },
    );
  });

  it("continues without the checks where they may not run", async () => {
    const { end, events } = await play(await newFolder(), "tools", choosy({ execute_shell: "Not on my machine." }));
    assert.deepEqual(
      [end, thought(events, 5).includes("I could not see the checks run")],
      [`finished: The change went in, but the checks were not run again, so nothing is proved. ${SCRIPTED}`, true],
    );
  });

  it("notices what the user changed, and that it does not work", async () => {
    const { end, events } = await play(
      await newFolder(),
      "tools",
      choosy({}, { edit_file: DEMO_FILES["cart.mjs"]?.replace("> 10", "> 12") ?? "" }),
    );
    assert.deepEqual(
      [end, thought(events, 6).startsWith("You changed my proposal before you accepted it,")],
      [
        `finished: The change went in as you left it, but the checks still do not all pass; their output says which ones fail. ${SCRIPTED}`,
        true,
      ],
    );
  });
});
