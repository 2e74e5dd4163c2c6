import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getExitCode } from "../../../src/headless/exit-code.ts";
import { UsageError } from "../../../src/headless/usage-error.ts";
import { findSandboxTool } from "../../../src/node/sandbox/sandbox.ts";
import { readLog } from "../../../src/runs/log/read-log.ts";
import { chunk, event, json, refusal, saying, serverForSuite } from "../../support/fake-model-server.ts";
import { onFaultyDisk } from "../../support/faulty-disk.ts";
import { calling, type HeadlessSetting, headless } from "../../support/headless.ts";
import { ofType, outcomes, types } from "../../support/rehearsal.ts";
import { git, makeRepository } from "../../support/repositories.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const server = serverForSuite();
const tempFolder = tempFolders();

const FINISH = calling("task_complete", { reason: "All tidy." });
const WRITE = calling("write_to_file", { filename: "note.txt", contents: "hello\n" });

async function setting(more: Partial<HeadlessSetting> = {}): Promise<HeadlessSetting> {
  return { baseUrl: server().baseUrl, workspace: await tempFolder(), data: await tempFolder(), ...more };
}

const TASK = ["--task", "Tidy the notes."];

describe("a run without an editor", () => {
  it("does the task with what it was granted", async () => {
    server().plan(WRITE, calling("read_file", { filename: "note.txt" }), FINISH);
    const place = await setting();
    const { end, events } = await headless(place, ...TASK, "--continuous", "9", "--json");
    assert.deepEqual(
      [
        end,
        await readFile(join(place.workspace, "note.txt"), "utf8"),
        ofType(events, "decided").map(({ by, allow }) => `${by} ${allow}`),
      ],
      [{ reason: "finished", summary: "All tidy." }, "hello\n", ["continuous true", "rule true", "rule true"]],
    );
  });

  it("trusts what it remembers of the user's own runs, and not what another machine's runs left", async () => {
    const [mine, theirs] = [await setting(), await setting()];
    const counted: unknown[] = [];
    for (const place of [mine, mine, { ...theirs, workspace: mine.workspace }]) {
      server().plan(calling("list_files"), FINISH);
      const { events } = await headless(place, ...TASK, "--continuous", "9", "--json");
      const memories = ofType(events, "recalled").flatMap((event) => event.memories);
      counted.push([memories.length > 0, memories.every(({ isClean }) => isClean === true)]);
    }
    assert.deepEqual(counted, [
      [false, true],
      [true, true],
      [true, false],
    ]);
  });

  const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  for (const [name, usage] of [
    ["no tokens", []],
    ["null", [{ usage: null }]],
    ["zeros", [{ usage: zeros }]],
    ["only a total", [{ usage: { total_tokens: 5_000 } }]],
    ["only the prompt", [{ usage: { prompt_tokens: 5_000 } }]],
    ["only the reply", [{ usage: { completion_tokens: 50, prompt_tokens: null } }]],
    ["the same token each time", [{ usage: { prompt_tokens: 1, completion_tokens: 1 } }]],
    ["more than there can be", [{ usage: { prompt_tokens: 1e15, completion_tokens: 1e12 } }]],
    ["less than nothing", [{ usage: { prompt_tokens: -5_000, completion_tokens: -1 } }]],
    ["no numbers", [{ usage: { prompt_tokens: "NaN", completion_tokens: "many", total_tokens: [] } }]],
    ["zeros and spaces in texts", [{ usage: { prompt_tokens: "0", completion_tokens: " " } }]],
    ["every third reply", [{ usage: zeros }, {}, { usage: { prompt_tokens: 5_000, completion_tokens: 50 } }]],
  ] as const)
    it(`holds its limit of tokens with a server that counts ${name}`, async () => {
      let asked = 0;
      server().plan(() => {
        asked += 1;
        const call = { filename: `note ${asked}.txt`, contents: `${asked}\n` };
        const pieces = [...calling("write_to_file", call).pieces];
        // The piece before the last is the count.
        pieces.splice(-2, 1, event({ ...chunk({}), choices: [], ...usage[asked % usage.length] }));
        return { pieces };
      });
      const limits = ["--set", "run.maxTokens=60000", "--set", "run.maxSteps=100"];
      const { end, events } = await headless(await setting(), ...TASK, ...limits, "--continuous", "100", "--json");
      const counted = ofType(events, "replied").map(({ usage: own }) => (own?.input ?? 0) + (own?.output ?? 0));
      const sum = counted.reduce((all, one) => all + one, 0);
      assert.deepEqual(
        [end, asked > 5 && asked < 40, counted.every((one) => one > 1_000), sum > 40_000 && sum <= 62_000],
        [{ reason: "exhausted", limit: "tokens" }, true, true, true],
      );
    });

  for (const [name, refused, limit, until] of [
    ["hours", refusal(429, "Daily limit reached. Try again in 7h12m."), "60", "7 hours 12 minutes"],
    [
      "more than its limit of minutes",
      json(429, { error: { code: 429, message: "Quota.", details: [{ retryDelay: "95s" }] } }),
      "1",
      "95 seconds",
    ],
    [
      "until a moment",
      {
        ...refusal(429, "No."),
        headers: { "x-ratelimit-reset": `${Math.floor(Date.now() / 1000) + 86_400}` },
      },
      "60",
      "2[34] hours( \\d+ minutes)?",
    ],
  ] as const)
    it(`ends at once, out of time, where the server asks to wait ${name}, and says when it can continue`, async () => {
      server().plan(refused);
      const { end, stderr } = await headless(await setting(), ...TASK, "--set", `run.maxMinutes=${limit}`);
      assert.deepEqual(
        [
          end,
          getExitCode({ kind: "run", end }),
          new RegExp(`asked again in ${until}, at \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d`).test(stderr),
        ],
        [{ reason: "exhausted", limit: "minutes" }, 2, true],
      );
    });

  it("looks at the git state of a linked working tree without a question", async () => {
    const main = await tempFolder();
    const workspace = join(await tempFolder(), "tree");
    makeRepository(main, { "a.txt": "one\n" });
    git(main, "worktree", "add", "-q", workspace);
    server().plan(...["git_status", "git_log", "git_diff"].map((name) => calling(name)), FINISH);
    const { events } = await headless(await setting({ workspace }), ...TASK, "--json");
    assert.deepEqual(
      [
        ofType(events, "decided")
          .map(({ allow }) => allow)
          .slice(0, 3),
        outcomes(events)[0],
      ],
      [[true, true, true], "1 done: ## tree\n?? .autogpt/"],
    );
  });

  it("has the limits that are the editor's defaults", async () => {
    server().plan(FINISH);
    const { events } = await headless(await setting(), ...TASK, "--continuous", "9", "--json");
    const manifest = JSON.parse(await readFile(new URL("../../../package.json", import.meta.url), "utf8"));
    const settings = Object.assign(
      {},
      ...[manifest.contributes.configuration].flat().map(({ properties }) => properties),
    );
    const [steps, replies, tokens, minutes, usd] = [
      "maxSteps",
      "maxReplies",
      "maxTokens",
      "maxMinutes",
      "budgetUsd",
    ].map((name) => settings[`autogpt.run.${name}`].default);
    assert.deepEqual(
      [{ steps, replies, tokens, minutes, usd }, replies, tokens],
      [ofType(events, "started")[0]?.limits, 300, 200_000_000],
    );
  });

  it("prints the final plan", async () => {
    const thinking = (plan: string) => ({
      thoughts: { text: "", reasoning: "", plan, criticism: "", speak: "" },
    });
    const first = calling("list_files", thinking("- Look around\n- Say what is there"));
    server().plan(first, calling("task_complete", { reason: "All tidy.", ...thinking("- Say what is there") }));
    const { stdout } = await headless(await setting(), ...TASK, "--continuous", "9");
    assert.match(
      stdout.slice(stdout.indexOf("Finished.")),
      /^Finished\. All tidy\.\nPlan:\n {2}\[done\] Look around\n {2}\[not marked done\] Say what is there\nSpent: [\d,]+ \+ 20 tokens\.\n$/,
    );
  });

  it("refuses, with the reason, what no one is there to approve, and continues", async () => {
    server().plan(WRITE, FINISH, saying("no more"));
    const place = await setting();
    const { end, events } = await headless(place, ...TASK, "--yes-to", "task_complete", "--json");
    assert.deepEqual(
      [
        end.reason,
        (await readdir(place.workspace)).filter((name) => !name.startsWith(".")),
        outcomes(events)[0]?.includes("No one is available to approve it"),
      ],
      ["stuck", [], true],
    );
  });

  it("runs command lines unasked in a sandbox that is trusted, and there only", async function () {
    if ((await findSandboxTool()).kind !== "bubblewrap") this.skip();
    const line = calling("execute_shell", {
      command_line: "touch /usr/autogpt-test 2>/dev/null || echo held",
    });
    server().plan(line, FINISH, line, FINISH);
    const decided: unknown[] = [];
    for (const mode of ["trusted", "off"]) {
      const { events } = await headless(
        await setting(),
        ...TASK,
        ...["--sandbox", mode, "--yes-to", "task_complete", "--json"],
      );
      decided.push(ofType(events, "decided")[0]?.rule, outcomes(events)[0]?.includes("held"));
    }
    assert.deepEqual(decided, ["sandbox", true, "outside-workspace", false]);
  });

  it("prints exactly what its log holds with --json, and nothing else", async () => {
    server().plan(calling("list_files"), FINISH);
    const place = await setting();
    const { stdout, events } = await headless(place, ...TASK, "--continuous", "9", "--json");
    const [id = ""] = await readdir(join(place.workspace, ".autogpt/runs"));
    assert.deepEqual(
      [
        stdout
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line)),
        types(events),
      ],
      [
        (await readLog(join(place.workspace, ".autogpt/runs", id))).events,
        "started asked replied decided began ended asked replied decided began ended over",
      ],
    );
  });

  it("prints a readable account without --json", async () => {
    server().plan(calling("list_files"), FINISH);
    const { stdout } = await headless(await setting(), ...TASK, "--continuous", "9");
    assert.match(
      stdout,
      /Task: Tidy the notes\.[\s\S]+TEXT: I shall list_files\.[\s\S]+COMMAND: task_complete[\s\S]+Finished\. All tidy\.\nSpent: [\d,]+ \+ 20 tokens\.\n$/,
    );
  });
});

