import { type PlanItem, renderChecklistText } from "../../core/reply/plan.ts";
import { ALL_PASSED, BUG, FIX } from "./demo-files.ts";
import type { PastStep, Script, ScriptedReply, ScriptMoment } from "./scripted-model.ts";

const RUN_CHECKS = "node check.mjs";

/** The demo's script for the project in `DEMO_FILES`. It responds to real outcomes and says that it's a script. */
export function createDemoScript(runChecks: string = RUN_CHECKS): Script {
  return {
    profile: {
      name: "Shop Fixer",
      role: "a careful developer who finds the cause of a failing check before changing anything",
      goals: [
        "Find out which check fails, and why.",
        "Fix the cause with the smallest change that does it.",
        "Show that all checks pass.",
      ],
    },
    criticism:
      "The thinking is sound as far as it goes: the cause was read from the code and from the failing check, and the change is as small as it can be. What is missing is a look at who else relies on the old limit. (This criticism is scripted, as all replies of the demo are.)",
    steps: [
      makePlan,
      look,
      readCart,
      (moment) => check(moment, runChecks),
      fix,
      updatePlan,
      takeNotes,
      (moment) => checkAgain(moment, runChecks),
      finish,
    ],
  };
}

function makePlan(moment: ScriptMoment): ScriptedReply {
  return {
    thoughts: {
      text: `${composeRemarks(moment)}This is the demo: my replies were written in advance, but the files, the commands and your decisions are real. The task is to find and fix a failing check.`,
      reasoning: "A short plan first lets you see where I am at any time.",
      plan: "- look around\n- run the checks\n- fix the cause\n- run the checks again",
      criticism: "I do not know the code yet, so the plan may have to change.",
      speak: "Welcome to the demo. I'll start with a plan.",
    },
    command: { name: "update_plan", args: { items: createPlanItems("in_progress", "pending", "pending") } },
  };
}

function look(moment: ScriptMoment): ScriptedReply {
  return {
    thoughts: {
      text: `${composeRemarks(moment)}Before I change anything I want to know what is there.`,
      reasoning: "Listing files only reads, so it needs no approval.",
      speak: "I'm looking at the project's files.",
    },
    command: { name: "list_files", args: { folder: "." } },
  };
}

function readCart(moment: ScriptMoment): ScriptedReply {
  return {
    thoughts: {
      text: `${composeRemarks(moment)}The shop's logic must be in cart.mjs, and check.mjs holds the checks.`,
      reasoning: "I read the code first, so that I understand what the checks complain about.",
      speak: "I read the code of the cart.",
    },
    command: { name: "read_file", args: { filename: "cart.mjs" } },
  };
}

function check(moment: ScriptMoment, runChecks: string): ScriptedReply {
  return {
    thoughts: {
      text: `${composeRemarks(moment)}There is a discount for large quantities. I run the checks to see which one fails.`,
      reasoning: "A command runs on your machine, so you are asked first. The card shows everything that it would do.",
      criticism: "The checks could fail for a reason that has nothing to do with the discount.",
      speak: "I'd like to run the checks. Please review the command.",
    },
    command: { name: "execute_shell", args: { command_line: runChecks } },
  };
}

function fix(moment: ScriptMoment): ScriptedReply {
  const seen = findLastStep(moment, "execute_shell")?.text.includes("FAILED")
    ? "The check for exactly ten items fails: they should be 10 percent off and aren't."
    : "I could not see the checks run, so I rely on the README: ten items or more get the discount.";
  return {
    thoughts: {
      text: `${composeRemarks(moment)}${seen} The code gives it only above ten, with ">" where ">=" is meant.`,
      reasoning:
        "One character fixes it. You see the change as a diff; you can edit the right side before you accept it.",
      plan: "- Fix the cause\n- Note what was wrong\n- Run the checks again",
      criticism: "If other code relied on the old limit, this would change its prices too.",
      speak: "I have found the cause and propose a change of one line.",
    },
    command: {
      name: "edit_file",
      args: { filename: "cart.mjs", edits: [{ search: BUG.trim(), replace: FIX.trim() }] },
    },
  };
}

function updatePlan(moment: ScriptMoment): ScriptedReply {
  const fixed = wasDone(moment, "edit_file");
  return {
    thoughts: {
      text: `${composeRemarks(moment)}${fixed ? "The change is in the file." : "The change is not in the file, so the bug is still there."} I'll update the plan.`,
      reasoning: "The plan should always show what is really done.",
      speak: fixed ? "The change is made." : "The change was not made; I'll continue without it.",
    },
    command: {
      name: "update_plan",
      args: { items: createPlanItems("done", fixed ? "done" : "dropped", "in_progress") },
    },
  };
}

