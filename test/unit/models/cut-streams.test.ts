import assert from "node:assert/strict";
import fc from "fast-check";
import { readReply } from "../../../src/core/reply/read-reply.ts";
import type { Call } from "../../../src/core/reply/reply.ts";
import { plainModel, reply, WITH_TOOLS } from "../../support/completing.ts";
import { chunk, type ServerAnswer, serverForSuite, usage } from "../../support/fake-model-server.ts";
import { skipWithout } from "../../support/skips.ts";

/** More of them by hand: STREAM_RUNS=20000. */
const RUNS = Number(process.env.STREAM_RUNS ?? 200);

const TEXTS = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "ü💡",
        "漢字",
        '"',
        "\\",
        "{",
        "}",
        "</think>",
        "data: x",
        "\n\n",
        "\r\n",
        "[DONE]",
        "\u2028",
        ": ",
      ),
      fc.string({ maxLength: 4, unit: "binary" }),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join("").toWellFormed());

const CALL: fc.Arbitrary<Call> = fc.record({
  name: fc.constantFrom("read_file", "write_to_file", "list_files"),
  args: fc.dictionary(fc.constantFrom("filename", "contents", "folder"), TEXTS),
});

/** Cuts a text into pieces of these sizes. */
function cut<T extends string | Uint8Array>(whole: T, sizes: readonly number[]): T[] {
  const pieces: T[] = [];
  for (let at = 0, turn = 0; at < whole.length; turn++) {
    const end = at + (sizes[turn % sizes.length] ?? 1);
    pieces.push(whole.slice(at, end) as T);
    at = end;
  }
  return pieces;
}

const SIZES = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });

/** How a server writes the pieces of calls. */
const DIALECT = fc.record({
  index: fc.constantFrom("plain", "none", "first", "later", "all 0", "from 1", "shifted"),
  id: fc.constantFrom("first", "every", "none", "same", "empty later"),
  name: fc.constantFrom("first", "every", "null later"),
  beginsEmpty: fc.boolean(),
  hasType: fc.boolean(),
  sealsLast: fc.boolean(),
});
type Dialect = typeof DIALECT extends fc.Arbitrary<infer D> ? D : never;

function indexOf(kind: Dialect["index"], call: number, piece: number): object {
  const isFirst = piece === 0;
  if (kind === "none" || (kind === "first" && !isFirst) || (kind === "later" && isFirst)) return {};
  if (kind === "all 0") return { index: 0 };
  return { index: call + (kind === "from 1" || (kind === "shifted" && !isFirst) ? 1 : 0) };
}

function idOf(kind: Dialect["id"], call: number, isFirst: boolean): object {
  if (kind === "none") return {};
  if (!isFirst && kind !== "every") return kind === "empty later" ? { id: "" } : {};
  return { id: kind === "same" ? "x1" : `call_${call}` };
}

/** The pieces of a call, in the order in which they come. */
function piecesOf({ name, args }: Call, at: number, dialect: Dialect, sizes: readonly number[]): object[] {
  const written = [...(dialect.beginsEmpty ? [""] : []), ...cut(JSON.stringify(args), sizes)];
  const pieces = written.map((part, piece) => {
    const named = piece === 0 || dialect.name === "every" ? { name } : dialect.name === "first" ? {} : { name: null };
    return {
      ...indexOf(dialect.index, at, piece),
      ...idOf(dialect.id, at, piece === 0),
      ...(dialect.hasType ? { type: "function" } : {}),
      function: { ...named, arguments: part },
    };
  });
  const seal = { extra_content: { google: { thought_signature: `seal ${at}` } } };
  return dialect.sealsLast ? [...pieces, { ...indexOf(dialect.index, at, 1), ...seal }] : pieces;
}

/** How a server writes the stream itself. */
const WIRE = fc.record({
  end: fc.constantFrom("\n", "\r\n"),
  label: fc.constantFrom("data: ", "data:", "event: message\ndata: "),
  between: fc.array(fc.constantFrom("", ": keep-alive\n\n", "\n", ":\n\n"), { minLength: 1, maxLength: 3 }),
  usage: fc.constantFrom("none", "own", "each", "null"),
  begin: fc.constantFrom("none", "role", "no choices", "null choices"),
  finishesLate: fc.boolean(),
  done: fc.boolean(),
  sizes: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 4 }),
});
type Wire = typeof WIRE extends fc.Arbitrary<infer W> ? W : never;

