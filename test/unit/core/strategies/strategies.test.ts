import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rebuildStepPrompt } from "../../../../src/core/prompt/prompt.ts";
import { PLANNER_ROLE } from "../../../../src/core/strategies/task-list.ts";
import { readLog } from "../../../../src/runs/log/read-log.ts";
import { createForkEvents } from "../../../../src/runs/store/fork-events.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import {
  type Answering,
  refusal,
  type SeenRequest,
  saying,
  serverForSuite,
} from "../../../support/fake-model-server.ts";
import { calling, type HeadlessRun, type HeadlessSetting, headless, runProgram } from "../../../support/headless.ts";
import { ofType, outcomes } from "../../../support/rehearsal.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const server = serverForSuite();
const tempFolder = tempFolders();

const FINISH = calling("task_complete", { reason: "All tidy." });
const write = (filename: string) => calling("write_to_file", { filename, contents: "hello\n" });

async function newPlace(): Promise<HeadlessSetting> {
  return { baseUrl: server().baseUrl, workspace: await tempFolder(), data: await tempFolder() };
}

/** A run with the profile's further lines, from its task to its end. */
async function runWith(
  place: HeadlessSetting,
  lines: readonly string[],
  ...argv: readonly string[]
): Promise<HeadlessRun> {
  const profile = join(place.data, "profile.yaml");
  await writeFile(profile, ["ai_name: Ann", "ai_role: a gardener", "ai_goals: [Tidy.]", ...lines].join("\n"));
  return headless(place, "--task", "Tidy.", "--profile", profile, "--continuous", "9", "--json", ...argv);
}

/** The requests since the server was planned last, by whether they are the planner's. */
function requestsOf(isPlanner: boolean, from: number): readonly SeenRequest[] {
  const seen = server().requests.slice(from);
  return seen.filter(({ body }) => (body?.messages?.[0]?.content === PLANNER_ROLE) === isPlanner);
}

/** Whether each prompt of the run's steps, as it was sent, can be rebuilt from its events. */
function areRebuilt(events: readonly AgentEvent[], requests: readonly SeenRequest[]): readonly boolean[] {
  return requests.map(({ body }, index) => {
    const { messages } = rebuildStepPrompt(events, index + 1) ?? {};
    return JSON.stringify(messages) === JSON.stringify(body.messages);
  });
}

/** Whether each prompt but the last is, without its tail, the beginning of the next. */
function areCached(requests: readonly SeenRequest[]): readonly boolean[] {
  return requests.slice(1).map(({ body }, index) => {
    const before = requests[index]?.body.messages.slice(0, -1);
    return JSON.stringify(body.messages.slice(0, before.length)) === JSON.stringify(before);
  });
}

describe("the strategy react", () => {
  const WRITE =
    'Thought: I write.\nAction: write_to_file\nAction Input: {"filename": "note.txt", "contents": "hello\\n"}';
  const END = "Thought: I know the final answer.\nFinal Answer: All tidy.";

  it("works in the text form of ReAct, without what the model invents", async () => {
    const from = server().requests.length;
    server().plan(saying(`${WRITE}\nObservation: I invented this.\nFinal Answer: Nothing.`), saying(END));
    const place = await newPlace();

    const { end, events } = await runWith(place, ["strategy: react"]);

    const requests = requestsOf(false, from);
    const [first, second] = requests.map(({ body }) => body);
    assert.deepEqual(
      {
        end,
        written: await readFile(join(place.workspace, "note.txt"), "utf8"),
        form: [first.stop, first.tools, first.response_format],
        isDescribed: /\nAction: the action to take, should be one of \[.*read_file.*\]\nAction Input: /.test(
          first.messages[0].content,
        ),
        history: second.messages
          .slice(2, -1)
          .map(({ role, content }: { role: string; content: string }) => [role, content]),
        rebuilt: areRebuilt(events, requests),
        cached: areCached(requests),
      },
      {
        end: { reason: "finished", summary: "All tidy." },
        written: "hello\n",
        form: [["\nObservation:"], undefined, undefined],
        isDescribed: true,
        history: [
          ["assistant", WRITE],
          ["user", 'Observation: write_to_file is done:\nCreated "note.txt" with 1 line.'],
        ],
        rebuilt: [true, true],
        cached: [true],
      },
    );
  });

  it("continues where a server takes no stop texts, and says what is wrong with a reply", async () => {
    const from = server().requests.length;
    const answers: readonly Answering[] = [
      refusal(400, "Unsupported parameter: 'stop' is not supported with this model."),
      saying("Thought: I should look around first."),
      saying(END),
    ];
    server().plan(...answers);

    const { end, events } = await runWith(await newPlace(), ["strategy: react"]);

    const requests = requestsOf(false, from).slice(1);
    assert.deepEqual(
      {
        end: end.reason,
        stops: requests.map(({ body }) => body.stop),
        complaint: requests[1]?.body.messages.at(-2).content.slice(0, 53),
        rebuilt: areRebuilt(events, requests),
      },
      {
        end: "finished",
        stops: [undefined, undefined],
        complaint: 'Observation: Your reply had neither an "Action:" nor ',
        rebuilt: [true, true],
      },
    );
  });
});

