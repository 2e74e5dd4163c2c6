import assert from "node:assert/strict";
import { rebuildStepPrompt } from "../../../../src/core/prompt/prompt.ts";
import { type ExportFormat, exportRun } from "../../../../src/runs/export/export-run.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import { calls, says } from "../../../support/fake-model.ts";
import { deciding, rehearsal, rehearse } from "../../../support/rehearsal.ts";

const KEY = "my-own-secret-key-1234";

/** A run with a step that was done, one that was refused, one that broke and one that ended it. */
async function sample(): Promise<readonly AgentEvent[]> {
  const { live, run, log } = await rehearsal({
    answers: [
      calls("write_note", { title: "<b>first</b>", text: "```\nfence" }),
      calls("write_note", { title: "second" }),
      says("break_note", { title: "third" }),
      says("task_complete", { title: `Done with ${KEY}.` }),
    ],
    approver: deciding({ allow: true }, { allow: false, feedback: "Not that one." }),
  });
  live.resume();
  await live.end;
  await run.record({ type: "undone", step: 1, files: ["note.txt"] });
  await run.record({ type: "reviewed", what: "branch", files: ["b"], branch: "auto", conflicts: ["c"] });
  return log.events;
}

const texts = async (format: ExportFormat): Promise<string> =>
  exportRun(await sample(), format, [KEY])
    .map(({ text }) => text)
    .join("\n");

describe("an exported run", () => {
  it("reports in Markdown what was done, refused and undone, in fences that hold", async () => {
    const text = await texts("markdown");
    const found = [
      "# Tidy the notes.",
      "### Step 1: write_note (done)",
      "````text\ntitle: <b>first</b>\ntext: ```\nfence\n````",
      "### Step 2: write_note (refused)",
      "### Step 3: break_note (failed)",
      "> Step 1 was undone: note.txt.",
      "> The changes of the isolated run were committed to the branch auto: b. Conflicts: c.",
    ].filter((part) => !text.includes(part));
    assert.deepEqual(found, []);
  });

  it("is one HTML page that loads and runs nothing, with everything escaped", async () => {
    const text = await texts("html");
    assert.deepEqual(
      [
        text.includes("<b>first"),
        text.includes("&lt;b&gt;first"),
        /<script|src=|href=/i.test(text),
        text.includes("default-src 'none'"),
      ],
      [false, true, false, true],
    );
  });

  it("lists the pages that its answer may rest on, with their quotes", async () => {
    const events = await sample();
    const pages = [{ url: "https://a.example/", title: "<Sea>", quotes: ["It *is* blue."] }];
    const read = events.map((event) =>
      event.type === "over" && event.end.reason === "finished" ? { ...event, end: { ...event.end, pages } } : event,
    );
    const [markdown = "", html = "", without = ""] = [
      exportRun(read, "markdown"),
      exportRun(read, "html"),
      exportRun(events, "markdown"),
    ].map(([file]) => file?.text);
    assert.deepEqual(
      [
        markdown.includes("## Sources\n\n- \\<Sea\\>: https://a.example/\n\n  > It \\*is\\* blue."),
        html.includes(
          "<h2>Sources</h2>\n<ul><li>&lt;Sea&gt;: https://a.example/<blockquote>It *is* blue.</blockquote></li></ul>",
        ) || html.slice(html.indexOf("<h2>Sources"), html.indexOf("<h2>Steps")),
        without.includes("Sources"),
      ],
      [true, true, false],
    );
  });

  it("has all calls of a step with their outcomes", async () => {
    const call = (name: string) => ({ name, args: { title: `<${name}>` } });
    const events = (await sample()).map((event): AgentEvent => {
      if (event.type === "replied" && event.step === 1 && event.reply.kind === "proposal")
        return { ...event, reply: { ...event.reply, also: [call("read_note")] } };
      return event.type === "ended" && event.step === 1
        ? { ...event, also: [{ status: "failed", error: "<no ink>" }] }
        : event;
    });
    const [markdown = "", html = ""] = (["markdown", "html"] as const).map((format) =>
      exportRun(events, format, [])
        .map(({ text }) => text)
        .join("\n"),
    );
    assert.deepEqual(
      [
        markdown.includes(
          "Also: read\\_note\n\n```text\ntitle: <read_note>\n```\n\nOutcome:\n\n```text\n<no ink>\n```",
        ),
        html.includes("<p>Also: read_note</p><pre>title: &lt;read_note&gt;</pre>"),
        html.includes("<pre>&lt;no ink&gt;</pre>"),
      ],
      [true, true, true],
    );
  });

  it("holds no secret and no id of the machine, in any format", async () => {
    const formats: readonly ExportFormat[] = [
      "markdown",
      "html",
      "json",
      "debugLog",
      "fineTuning",
      "fineTuningLasting",
    ];
    const all = await Promise.all(formats.map(texts));
    assert.deepEqual(
      all.map((text) => text.includes(KEY) || text.includes("machine-1")),
      formats.map(() => false),
    );
  });
});

describe("an exported run for other programs", () => {
  it("has a folder for each cycle in the classic debug layout, with the very prompts", async () => {
    const events = await sample();
    const files = exportRun(events, "debugLog");
    const names = files.slice(0, 4).map(({ name }) => name);
    const context = files.find(({ name }) => name === "001/1_current_context.json")?.text ?? "";
    const inputs = files.filter(({ name }) => name.endsWith("3_user_input.txt")).map(({ text }) => text);
    assert.deepEqual(
      [names, JSON.parse(context), inputs.slice(0, 2), files.length],
      [
        [
          "000/0_full_message_history.json",
          "000/1_current_context.json",
          "000/2_next_action.json",
          "000/3_user_input.txt",
        ],
        JSON.parse(JSON.stringify(rebuildStepPrompt(events, 2)?.messages)),
        ['"GENERATE NEXT COMMAND JSON"', '"Not that one."'],
        16,
      ],
    );
  });

  it("gives to learn from only the steps that were approved and succeeded", async () => {
    const examples = (await texts("fineTuning"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const learnt = examples.map(({ messages }) =>
      messages
        .filter(({ weight }: { weight?: number }) => weight === 1)
        .map(({ content, tool_calls }: { content: string; tool_calls?: readonly { function: object }[] }) =>
          tool_calls ? Object.keys(tool_calls[0]?.function ?? {}) : /task_complete/.test(content),
        ),
    );
    assert.deepEqual(learnt, [[["name", "arguments"]], [true]]);
  });

  it("leaves out undone and repeated steps on request, and keeps redone ones", async () => {
    const look = says("read_note", { title: "a" });
    const { log } = await rehearse({
      answers: [
        look,
        look,
        says("read_note", { title: "b" }),
        says("read_note", { title: "c" }),
        says("task_complete", { title: "." }),
      ],
    });
    const at = log.events.at(-1)?.at ?? "";
    const undone = (step: number, more: object = {}) => ({
      type: "undone" as const,
      step,
      files: [],
      ...more,
    });
    const more = [undone(3), undone(4), undone(4, { redone: true })];
    const events = [...log.events, ...more.map((event, i) => ({ ...event, at, seq: log.events.length + i }))];
    const learnt = (format: ExportFormat) =>
      (exportRun(events, format)[0]?.text ?? "")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(JSON.parse(line).messages.at(-1).content).command.args.title);
    assert.deepEqual(
      { all: learnt("fineTuning"), lasting: learnt("fineTuningLasting") },
      { all: ["a", "a", "b", "c", "."], lasting: ["a", "c", "."] },
    );
  });
});
