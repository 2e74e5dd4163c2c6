import assert from "node:assert/strict";
import { requestTokens } from "../../../../src/core/context/tokens.ts";
import { type Model, ModelError, type ReplyFormat } from "../../../../src/core/ports/model.ts";
import { rebuildStepPrompt } from "../../../../src/core/prompt/prompt.ts";
import { FormatChoice } from "../../../../src/core/reply/formats.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import { type Sentence, writeInEnglish } from "../../../../src/texts/display-text.ts";
import { calls, FakeModel, says } from "../../../support/fake-model.ts";
import { ofType, rehearse, types } from "../../../support/rehearsal.ts";

const FINISH = says("task_complete", { title: "Done." });
const look = (title: string) => says("read_note", { title });

describe("a reply that breaks off", () => {
  it("is asked for once more, with a word about it, in the same step", async () => {
    const { log, model } = await rehearse({ answers: [{ text: '{"command": {', finish: "stop" }, FINISH] });
    assert.deepEqual(
      [
        types(log.events.slice(1, 6)),
        ofType(log.events, "asked").map(({ step, tail }) => [step, tail.remarks.length]),
        model.requests.length,
      ],
      [
        "asked replied asked replied decided",
        [
          [1, 0],
          [1, 1],
        ],
        2,
      ],
    );
  });

  it("is unreadable the second time, and never executed", async () => {
    const cut = { ...look("a"), finish: "length" };
    const { log, deeds } = await rehearse({ answers: [cut, cut, FINISH] });
    assert.deepEqual([types(log.events.slice(1, 7)), deeds], ["asked replied asked replied ended asked", ["finish"]]);
  });

  it("costs what it costs, both times", async () => {
    const { run } = await rehearse({ answers: [{ ...look("a"), finish: "" }, FINISH] });
    assert.deepEqual([run.state.totals.input, run.state.totals.steps], [200, 1]);
  });
});

describe("news for the model", () => {
  it("is a remark in the tail of the next prompt, and is read once a reply has come, not before", async () => {
    let news = ["a.ts:3: error: No such name."];
    const read: number[] = [];
    const model = new FakeModel([new ModelError("format", "No tools."), look("a"), FINISH], ["tools", "text"]);
    const { log } = await rehearse({
      answers: [],
      model,
      thinking: {
        collectNews: () => ({
          remarks: news,
          read: () => {
            read.push(model.requests.length);
            news = [];
          },
        }),
      },
    });
    const told = model.requests.map(({ messages }) => JSON.stringify(messages.at(-1)).includes("No such name."));
    const again = rebuildStepPrompt(log.events, 1)?.messages;
    assert.deepEqual(
      { told, read, rebuilt: JSON.stringify(again) === JSON.stringify(model.requests[1]?.messages) },
      { told: [true, true, false], read: [2, 3], rebuilt: true },
    );
  });
});

describe("a reply that isn't in the described form", () => {
  const remarksOf = (events: readonly AgentEvent[]) => ofType(events, "asked").map(({ tail }) => tail.remarks);
  const bare = (title: string) => ({
    text: JSON.stringify({ command: { name: "read_note", args: { title } } }),
  });

  it("is pointed out in the next prompt, but no longer if that never helps", async () => {
    const { log } = await rehearse({
      answers: [bare("a"), look("b"), bare("c"), bare("d"), bare("e"), bare("f"), look("g"), FINISH],
    });
    const told = ['Your last reply was understood, but not in the described form: "thoughts" is missing.'];
    assert.deepEqual(remarksOf(log.events), [[], told, [], told, told, told, [], []]);
  });
});