function takeNotes(moment: ScriptMoment): ScriptedReply {
  const fixed = wasDone(moment, "edit_file");
  const contents = `# What was wrong

The discount is promised from ten items on, but \`linePrice\` gave it only above ten.

${fixed ? "Fixed in `cart.mjs`: `quantity > 10` is now `quantity >= 10`." : "Not fixed yet: in `cart.mjs`, `quantity > 10` should be `quantity >= 10`."}
`;
  return {
    thoughts: {
      text: `${composeRemarks(moment)}I'll write down what was wrong for the next reader.`,
      reasoning: "A new file is shown as a diff as well. You may refuse it, with a reason; that never ends the run.",
      speak: "I propose a short note about the bug.",
    },
    command: { name: "write_to_file", args: { filename: "NOTES.md", contents } },
  };
}

function checkAgain(moment: ScriptMoment, runChecks: string): ScriptedReply {
  return {
    thoughts: {
      text: `${composeRemarks(moment)}Now the checks again: only they can show whether the work is done.`,
      reasoning: "I don't call anything done until I've seen it work.",
      speak: "I would like to run the checks once more.",
    },
    command: { name: "execute_shell", args: { command_line: runChecks } },
  };
}

function finish(moment: ScriptMoment): ScriptedReply {
  const reason = `${describeResult(moment)} (The replies of this demo were scripted; set an API key or choose a model to let a real one work.)`;
  return {
    thoughts: {
      text: `${composeRemarks(moment)}My script ends here.`,
      reasoning: "Finishing is a command like any other: you can refuse it, and then I would have to go on.",
      plan: renderChecklistText(
        createPlanItems(
          "done",
          wasDone(moment, "edit_file") ? "done" : "dropped",
          findLastStep(moment, "execute_shell")?.status === "done" ? "done" : "dropped",
        ),
      ),
      criticism: "A script cannot judge its own work; the checks' output is the proof.",
      speak: "That was the demo.",
    },
    command: { name: "task_complete", args: { reason } },
  };
}

/** The demo's result, described honestly. */
function describeResult(moment: ScriptMoment): string {
  const last = findLastStep(moment, "execute_shell");
  const passed = last?.status === "done" && last.text.includes(ALL_PASSED);
  const fixed = wasDone(moment, "edit_file");
  if (passed) return "The discount now starts at ten items, as the README promises, and all checks pass.";
  if (!fixed) return "The bug is found but not fixed, because the change was not made: in cart.mjs, > should be >=.";
  return last?.status === "done"
    ? "The change went in as you left it, but the checks still do not all pass; their output says which ones fail."
    : "The change went in, but the checks were not run again, so nothing is proved.";
}

function createPlanItems(...status: readonly [PlanItem["status"], PlanItem["status"], PlanItem["status"]]): PlanItem[] {
  return [
    { text: "Find out which check fails, and why", status: status[0] },
    { text: "Fix the cause", status: status[1] },
    { text: "Run the checks again", status: status[2] },
  ];
}

/** Introductory remarks about the last step's outcome and the user's messages; "" if everything followed the script. */
function composeRemarks({ steps, said }: ScriptMoment): string {
  const last = steps.at(-1);
  const remarks = [
    ...(last ? describeOutcome(last) : []),
    ...said.map(
      (words) =>
        `You said: "${shortenToLine(words)}". I only follow a script and can't act on that; a real model would.`,
    ),
  ];
  return remarks.map((remark) => `${remark} `).join("");
}

function describeOutcome({ call, status, text }: PastStep): string[] {
  if (status === "refused") {
    const why = text === "" ? "" : ` You said: "${shortenToLine(text)}".`;
    return [`You refused ${call.name}, so it was not run.${why} I'll continue without it.`];
  }
  if (status === "failed") return [`${call.name} did not work: "${shortenToLine(text)}". I'll do my best without it.`];
  if (status === "done" && CHANGED_BY_USER.test(text))
    return ["You changed my proposal before you accepted it, so I'll use your version."];
  return [];
}

/** Outcome texts that report the user's changes. */
const CHANGED_BY_USER = /\bthe user (has )?(changed|edited|dropped|accepted)/i;

/** The last step with a command; undefined if there is none. */
function findLastStep({ steps }: Pick<ScriptMoment, "steps">, command: string): PastStep | undefined {
  return steps.findLast(({ call }) => call.name === command);
}

/** True if the command's last use succeeded. */
function wasDone(moment: Pick<ScriptMoment, "steps">, command: string): boolean {
  return findLastStep(moment, command)?.status === "done";
}

function shortenToLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim().replace(/\.$/, "");
  return line.length <= 160 ? line : `${line.slice(0, 159)}…`;
}