describe("the strategy tasks", () => {
  /** Answers the planner's requests and those of steps from lists of their own. */
  function planned(plans: readonly object[], steps: readonly Answering[]): void {
    const [left, next] = [[...plans], [...steps]];
    const take = <T>(list: T[]): T | undefined => (list.length > 1 ? list.shift() : list[0]);
    server().plan((request) => {
      const isPlanner = request.body.messages[0].content === PLANNER_ROLE;
      const answer = isPlanner ? saying(JSON.stringify(take(left))) : take(next);
      return typeof answer === "function" ? answer(request) : (answer ?? FINISH);
    });
  }

  const marked = (...items: readonly (readonly [text: string, status: string])[]) =>
    calling("update_plan", { items: items.map(([text, status]) => ({ text, status })) });

  it("has the smart model plan what the fast one does, the first task leading each step", async () => {
    const from = server().requests.length;
    planned(
      [{ tasks: ["Write a.", "Write b."] }, { done: [1], tasks: ["Write c.", "Write b."] }],
      [write("a.txt"), marked(["Write a.", "done"], ["Write b.", "pending"]), write("c.txt"), FINISH],
    );

    const { end, events } = await runWith(await newPlace(), ["strategy: tasks"], "--fast-model", "quick");

    const steps = requestsOf(false, from);
    assert.deepEqual(
      {
        end: end.reason,
        models: [requestsOf(true, from), steps].map((list) => list.map(({ body }) => body.model)),
        lists: ofType(events, "planned").map(({ items, byPlanner }) => [
          byPlanner === true,
          ...items.map(({ text, status }) => `${text} ${status}`),
        ]),
        leads: steps.map(({ body }) => /Work on this task of it now: (.*)/.exec(body.messages.at(-1).content)?.[1]),
        results: requestsOf(true, from)[1]?.body.messages[1].content.includes('Step 1: {"name":"write_to_file"'),
        spent: ofType(events, "spent").map(({ on, usage }) => [on, (usage?.input ?? 0) > 0]),
        rebuilt: areRebuilt(events, steps),
        cached: areCached(steps),
      },
      {
        end: "finished",
        models: [
          ["fake", "fake"],
          ["quick", "quick", "quick", "quick"],
        ],
        lists: [
          [true, "Write a. in_progress", "Write b. pending"],
          [false, "Write a. done", "Write b. pending"],
          [true, "Write a. done", "Write c. in_progress", "Write b. pending"],
        ],
        leads: ["Write a.", "Write a.", "Write c.", "Write c."],
        results: true,
        spent: [
          ["tasks", true],
          ["tasks", true],
        ],
        rebuilt: [true, true, true, true],
        cached: [true, true, true],
      },
    );
  });

  it("resumes its list after the run has stopped, and so does a fork", async () => {
    planned([{ tasks: ["Write a.", "Write b."] }], [write("a.txt"), FINISH]);
    const place = await newPlace();
    const first = await runWith(place, ["strategy: tasks"], "--set", "run.maxSteps=1");
    const [{ id } = { id: "" }] = ofType(first.events, "started");
    const from = server().requests.length;

    await headless(place, "--resume", id, "--set", "run.maxSteps=9", "--continuous", "9");

    const { events } = await readLog(join(place.workspace, ".autogpt", "runs", id));
    const [started] = events;
    assert.ok(started?.type === "started");
    const forked = createForkEvents({ events, step: 2, foreign: false }, { ...started, id: "fork" }, started.at);
    assert.deepEqual(
      {
        plannings: requestsOf(true, from).length,
        outcomes: outcomes(events),
        fork:
          JSON.stringify(rebuildStepPrompt(forked, 2)?.messages) ===
          JSON.stringify(rebuildStepPrompt(events, 2)?.messages),
      },
      {
        plannings: 0,
        outcomes: ['1 done: Created "a.txt" with 1 line.', "2 finished: All tidy."],
        fork: true,
      },
    );
  });

  it("works on the goals where the planner's answer can't be read or paid for", async () => {
    server().plan(({ body }) => (body.messages[0].content === PLANNER_ROLE ? saying("I can't.") : FINISH));
    const unread = await runWith(await newPlace(), ["strategy: tasks"]);
    const from = server().requests.length;

    const poor = await runWith(await newPlace(), ["strategy: tasks"], "--set", "run.maxTokens=600");

    const lists = [unread, poor].map(({ end, events }) => [
      end.reason,
      ofType(events, "planned").map(({ items }) => items.map(({ text }) => text)),
    ]);
    assert.deepEqual(
      { lists, requests: server().requests.length - from },
      {
        lists: [
          ["finished", [["Tidy."]]],
          ["exhausted", [["Tidy."]]],
        ],
        requests: 0,
      },
    );
  });
});