describe("the reply format", () => {
  const refused = new ModelError("format", "No tools here.");

  it("changes for good when the server refuses it", async () => {
    const model = new FakeModel([refused, refused, look("a"), FINISH], ["tools", "jsonSchema", "text"]);
    const { log, end } = await rehearse({ answers: [], model });
    assert.deepEqual(
      [ofType(log.events, "asked").map(({ format }) => format), end.reason],
      [["tools", "jsonSchema", "text", "text"], "finished"],
    );
  });

  it("is named with the reason when another one works", async () => {
    const notices: string[] = [];
    const notice = (text: Sentence, kind?: string): void => void notices.push(`${kind}: ${writeInEnglish(text)}`);
    const unread = Array.from({ length: 2 }, () => ({ text: "No." }));
    const model = new FakeModel([refused, ...unread, look("a"), FINISH], ["tools", "jsonSchema", "text"]);
    await rehearse({ answers: [], model, thinking: { notice } });
    assert.deepEqual(notices, [
      "warning: The model replies with JSON that follows a schema from now on. No tools here.",
      "warning: Two replies in a row couldn't be read, so the model replies with JSON in plain text from now on. Choose another model, or change autogpt.model.replyFormat.",
    ]);
  });

  it("is text in the end, and then its refusal ends the run", async () => {
    const { end } = await rehearse({ answers: [refused] });
    assert.deepEqual(end, { reason: "failed", error: "No tools here." });
  });

  it("of tools offers tools and takes calls", async () => {
    const model = new FakeModel([calls("task_complete", { title: "Done." })], ["tools"]);
    const { end } = await rehearse({ answers: [], model });
    assert.deepEqual(
      [end.reason, model.requests[0]?.tools?.length, model.requests[0]?.schema],
      ["finished", 7, undefined],
    );
  });
});

describe("an error that the server does not explain", () => {
  const strange = new ModelError("other", "It didn't work.", { isUnexplained: true });
  const all = ["tools", "jsonSchema", "text"] as const;

  it("has the next format tried before the run ends, and that stays if it works", async () => {
    const model = new FakeModel([strange, strange, look("a"), FINISH], all);
    const { log, end } = await rehearse({ answers: [], model });
    assert.deepEqual(
      [ofType(log.events, "asked").map(({ format }) => format), end.reason],
      [["tools", "jsonSchema", "text", "text"], "finished"],
    );
  });

  it("is what the run ends with when no format works, and none is given up for it", async () => {
    const model = new FakeModel([strange, strange, new ModelError("other", "Last.", { isUnexplained: true })], all);
    const formats = new FormatChoice(all);
    const { end } = await rehearse({ answers: [], model, thinking: { formats } });
    assert.deepEqual([end, formats.current], [{ reason: "failed", error: "It didn't work." }, "tools"]);
  });
});

describe("replies that cannot be read", () => {
  const babble = { text: "I would rather talk.", finish: "stop" };
  const formatsAsked = async (...answers: readonly object[]) => {
    const model = new FakeModel([...answers, FINISH], ["tools", "jsonSchema", "text"]);
    const { log } = await rehearse({ answers: [], model });
    return ofType(log.events, "asked").map(({ format }) => format);
  };

  it("twice in a row, in a format that nothing enforces, have the next one used", async () => {
    assert.deepEqual(await formatsAsked(babble, babble, look("a"), babble), [
      "tools",
      "tools",
      "jsonSchema",
      "jsonSchema",
      "jsonSchema",
    ]);
  });

  it("that a filter withheld say nothing of the format", async () => {
    const withheld = { text: "", finish: "content_filter" };
    assert.deepEqual(await formatsAsked(withheld, withheld), ["tools", "tools", "tools"]);
  });
});