const BEGIN: Readonly<Record<string, readonly object[]>> = {
  role: [chunk({ role: "assistant", content: "" })],
  "no choices": [{ model: "served-model", choices: [] }],
  "null choices": [{ model: "served-model", choices: null }],
};
const USED = { usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 } };

function answerOf(deltas: readonly object[], finish: string, wire: Wire): ServerAnswer {
  const more = wire.usage === "each" ? USED : wire.usage === "null" ? { usage: null } : {};
  const last = deltas.length - 1;
  const chunks = [
    ...(BEGIN[wire.begin] ?? []),
    ...deltas.map((delta, at) => chunk(delta, !wire.finishesLate && at === last ? finish : null, more)),
    ...(wire.finishesLate ? [chunk({}, finish, more)] : []),
    ...(wire.usage === "own" ? [usage(12, 3)] : []),
  ];
  const events = [...chunks.map((one) => JSON.stringify(one)), ...(wire.done ? ["[DONE]"] : [])];
  const text = events
    .map((data, at) => `${wire.between[at % wire.between.length] ?? ""}${wire.label}${data}\n\n`)
    .join("")
    .replaceAll("\n", wire.end);
  return { pieces: cut(new TextEncoder().encode(text), wire.sizes) };
}

/** The deltas of a reply in text, or of text beside calls. */
function saidIn(text: string, field: string, sizes: readonly number[]): object[] {
  return cut(text, sizes).map((part) => ({ [field]: part }));
}

const REPLY = fc.record({
  calls: fc.array(CALL, { minLength: 1, maxLength: 3 }),
  words: TEXTS,
  inText: fc.boolean(),
  reasoning: fc.constantFrom("none", "reasoning_content", "reasoning", "tags"),
  sizes: SIZES,
  dialect: DIALECT,
  wire: WIRE,
});
type Planned = typeof REPLY extends fc.Arbitrary<infer R> ? R : never;

/** What the reply calls, and how the server says it. */
function planned({ calls, words, inText, reasoning, sizes, dialect, wire }: Planned) {
  // The same call once more under the same number and ID is a repetition.
  const isAlike = dialect.index === "all 0" && dialect.id === "same";
  const different = calls.filter(
    (call, at) => calls.findIndex((one) => JSON.stringify(one) === JSON.stringify(call)) === at,
  );
  const own = inText ? calls.slice(0, 1) : isAlike ? different : calls;
  const thoughts = words.replace(/[{}[\]<`]/g, "");
  const tagged = reasoning === "tags" && inText ? `<think>${thoughts}</think>\n` : "";
  const field = reasoning === "none" || reasoning === "tags" ? undefined : reasoning;
  const deltas = [
    ...(field ? saidIn(`I think ${thoughts}`, field, sizes) : []),
    ...(inText
      ? saidIn(`${tagged}${JSON.stringify({ thoughts: { text: words }, command: own[0] })}`, "content", sizes)
      : [
          ...saidIn(thoughts, "content", sizes),
          ...own.flatMap((call, at) => piecesOf(call, at, dialect, sizes)).map((piece) => ({ tool_calls: [piece] })),
        ]),
  ];
  return { own, answer: answerOf(deltas, inText ? "stop" : "tool_calls", wire) };
}

describe("a stream that is cut, and written in any of the ways of servers,", () => {
  const server = serverForSuite();

  it("is read as the whole reply", async () => {
    skipWithout("connections that keep their end");
    const model = plainModel(server().baseUrl);
    await fc.assert(
      fc.asyncProperty(REPLY, async (given) => {
        const { own, answer } = planned(given);
        server().plan(answer);
        const completion = await reply(model, WITH_TOOLS);
        const read = readReply(completion, { format: given.inText ? "text" : "tools", thoughts: "short" });
        assert.ok(read.kind === "proposal", JSON.stringify([read, completion]));
        assert.equal(JSON.stringify([read.call, ...(read.also ?? [])]), JSON.stringify(own));
        assert.deepEqual(read.ignored, undefined);
        if (given.inText) return;
        assert.equal(
          new Set(completion.calls.map(({ id }) => id)).size >= (given.dialect.id === "same" ? 1 : own.length),
          true,
        );
        const seals = completion.calls.map(({ signature }) => signature);
        if (given.dialect.sealsLast)
          assert.deepEqual(
            seals,
            own.map((_, at) => `seal ${at}`),
          );
      }),
      { numRuns: RUNS },
    );
  });
});