describe("what a run without an editor keeps and follows", () => {
  it("never lets its key into its log or onto its output", async () => {
    server().plan(
      WRITE,
      calling("read_file", { filename: "note.txt" }),
      calling("write_to_file", { filename: "key.txt", contents: "it is a-test-key" }),
      FINISH,
    );
    const { stdout } = await headless(await setting(), ...TASK, "--continuous", "9", "--json");
    assert.equal(stdout.includes("a-test-key"), false);
  });

  it("follows a profile, whose budget counts where it is smaller", async () => {
    server().plan(FINISH);
    const place = await setting();
    const profile = join(place.data, "p.yaml");
    await writeFile(profile, "ai_name: Ann\nai_role: a roofer\nai_goals: [Mend it]\napi_budget: $0.50\n");
    const { events } = await headless(place, ...TASK, "--profile", profile, "--continuous", "9", "--json");
    const [started] = ofType(events, "started");
    assert.deepEqual([started?.profile.name, started?.limits.usd, started?.id.includes("_ann_")], ["Ann", 0.5, true]);
  });
});

describe("a run without an editor that cannot begin", () => {
  it("says that there is no such folder", async () => {
    await assert.rejects(
      headless(await setting({ workspace: "/no/such/folder" }), ...TASK),
      (error) => error instanceof UsageError && error.message.startsWith("There is no folder /no/such/folder."),
    );
  });

  it("says what is wrong with the profile", async () => {
    await assert.rejects(
      headless(await setting(), ...TASK, "--profile", "/none.yaml"),
      /There(?: is|'s) no profile \/none\.yaml/,
    );
  });

  it("says that there is no such run", async () => {
    await assert.rejects(
      headless(await setting(), "--resume", "20260102_030405_a_0a1b"),
      /There(?: is|'s) no run "20260102_030405_a_0a1b" here/,
    );
  });
});

describe("a run without an editor that cannot continue", () => {
  it("ends as failed when the model cannot be used", async () => {
    server().plan(refusal(401, "Incorrect API key provided", { code: "invalid_api_key" }));
    const { end, stderr } = await headless(await setting(), ...TASK);
    assert.deepEqual([end.reason, stderr.includes("a-test-key")], ["failed", false]);
  });

  it("ends as failed when the disk is full, and says what to do though its log cannot", async () => {
    const disk = { isFull: false };
    server().plan(() => {
      disk.isFull = true;
      return FINISH;
    });
    const place = await setting();
    const run = () => headless(place, ...TASK, "--continuous", "9", "--json");
    const { end, stderr } = await onFaultyDisk("ENOSPC", /run\.jsonl$/, run, () => disk.isFull);
    const told = /^The disk is full.* Free some space.* To continue this run: --resume \S+$/m;
    assert.deepEqual([getExitCode({ kind: "run", end }), told.test(stderr)], [4, true]);
  });

  it("ends as stuck when the model never replies in form", async () => {
    server().plan(saying("I would rather talk."));
    const { end } = await headless(await setting(), ...TASK);
    assert.equal(end.reason, "stuck");
  });

  it("ends as stopped in the middle of a reply, at once", async () => {
    const controller = new AbortController();
    server().plan(() => {
      controller.abort(new Error("The run was stopped."));
      return { pieces: ["hang!"] };
    });
    const { end, events } = await headless(await setting({ signal: controller.signal }), ...TASK, "--json");
    assert.deepEqual([end, types(events)], [{ reason: "stopped" }, "started asked over"]);
  });
});

describe("a stored run", () => {
  it("resumes where it ended", async () => {
    const place = await setting();
    server().plan(calling("list_files"), refusal(401, "Incorrect API key", { code: "invalid_api_key" }));
    const first = await headless(place, ...TASK, "--json");
    const id = ofType(first.events, "started")[0]?.id ?? "";
    server().plan(FINISH);
    const second = await headless(place, "--resume", id, "--continuous", "3", "--json");
    assert.deepEqual(
      [first.end.reason, second.end.reason, types(second.events), second.events[0]?.seq],
      ["failed", "finished", "changed resumed asked replied decided began ended over", first.events.length],
    );
  });

  it("that is finished resumes only for a new task", async () => {
    const place = await setting();
    server().plan(FINISH);
    const first = await headless(place, ...TASK, "--continuous", "3", "--json");
    const id = ofType(first.events, "started")[0]?.id ?? "";
    const asked = server().requests.length;
    const again = await headless(place, "--resume", id, "--json");
    const more = await headless(place, "--resume", id, "--task", "And the cellar?", "--continuous", "3", "--json");
    assert.deepEqual(
      [again.end, again.stdout, server().requests.length - asked, types(more.events)],
      [first.end, "", 1, "said resumed asked replied decided began ended over"],
    );
  });

  it("of another machine can only be read", async () => {
    const place = await setting();
    server().plan(FINISH);
    const first = await headless(place, ...TASK, "--continuous", "3", "--json");
    const id = ofType(first.events, "started")[0]?.id ?? "";
    await assert.rejects(
      headless({ ...place, data: await tempFolder() }, "--resume", id, "--task", "more"),
      /Another machine or user wrote this run/,
    );
  });
});

describe("a run on a terminal", () => {
  it("asks, showing all that would be done, and does what was approved", async () => {
    server().plan(WRITE, FINISH);
    const place = await setting({ typed: ["y", "y"] });
    const { end, stderr } = await headless(place, ...TASK, "--json");
    assert.deepEqual([end.reason, /New file note\.txt:[\s\S]+\+hello/.test(stderr)], ["finished", true]);
  });

  it("approves the next N, this one included", async () => {
    const write = (name: string) => calling("write_to_file", { filename: name, contents: name });
    server().plan(write("a"), write("b"), write("c"), FINISH);
    const place = await setting({ typed: ["y -2", "n enough", "y"] });
    const { events } = await headless(place, ...TASK, "--json");
    assert.deepEqual(
      ofType(events, "decided").map(({ by, allow }) => `${by} ${allow}`),
      ["user true", "grant true", "user false", "rule true"],
    );
  });

  it("passes on what is typed as feedback, and asks again when it is unclear", async () => {
    server().plan(WRITE, FINISH);
    const { events, stderr } = await headless(
      await setting({ typed: ["", "y -x", "use tabs", "y"] }),
      ...TASK,
      "--json",
    );
    assert.deepEqual(
      [outcomes(events)[0], stderr.match(/Nothing was typed|Write "y -N"/g)],
      ["1 refused: The user says: use tabs", ["Nothing was typed", 'Write "y -N"']],
    );
  });
});

describe("a run without an editor in a small window", () => {
  it("is offered the commands that fit, in the form that takes least, and finds the others", async () => {
    server().plan(saying('{"thoughts": {}, "command": {"name": "task_complete", "args": {"reason": "Ok."}}}'));
    const before = server().requests.length;
    const argv = ["--continuous", "9", "--set", "model.contextWindow=4096"];
    const { end, stderr } = await headless(await setting({ typed: [] }), ...TASK, ...argv);
    const { messages, tools, response_format: format } = server().requests[before]?.body ?? {};
    const offered = [...messages[0].content.matchAll(/^- (\w+):/gm)].map(([, name]) => name);
    assert.deepEqual(
      {
        ...{ end: end.reason, offered, tools, format: format.type },
        said: /^The window of fake, 4,096 tokens, has no room for all commands\. .*git_log/m.test(stderr),
      },
      {
        ...{ end: "finished", tools: undefined, format: "json_schema", said: false },
        offered: [
          ...["read_file", "write_to_file", "edit_file", "list_files", "search_files"],
          ...["execute_shell", "ask_user", "update_plan", "find_tools", "task_complete"],
        ],
      },
    );
  });
});

describe("a word on a terminal", () => {
  it("lets the agent criticise itself, executing nothing", async () => {
    server().plan(WRITE, saying("You have not looked first."), FINISH);
    const place = await setting({ typed: ["s", "y"] });
    const { events } = await headless(place, ...TASK, "--json");
    assert.deepEqual(
      [
        types(events.slice(2, 7)),
        ofType(events, "said")[0]?.text,
        (await readdir(place.workspace)).includes("note.txt"),
      ],
      ["replied spent said decided ended", "You have not looked first.", false],
    );
  });

  it("is asked for again where the criticism cannot be had, with the reason", async () => {
    server().plan(WRITE, refusal(401, "No."), FINISH);
    const place = await setting({ typed: ["s", "leave it", "y"] });
    const { end, events, stderr } = await headless(place, ...TASK, "--json");
    assert.deepEqual(
      [end.reason, outcomes(events)[0], stderr.includes("rejected the API key")],
      ["stuck", "1 refused: The user says: leave it", true],
    );
  });

  it("answers the agent's questions", async () => {
    server().plan(calling("ask_user", { question: "Which?" }), FINISH);
    const { events } = await headless(await setting({ typed: ["the left one", "y"] }), ...TASK, "--json");
    assert.match(outcomes(events)[0] ?? "", /the left one/);
  });

  it("knows the commands that are always approved by their older names, and says which it does not know", async () => {
    server().plan(WRITE, FINISH);
    const { end, events, stderr } = await headless(
      await setting(),
      ...[...TASK, "--json", "--yes-to", "write_file,finish,dance"],
    );
    assert.deepEqual(
      [end.reason, ofType(events, "decided").map(({ by, rule }) => `${by} ${rule}`), stderr],
      [
        "finished",
        ["rule --yes-to write_to_file", "rule --yes-to task_complete"],
        '--yes-to names "dance", which is no command that is offered here.\n',
      ],
    );
  });

  it("refuses what is left once the terminal is closed", async () => {
    server().plan(WRITE, FINISH, saying("no more"));
    const { end, events } = await headless(
      await setting({ typed: [] }),
      ...TASK,
      "--yes-to",
      "task_complete",
      "--json",
    );
    assert.deepEqual([end.reason, outcomes(events)[0]?.includes("No one is available to approve it")], ["stuck", true]);
  });
});