describe("a prompt that does not fit", () => {
  const tooLong = new ModelError("context", "Too long.");

  const windows = (events: readonly AgentEvent[]) => ofType(events, "changed").map(({ model }) => model);

  it("is shortened when the server says so, and the run remembers a smaller window", async () => {
    const { log, end } = await rehearse({ answers: [look("a"), look("b"), look("c"), tooLong, FINISH] });
    const [window] = windows(log.events);
    assert.deepEqual(
      {
        isFolded: ofType(log.events, "compacted").length > 0,
        statedWindow: window?.statedWindow,
        isSmaller: (window?.contextWindow ?? 0) < 2_000,
        end: end.reason,
      },
      { isFolded: true, statedWindow: 32_000, isSmaller: true, end: "finished" },
    );
  });

  it("makes the run adopt the window that the server reports", async () => {
    const told = new ModelError("context", "Too long.", { window: 6_000, promptTokens: 9_000 });
    const { log, model } = await rehearse({ answers: [told, FINISH] });
    assert.deepEqual(
      [windows(log.events), model.requests.map(({ maxReplyTokens }) => maxReplyTokens)],
      [[{ smart: "fake", fast: "fake", contextWindow: 6_000, statedWindow: 32_000 }], [8_000, 1_500]],
    );
  });

  it("ends the run with advice when that did not help", async () => {
    const { end } = await rehearse({ answers: [look("a"), look("b"), look("c"), tooLong, tooLong] });
    assert.deepEqual(end, {
      reason: "failed",
      error:
        "The prompt does not fit into fake even after it was shortened. Choose a model with a larger context window, or set autogpt.model.contextWindow to its real size.",
      text: { code: "trouble.promptTooLongShortened", parameters: { name: "fake" } },
    });
  });

  it("ends the run with the same advice when there is nothing to shorten", async () => {
    const { end } = await rehearse({ answers: [tooLong] });
    assert.match(end.reason === "failed" ? end.error : "", /even after it was shortened/);
  });

  it("is never sent: older steps are folded before the window is full", async () => {
    const answers = [..."abcdefgh"].map((letter) => look(letter.repeat(1500)));
    const model = new FakeModel([...answers, FINISH], ["text"], 6000);
    const { log } = await rehearse({ answers: [], model });
    const longest = Math.max(...model.requests.map((request) => requestTokens(request)));
    assert.deepEqual([ofType(log.events, "compacted").length > 0, longest < 6000], [true, true]);
  });
});

describe("thinking", () => {
  it("leaves room for the reply, and passes the temperature on where there is one", async () => {
    const { model } = await rehearse({ answers: [FINISH], thinking: { temperature: 0.5 } });
    const { model: plain } = await rehearse({ answers: [FINISH] });
    assert.deepEqual(
      [model, plain].map(({ requests: [request] }) => [request?.maxReplyTokens, request?.temperature]),
      [
        [8000, 0.5],
        [8000, undefined],
      ],
    );
  });

  it("puts memories into the prompt and into the log", async () => {
    const memory = { text: "Under the mat.", source: "run 1", score: 1 };
    const { log, model } = await rehearse({ answers: [FINISH], thinking: { recall: async () => [memory] } });
    assert.deepEqual(
      [
        ofType(log.events, "asked")[0]?.tail.recalled,
        model.requests[0]?.messages.at(-1)?.content.includes("Under the mat."),
      ],
      [[memory], true],
    );
  });

  it("hands on what streams and what is noticed", async () => {
    const heard: unknown[] = [];
    const model = new FakeModel([
      async (_, completing) => {
        completing.notice?.("slow server");
        completing.delta?.({ kind: "text", text: "{" });
        return FINISH;
      },
    ]);
    await rehearse({
      answers: [],
      model,
      thinking: {
        reportDelta: (step, delta) => heard.push([step, delta]),
        notice: (text) => heard.push(text),
      },
    });
    assert.deepEqual(heard, ["slow server", [1, { kind: "text", text: "{" }]]);
  });

  it("lets any other error of the model end an impatient run", async () => {
    const { end } = await rehearse({ answers: [new ModelError("setup", "There is no key. Set one.")] });
    assert.deepEqual(end, { reason: "failed", error: "There is no key. Set one." });
  });

  it("takes a bug for a crash, not for trouble with the model", async () => {
    const broken: Pick<Model, "complete"> = { complete: async () => JSON.parse("{") };
    const model = Object.assign(new FakeModel([]), broken);
    const { end } = await rehearse({ answers: [], model });
    assert.equal(end.reason, "crashed");
  });
});

describe("a server that states ever smaller windows", () => {
  const refusing = (formats: readonly ReplyFormat[], less: number) => {
    let window = 48_000;
    return new FakeModel(
      [
        async () => {
          window -= less;
          throw new ModelError("context", "Too long.", { window });
        },
      ],
      formats,
      48_000,
    );
  };

  it("is asked six times, and no more", async () => {
    const model = refusing(["text"], 1_000);
    const { end } = await rehearse({ answers: [], model });
    assert.deepEqual({ reason: end.reason, requests: model.requests.length }, { reason: "failed", requests: 6 });
  });

  it("is asked without tools once its window is small", async () => {
    const model = refusing(["tools", "text"], 8_000);
    await rehearse({ answers: [], model });
    assert.deepEqual(
      model.requests.slice(0, 4).map(({ tools }) => tools !== undefined),
      [true, true, true, false],
    );
  });
});
