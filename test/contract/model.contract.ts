import assert from "node:assert/strict";
import type { Model } from "../../src/core/ports/model.ts";
import { HELLO, Listener, WITH_TOOLS } from "../support/completing.ts";

/** What a model under test is to reply, and how fast. */
export interface PlannedReply {
  readonly say:
    | { readonly text: string }
    | { readonly call: { readonly name: string; readonly args: Readonly<Record<string, unknown>> } };
  readonly pace: "at once" | "never begins" | "never ends";
}

export interface ModelUnderTest {
  /** A model that will reply so. */
  model(reply: PlannedReply): Model;
  /** Whether its completions tell how many tokens were used. */
  readonly countsTokens: boolean;
  close(): Promise<void>;
}

const TEXT = 'Good morning, Zoë! 👋 "Quotes", \\backslashes\\ and\nlines.';
const CALL = { name: "read_file", args: { filename: "src/größe.ts" } };

/** What every `Model` promises. */
export function modelContract(name: string, open: () => Promise<ModelUnderTest>): void {
  describe(`model: ${name}`, () => {
    let under: ModelUnderTest;

    beforeEach(async () => {
      under = await open();
    });
    afterEach(() => under.close());

    describesItself(() => under);
    replies(() => under);
    stops(() => under);
  });
}

function describesItself(under: () => ModelUnderTest): void {
  it("reports its name, its window and its formats", () => {
    const model = under().model({ say: { text: TEXT }, pace: "at once" });
    assert.deepEqual([model.name !== "", model.contextWindow > 0, model.formats.at(-1)], [true, true, "text"]);
  });

  it("counts tokens where its server does, and names the model that replied", async () => {
    const { usage, model } = await under()
      .model({ say: { text: TEXT }, pace: "at once" })
      .complete(HELLO, new Listener());
    assert.deepEqual(
      { counted: usage !== undefined && usage.input > 0 && usage.output > 0, named: model !== "" },
      { counted: under().countsTokens, named: true },
    );
  });
}

function replies(under: () => ModelUnderTest): void {
  it("streams text in deltas that make up the whole text", async () => {
    const listener = new Listener();
    const { text, calls, finish } = await under()
      .model({ say: { text: TEXT }, pace: "at once" })
      .complete(HELLO, listener);
    assert.deepEqual(
      { text, calls, finish, streamed: listener.text, pieces: listener.deltas.length > 1 },
      { text: TEXT, calls: [], finish: "stop", streamed: TEXT, pieces: true },
    );
  });

  it("gives exactly the one call, and streams its arguments", async () => {
    const listener = new Listener();
    const { calls, finish } = await under()
      .model({ say: { call: CALL }, pace: "at once" })
      .complete(WITH_TOOLS, listener);
    const told = calls.map((call) => ({
      name: call.name,
      args: JSON.parse(call.arguments),
      named: call.id !== "",
    }));
    assert.deepEqual(
      {
        told,
        finish,
        streamed: listener.text,
        kinds: [...new Set(listener.deltas.map(({ kind }) => kind))],
      },
      {
        told: [{ ...CALL, named: true }],
        finish: "tool_calls",
        streamed: calls[0]?.arguments,
        kinds: ["call"],
      },
    );
  });

  it("replies to two requests at once", async () => {
    const model = under().model({ say: { text: TEXT }, pace: "at once" });
    const both = await Promise.all([model.complete(HELLO, new Listener()), model.complete(HELLO, new Listener())]);
    assert.deepEqual(
      both.map(({ text }) => text),
      [TEXT, TEXT],
    );
  });
}

function stops(under: () => ModelUnderTest): void {
  it("does not begin once it was stopped", async () => {
    const listener = new Listener(AbortSignal.abort(new Error("Enough.")));
    await assert.rejects(
      under()
        .model({ say: { text: TEXT }, pace: "at once" })
        .complete(HELLO, listener),
      {
        message: "Enough.",
      },
    );
  });

  it("stops while nothing has come yet", async () => {
    const stop = new AbortController();
    const model = under().model({ say: { text: TEXT }, pace: "never begins" });
    const completing = model.complete(HELLO, new Listener(stop.signal));
    setTimeout(() => stop.abort(new Error("Enough.")), 50);
    await assert.rejects(completing, { message: "Enough." });
  });

  it("stops in the middle of a reply", async () => {
    const stop = new AbortController();
    const model = under().model({ say: { text: TEXT }, pace: "never ends" });
    const completing = model.complete(HELLO, {
      signal: stop.signal,
      delta: () => stop.abort(new Error("Enough.")),
    });
    await assert.rejects(completing, { message: "Enough." });
  });
}