describe("the commands of a profile", () => {
  it("are the only ones, with the one that ends a run, and unknown names are reported", async () => {
    server().plan(write("a.txt"), FINISH);

    const { end, stderr, events } = await runWith(await newPlace(), ["commands: [read_file, List_Files, serch]"]);

    assert.deepEqual(
      {
        end: end.reason,
        offered: ofType(events, "started").map(({ commands }) => commands.map(({ name }) => name).sort()),
        told: stderr.includes("The profile names commands that don't exist: serch."),
        ran: outcomes(events),
      },
      {
        end: "finished",
        offered: [["list_files", "read_file", "task_complete"]],
        told: true,
        ran: [
          `1 failed: The command "write_to_file" is not available: The profile doesn't name it among its commands. Choose another one.`,
          "2 finished: All tidy.",
        ],
      },
    );
  });
});

describe("the model of a profile on the command line", () => {
  /** The models that answer a start with these arguments, and what is reported of the profile's model. */
  async function models(place: HeadlessSetting, ...argv: readonly string[]) {
    const from = server().requests.length;
    server().plan(FINISH);
    const { stderr } = await runProgram(place, "--workspace", place.workspace, "--continuous", "9", ...argv);
    const asked = server()
      .requests.slice(from)
      .filter(({ method }) => method === "POST");
    return [
      asked.map(({ body }) => body.model).join(),
      ...stderr.split("\n").filter((line) => line.includes("the model big") || line.includes("The model big")),
    ];
  }

  it("is used where the command line names its file, also when the run is resumed, and nowhere else", async () => {
    const place = await newPlace();
    const file = join(place.data, "profile.yaml");
    await writeFile(file, "ai_name: Ann\nai_role: a gardener\nai_goals: [Tidy.]\nmodel: big\n");

    const named = await models(place, "--profile", file);
    const [id = ""] = await readdir(join(place.workspace, ".autogpt", "runs"));
    const resumed = await models(place, "--resume", id, "--task", "Look again.");
    const reused = await models(place, "--skip-reprompt", "--task", "Tidy again.");
    const overruled = await models(place, "--profile", file, "--model", "other");

    assert.deepEqual(
      { named, resumed, reused, overruled },
      {
        named: ["big", `The profile ${file} chooses the model big.`],
        resumed: ["big"],
        reused: ["fake", "The model big of the profile Ann isn't used: name it with --model."],
        overruled: ["other", "The model big of the profile Ann isn't used: name it with --model."],
      },
    );
  });
});
