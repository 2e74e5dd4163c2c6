import assert from "node:assert/strict";
import { Run } from "../../../../src/core/events/run.ts";
import { type Model, ModelError } from "../../../../src/core/ports/model.ts";
import { getStrategy } from "../../../../src/core/strategies/strategies.ts";
import { arrangeTasks, listTaskRemarks, readTasks } from "../../../../src/core/strategies/task-list.ts";
import type { AgentEventBody } from "../../../../src/schema/events.ts";
import { displayText } from "../../../../src/texts/display-text.ts";
import { FakeModel } from "../../../support/fake-model.ts";
import { MemoryLog } from "../../../support/memory-log.ts";
import { ofType } from "../../../support/rehearsal.ts";
import { sampleStart } from "../../../support/sample-run.ts";

const SIGNAL = new AbortController().signal;
const lists = (tasks: readonly string[], done: readonly number[] = []) => ({
  text: JSON.stringify({ done, tasks }),
});
const PROPOSAL = {
  kind: "proposal",
  thoughts: { text: "", reasoning: "", plan: "", criticism: "", speak: "" },
  call: { name: "list_files", args: {} },
} as const;

/** The events of a step that lists files, with a thought's plan. */
function step(number: number, plan = ""): readonly AgentEventBody[] {
  const tail = { time: "", budget: "", plan: [], recalled: [], remarks: [] };
  const reply = { ...PROPOSAL, thoughts: { ...PROPOSAL.thoughts, plan } };
  return [
    { type: "asked", step: number, format: "text", tail },
    { type: "replied", step: number, format: "text", text: "", calls: [], finish: "stop", reply, model: "m" },
    { type: "ended", step: number, outcome: { status: "done", output: "a.txt" } },
  ];
}

async function newRun() {
  const log = new MemoryLog();
  const run = await Run.start(log, { ...sampleStart({ task: "Tidy.", strategy: "tasks" }) });
  const record = async (...events: readonly AgentEventBody[]) => {
    for (const event of events) await run.record(event);
  };
  const arrange = (model: Model) => arrangeTasks(run, () => model, SIGNAL);
  const items = () => run.state.plan.map(({ text, status }) => `${text} ${status}`);
  return { log, run, record, arrange, items };
}

describe("the planner's answer", () => {
  const ANSWERS: readonly (readonly [shape: string, text: string, tasks: readonly string[] | undefined])[] = [
    ["an object", '{"done": [], "tasks": ["a", "b"]}', ["a", "b"]],
    ["an object in a fence", '```json\n{"tasks": ["a"]}\n```', ["a"]],
    ["objects of BabyAGI", '{"tasks": [{"task_id": 1, "task_name": "a"}, {"task": "b"}]}', ["a", "b"]],
    ["BabyAGI's lines", "#1. a\n#2. b", ["a", "b"]],
    ["a numbered list", "Here they are:\n1. a\n2. b\nGood luck!", ["a", "b"]],
    ["a list with marks", "- [x] a\n- [ ] b", ["b"]],
    ["an empty list", '{"done": [1], "tasks": []}', []],
    ["the same task twice, and blanks", '{"tasks": ["a", " a ", "", 1]}', ["a"]],
    ["no list", '{"tasks": "a"}', undefined],
    ["words", "I would begin with a.", undefined],
  ];
  for (const [shape, text, tasks] of ANSWERS)
    it(`is read: ${shape}`, () => assert.deepEqual(readTasks(text)?.tasks, tasks));
});

describe("the list of tasks", () => {
  it("is asked for once, and again when a thought, the agent, the user or the time may have changed it", async () => {
    const { run, record, arrange } = await newRun();
    const model = new FakeModel([lists(["a", "b"])]);
    const counts: number[] = [];
    const asked = async (...events: readonly AgentEventBody[]) => {
      await record(...events);
      await arrange(model);
      counts.push(model.requests.length);
    };

    await asked();
    await asked(...step(1));
    await asked(...step(2, "- [x] a"));
    await asked(...step(3), { type: "planned", items: run.state.plan });
    await asked({ type: "planned", items: [{ text: "c", status: "pending" }] });
    await asked({ type: "said", text: "Hurry.", by: "user" });
    await asked({ type: "changed", goals: ["Hurry."] });
    await asked(...[4, 5, 6, 7, 8].flatMap((number) => step(number)));
    await asked(...step(9));

    assert.deepEqual(counts, [1, 1, 2, 2, 3, 4, 5, 5, 6]);
  });

  it("keeps what is done, drops what is left out, and puts the first task in progress", async () => {
    const { record, arrange, items } = await newRun();
    await arrange(new FakeModel([lists(["a", "b", "c"])]));
    await record(...step(1), { type: "said", text: "Go on.", by: "user" });

    await arrange(new FakeModel([lists(["d", "C."], [1])]));

    assert.deepEqual(items(), ["a done", "b dropped", "d in_progress", "C. pending"]);
  });

  it("takes no task from an agent's thought, only that one is done", async () => {
    const { record, arrange, items } = await newRun();
    await arrange(new FakeModel([lists(["Write the first part", "Write the second part"])]));

    await record(...step(1, "- [x] Write the first part\n- [ ] Sell the house"));

    assert.deepEqual(items(), ["Write the first part done", "Write the second part pending"]);
  });

  it("stays where the planner can't help, and waits where it may later", async () => {
    const { log, run, arrange } = await newRun();
    const trouble = (kind: "other" | "busy") => new FakeModel([new ModelError(kind, displayText("common.cancel"))]);

    await assert.rejects(arrange(trouble("busy")), { trouble: "busy" });
    const before = run.state.plan.length;
    await arrange(trouble("other"));

    assert.deepEqual(
      [before, run.state.plan.map(({ text }) => text), ofType(log.events, "spent").length],
      [0, run.state.profile.goals, 0],
    );
  });

  it("leads the step with its first open task, or to the end", async () => {
    const { run, arrange } = await newRun();
    const remarks: unknown[] = [];
    for (const tasks of [["a", "b"], []]) {
      await run.record({ type: "said", text: "Go on.", by: "user" });
      await arrange(new FakeModel([lists(tasks)]));
      remarks.push(listTaskRemarks(run.state).map((remark) => remark.split(/[:.]/)[1]?.trim()));
    }
    assert.deepEqual(remarks, [
      ["Work on this task of it now"],
      ["Call task_complete if the objective is met; otherwise take the next step toward it"],
    ]);
  });
});

describe("the roles of the models", () => {
  it("are given once, however often a pair passes", () => {
    const [smart, fast] = [new FakeModel([]), new FakeModel([])];
    const { assignRoles } = getStrategy("tasks");
    assert.deepEqual(
      [
        assignRoles({ smart, fast }),
        assignRoles(assignRoles({ smart, fast })),
        getStrategy("react").assignRoles({ smart, fast }),
      ].map((pair) => [pair.smart === fast, pair.fast === fast, pair.planner === smart]),
      [
        [true, true, true],
        [true, true, true],
        [false, true, false],
      ],
    );
  });
});
