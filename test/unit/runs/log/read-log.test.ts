import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { applyEvent, NO_RUN } from "../../../../src/core/events/run-state.ts";
import { sha256 } from "../../../../src/disk/sha256.ts";
import { trimEventForPanel } from "../../../../src/editor/panel/feed.ts";
import { listSideEvents } from "../../../../src/editor/panel/side-events.ts";
import { renderEvent } from "../../../../src/headless/display.ts";
import { createRunReport } from "../../../../src/runs/export/account.ts";
import { exportRun } from "../../../../src/runs/export/export-run.ts";
import { readExported } from "../../../../src/runs/export/import-run.ts";
import { Deduplicator } from "../../../../src/runs/log/deduplication.ts";
import { readFileStamp } from "../../../../src/runs/log/log-lines.ts";
import { isSealed, readSeal, sealLine } from "../../../../src/runs/log/log-seal.ts";
import { parseLog, readLog } from "../../../../src/runs/log/read-log.ts";
import { readDigest } from "../../../../src/runs/store/digest-cache.ts";
import { createForkEvents } from "../../../../src/runs/store/fork-events.ts";
import { getRunsFolder } from "../../../../src/runs/store/run-folder.ts";
import { createRunStoreForHomes } from "../../../../src/runs/store/run-store.ts";
import { applyToDigest } from "../../../../src/runs/store/run-summary.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import type { RunDigest } from "../../../../src/schema/stored-files.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { convertToRunNote } from "../../../../src/webview/run/notes.ts";
import { play, randomRuns } from "../../../support/random-run.ts";
import { sampleOwner, sampleStart, sampleTail } from "../../../support/sample-run.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const RELEASE_0_1_0 = join(import.meta.dirname, "../../../fixtures/logs/release-0.1.0.jsonl");
const AT = "2026-01-02T03:04:05.000Z";
const start: AgentEvent = { seq: 0, at: AT, ...sampleStart() };
const said = (seq: number): AgentEvent => ({ seq, at: AT, type: "said", text: "hi", by: "user" });
const text = (...events: readonly unknown[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join("");

const NO_START = writeInEnglish(parseLog("").readOnly ?? "");

describe("reading a log", () => {
  const tempFolder = tempFolders();

  it("gives all events of a whole one", () => {
    assert.deepEqual(parseLog(text(start, said(1))), { events: [start, said(1)], older: false, torn: false });
  });

  it("gives the exit code of a program that failed or was killed, and takes no other text for one", () => {
    const ended = (exitCode: unknown) => ({
      ...{ seq: 1, at: AT, type: "ended", step: 1 },
      outcome: { status: "done", output: "Exit code 3.", exitCode },
    });
    assert.deepEqual(
      [3, null, "3"].map((code) => parseLog(text(start, ended(code))).events.at(-1)?.type),
      ["ended", "ended", "lost"],
    );
  });

  it("gives what of the repository was left out, and takes nothing else for that", () => {
    const lengths = [["AGENTS.md isn't read."], [7], "AGENTS.md"].map(
      (unread) => parseLog(text({ ...start, unread })).events.length,
    );
    assert.deepEqual(lengths, [1, 0, 0]);
  });

  it("leaves out a line that is nested so deeply that nothing could walk through it", async () => {
    const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const lines = [
      `{"seq":1,"at":"${AT}","type":"began","step":1,"command":"a","args":{"a":${nested}}}`,
      `{"seq":1,"at":"${AT}","type":"replied","step":1,"folded":true,"reply":${nested}}`,
      `{"seq":1,"at":"${AT}","type":"later","a":${nested}}`,
    ];
    const logs = lines.map((line) => `${text(start)}${line}\n`);
    const path = join(await tempFolder(), "run.jsonl");
    await writeFile(path, logs[1] ?? "");
    const { events, damaged } = await readDigest(path, await readFileStamp(path));
    const exported = `{"format":"autogpt-run","version":1,"events":[${JSON.stringify(start)},${lines[0]}]}`;
    assert.throws(() => readExported(exported), { name: "DisplayError" });
    assert.deepEqual(
      [...logs.map((log) => parseLog(log).events.at(-1)?.type), events, damaged],
      ["lost", "lost", "lost", 1, true],
    );
  });

  it("leaves out a line that was never finished", () => {
    assert.deepEqual(parseLog(`${text(start)}{"seq":1,"a`), { events: [start], older: false, torn: true });
  });

  it("says what is wrong with a line, or that a newer version wrote the log", () => {
    const why = (...lines: readonly string[]) => writeInEnglish(parseLog(lines.join("")).readOnly ?? "").split(". ")[0];
    const newer = { ...start, schema: start.schema + 1 };
    assert.deepEqual(
      {
        damaged: why(text(start), "garbage\n"),
        unexpected: why(text(start, said(2))),
        newer: why(text(newer, said(1))),
        newerAndDamaged: why(text(newer), "garbage\n"),
        empty: why(""),
        noStart: why(text(said(0))),
      },
      {
        damaged: "Line 2 of 2 of the log is damaged",
        unexpected: "Line 2 of 2 of the log doesn't follow from the previous ones",
        newer: "A newer version of AutoGPT wrote this run",
        newerAndDamaged: "A newer version of AutoGPT wrote this run",
        empty: NO_START,
        noStart: NO_START,
      },
    );
  });

  const damage: [string, string][] = [
    ["a line that is no JSON", "garbage\n"],
    ["a blank line", "\n"],
    ["an event out of order", text(said(2))],
    ["an event twice", text(said(0))],
    ["an event without its fields", text({ seq: 1, at: AT, type: "said", text: 7, by: "user" })],
    ["an event of an unknown type out of order", text({ seq: 2, at: AT, type: "danced" })],
    ["an event of an unknown type at no time", text({ seq: 1, at: "once", type: "danced" })],
    ["an event at no time", text({ ...said(1), at: "once" })],
    ["something that is no object", "7\n"],
  ];
  for (const [name, line] of damage) {
    it(`leaves out ${name}, and then allows only to read`, () => {
      const { events, readOnly } = parseLog(text(start) + line + text(said(1)));
      assert.deepEqual(
        {
          events,
          explained: /^Line 2 of 3 of the log .+; fork it to continue\.$/.test(writeInEnglish(readOnly ?? "")),
        },
        { events: [start, said(1)], explained: true },
      );
    });
  }
});

describe("a log that is damaged in its middle", () => {
  const tempFolder = tempFolders();
  const ID = start.id;
  const words = (seq: number): AgentEvent => ({
    ...{ seq, at: AT, type: "said", by: "user" },
    text: `word ${seq}`,
  });
  const lines = [start, ...Array.from({ length: 7 }, (_, index) => words(index + 1))].map((event, index, all) =>
    sealLine(JSON.stringify(event), sealsTo(all, index), sha256),
  );
  const whole = lines.map((line) => `${line}\n`);

  /** The seal of the line before one of these. */
  function sealsTo(all: readonly AgentEvent[], index: number): string {
    let before = "";
    for (const event of all.slice(0, index)) before = readSeal(sealLine(JSON.stringify(event), before, sha256));
    return before;
  }

  /** The whole log with another line in place of some. */
  const changed = (from: number, count: number, by: string | Buffer): Buffer =>
    Buffer.concat([
      Buffer.from(whole.slice(0, from).join("")),
      Buffer.from(by),
      Buffer.from(whole.slice(from + count).join("")),
    ]);
  const of = (index: number): string => lines[index] ?? "";
  const zeros = (count: number): string => "\0".repeat(count);
  const noise = Buffer.from(Array.from({ length: 3_000 }, (_, index) => (index * 97 + 128) % 247)).map((byte) =>
    byte === 10 ? 11 : byte,
  );

  const cases: readonly [string, Buffer, (string | number)[]][] = [
    ["zeros over a line", changed(3, 1, `${zeros(of(3).length)}\n`), [1, 2, "1 lost", 4, 5, 6, 7]],
    ["zeros over a line and its end", changed(3, 1, zeros(of(3).length + 1)), [1, 2, "1 lost", 4, 5, 6, 7]],
    [
      "zeros from the middle of one line to that of another",
      changed(2, 3, `${of(2).slice(0, 30)}${zeros(400)}${of(4).slice(60)}\n`),
      [1, "3 lost", 5, 6, 7],
    ],
    ["a line that was cut in half", changed(4, 1, `${of(4).slice(0, 50)}\n`), [1, 2, 3, "1 lost", 5, 6, 7]],
    ["half a line without a line end", changed(4, 1, of(4).slice(0, 50)), [1, 2, 3, "1 lost", 5, 6, 7]],
    ["two events on a line", changed(2, 2, `${of(2)}${of(3)}\n`), [1, 2, 3, 4, 5, 6, 7]],
    [
      "noise without line ends between two events",
      changed(3, 2, Buffer.concat([Buffer.from(of(3)), noise])),
      [1, 2, 3, "1 lost", 5, 6, 7],
    ],
    ["missing lines", changed(2, 3, ""), [1, "3 lost", 5, 6, 7]],
    ["lines that are there twice", changed(2, 2, [of(2), of(3), of(2), of(3), ""].join("\n")), [1, 2, 3, 4, 5, 6, 7]],
    [
      "a number with a flipped bit",
      changed(3, 1, `${of(3).replace('"seq":3', '"seq":7')}\n`),
      [1, 2, "1 lost", 4, 5, 6, 7],
    ],
    [
      "bytes that aren't UTF-8",
      changed(3, 1, Buffer.from(`${of(3).replace("word 3", "w\xf6rd 3")}\n`, "latin1")),
      [1, 2, "w\ufffdrd 3", 4, 5, 6, 7],
    ],
    ["its second half, which is there twice", changed(8, 0, whole.slice(4).join("")), [1, 2, 3, 4, 5, 6, 7]],
    ["blank lines at its end", changed(8, 0, "\n \n"), [1, 2, 3, 4, 5, 6, 7]],
    [
      "an impossible last number",
      changed(7, 1, `${of(7).replace('"seq":7', '"seq":999999999')}\n`),
      [1, 2, 3, 4, 5, 6, "1 lost"],
    ],
    ["zeros over the start", changed(0, 1, `${zeros(300)}\n`), ["1 lost", 1, 2, 3, 4, 5, 6, 7]],
    ["zeros over the last line", changed(7, 1, zeros(of(7).length + 1)), [1, 2, 3, 4, 5, 6, "1 lost"]],
    [
      "half a line and zeros at the end",
      changed(7, 1, `${of(7).slice(0, 40)}${zeros(4_000)}`),
      [1, 2, 3, 4, 5, 6, "1 lost"],
    ],
  ];
  for (const [name, bytes, expected] of cases) {
    it(`is read but for ${name}: it can be listed and forked, and isn't resumed or changed`, async () => {
      const home = await tempFolder();
      const folder = join(getRunsFolder(home), ID);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "run.jsonl"), bytes);
      const store = createRunStoreForHomes([home], sampleOwner());
      const stored = await store.open(ID);
      const [listed] = await store.list();
      const [first, ...rest] = stored.events;
      const shown = (event: AgentEvent): string | number => {
        if (event.type === "lost") return `${event.events} lost`;
        const text = event.type === "said" ? event.text : event.type;
        return text.startsWith("word ") ? Number(text.slice(5)) : text;
      };
      const fork = createForkEvents({ events: stored.events, step: 0, foreign: false }, sampleStart(), AT);
      assert.deepEqual(
        {
          rest: rest.map(shown),
          inOrder: stored.events.every(({ seq }, index) => seq === index),
          started: first?.type === "started" && first.id,
          said: /^Line \d+ of \d+ of the log .+ The rest of the run is shown; fork it to continue\.$/.test(
            writeInEnglish(stored.readOnly ?? ""),
          ),
          listed: listed && [listed.id, listed.name],
          fork: fork.slice(1).map(shown),
          bytes: (await readFile(join(folder, "run.jsonl"))).equals(bytes),
        },
        {
          rest: expected,
          inOrder: true,
          started: ID,
          said: true,
          listed: [ID, name.includes("start") ? "AutoGPT" : "Scribe"],
          fork: expected,
          bytes: true,
        },
      );
    });
  }
});

describe("what damage in a log means elsewhere", () => {
  const LONG = "A long text that is stored once and referred to after that.";
  const asked = (seq: number, step: number): AgentEvent => ({
    ...{ seq, at: AT, type: "asked", step, format: "text" },
    tail: { ...sampleTail(), remarks: [LONG, `Step ${step} has another remark that is long enough.`] },
  });
  const replied = (seq: number, step: number, args: object): AgentEvent => ({
    ...{ seq, at: AT, type: "replied", step, format: "text", calls: [], finish: "stop", model: "m" },
    text: JSON.stringify({ thoughts: {}, command: { name: "write_to_file", args } }),
    reply: { kind: "unreadable", problem: "?" },
  });
  const began = (seq: number, step: number, args: Readonly<Record<string, unknown>>): AgentEvent => ({
    ...{ seq, at: AT, type: "began", step, command: "write_to_file", args },
  });

  /** The lines of a log, with those at some indices lost. */
  const without = (events: readonly AgentEvent[], ...lost: readonly number[]): string => {
    const deduplicator = new Deduplicator();
    const all = events.map((event) => `${JSON.stringify(deduplicator.fold(event))}\n`);
    return all.map((line, index) => (lost.includes(index) ? "\0\0\n" : line)).join("");
  };

  it("says so in place of a text that was in a lost line, and takes none from another line", () => {
    const events = [start, asked(1, 1), asked(2, 2), said(3), asked(4, 2), asked(5, 1)];
    const remarks = parseLog(without(events, 1)).events.flatMap((event) =>
      event.type === "asked" ? [event.tail.remarks] : [],
    );
    const lost = "(lost: the log is damaged)";
    const second = "Step 2 has another remark that is long enough.";
    assert.deepEqual(remarks, [[lost, second], [], []]);
  });

  it("takes the arguments of a command from no earlier reply of its step", () => {
    const [old, now] = [{ contents: `${LONG} Old.` }, { contents: `${LONG} Now.` }];
    const events = [start, replied(1, 1, old), replied(2, 1, now), began(3, 1, now)];
    const [args] = parseLog(without(events, 2)).events.flatMap((event) => (event.type === "began" ? [event.args] : []));
    assert.deepEqual(args, { contents: "(lost: the log is damaged)" });
  });

  it("is said where a run is shown", () => {
    const { events } = parseLog(without([start, said(1), said(2), said(3)], 1, 2));
    const english = "2 events are missing here, because the log is damaged";
    const [note] = listSideEvents(events, [{ step: 1, at: AT, stage: "asked", recalled: [] }])
      .map(trimEventForPanel)
      .map(convertToRunNote);
    assert.deepEqual(
      {
        panel: note?.kind === "news" && writeInEnglish(note.text),
        report: createRunReport(events).notes.get(0)?.[0],
        terminal: events.map(renderEvent)[1],
        exported: readExported(exportRun(events, "json")[0]?.text ?? "").slice(1),
      },
      { panel: english, report: `${english}.`, terminal: `${english}.\n`, exported: events.slice(1) },
    );
  });

  it("makes what a fork took over untrusted, unless all of it is from before the damage", () => {
    const ended = (seq: number, step: number): AgentEvent => ({
      ...{ seq, at: AT, type: "ended", step, outcome: { status: "done", output: "Read." } },
    });
    const log = without([start, asked(1, 1), ended(2, 1), said(3), asked(4, 2), ended(5, 2)], 3);
    const { events } = parseLog(log);
    const isUntrusted = (step: number) =>
      createForkEvents({ events, step, foreign: false }, sampleStart(), AT).some(
        (event) => event.type === "started" && event.sources !== undefined,
      );
    assert.deepEqual([1, 2].map(isUntrusted), [false, true]);
  });

  it("breaks the seal", () => {
    const first = sealLine(JSON.stringify(start), "", sha256);
    const second = sealLine(JSON.stringify(said(1)), readSeal(first), sha256);
    const third = sealLine(JSON.stringify(said(2)), readSeal(second), sha256);
    const log = (...lines: readonly string[]) => isSealed(lines.map((line) => `${line}\n`).join(""), sha256);
    assert.deepEqual(
      [
        log(first, second, third),
        log(first, "\0\0", third),
        log(first, third),
        log(second, third),
        log(first, `${second}${third}`),
      ],
      [true, false, false, false, false],
    );
  });
});

describe("a log that release 0.1.0 wrote", () => {
  it("is read whole: every type, with every field and every back-reference", async () => {
    const log = parseLog(await readFile(RELEASE_0_1_0, "utf8"));
    const types = new Set(log.events.map(({ type }) => type));
    const { plan, totals, limits, mode, end, recent } = log.events.reduce(applyEvent, NO_RUN);
    const [first] = recent;
    assert.deepEqual(
      {
        readOnly: log.readOnly,
        events: log.events.length,
        types: types.size,
        unknown: types.has("unknown"),
        thought: first?.reply?.kind === "proposal" ? first.reply.thoughts.speak : undefined,
        plan: plan.map(({ status }) => status),
        usd: totals.usd,
        steps: limits.steps,
        mode,
        end,
      },
      {
        readOnly: undefined,
        events: 38,
        types: 18,
        unknown: false,
        thought: "I read the first note.",
        plan: ["pending", "pending"],
        usd: 0.01,
        steps: 20,
        mode: "continuous",
        end: { reason: "finished", summary: "Done." },
      },
    );
  });
});

describe("a log with events that this version doesn't know", () => {
  const danced = { seq: 1, at: AT, type: "danced", with: { partner: "hook" } };

  it("keeps each as an unknown event, and reads on behind it", () => {
    assert.deepEqual(parseLog(text(start, danced, said(2))), {
      events: [start, { seq: 1, at: AT, type: "unknown", original: danced }, said(2)],
      older: false,
      torn: false,
    });
  });

  it("keeps fields that it doesn't know in events that it knows", () => {
    const events = [start, { ...said(1), mood: "glad" }, said(2)];
    assert.deepEqual(parseLog(text(...events)).events, events);
  });

  it("leads to the same state as without them", () => {
    const { events } = parseLog(text(start, danced, said(2)));
    const { seq: _seq, ...known } = [start, said(2)].reduce(applyEvent, NO_RUN);
    const { seq, ...state } = events.reduce(applyEvent, NO_RUN);
    assert.deepEqual({ seq, state }, { seq: 2, state: known });
  });

  it("is displayed with them in the panel, the list of runs, exports and terminals", () => {
    const { events } = parseLog(text(start, danced, said(2)));
    const unknown = 'Unknown event "danced", written by a newer version of AutoGPT.';
    const side = listSideEvents(events, [{ step: 1, at: AT, stage: "asked", recalled: [] }]);
    const [note] = side.map(trimEventForPanel).map(convertToRunNote);
    assert.deepEqual(
      {
        panel: note?.kind === "news" && writeInEnglish(note.text),
        list: events.reduce<RunDigest | undefined>(applyToDigest, undefined)?.unknownEvents,
        report: createRunReport(events).notes.get(0)?.[0],
        terminal: events.map(renderEvent)[1],
        fork: createForkEvents({ events, step: 0, foreign: false }, sampleStart(), AT).map(({ type }) => type),
      },
      {
        panel: 'Unknown event "danced", written by a newer version',
        list: 1,
        report: unknown,
        terminal: unknown,
        fork: ["started", "said"],
      },
    );
  });

  it("is exported and imported as it was", () => {
    const { events } = parseLog(text(start, danced, said(2)));
    const [file] = exportRun(events, "json");
    const [, ...rest] = readExported(file?.text ?? "");
    assert.deepEqual(rest, events.slice(1));
  });
});

describe("a log whose run cannot be resumed", () => {
  const NO_START = "The log doesn't begin with the start of a run, so the run can be neither shown nor resumed.";
  const cases: [string, string, number, string][] = [
    ["an empty one", "", 0, NO_START],
    ["one without its start", text(said(0)), 1, NO_START],
    ["garbage", "garbage\n", 0, NO_START],
    [
      "one of a newer version",
      text({ ...start, schema: 99 }, said(1)),
      2,
      "A newer version of AutoGPT wrote this run. You can read it here; update the extension to resume it.",
    ],
    [
      "one of a newer version, with events unknown here",
      text({ ...start, schema: 99 }, { seq: 1, at: AT, type: "danced" }),
      2,
      "A newer version of AutoGPT wrote this run. You can read it here; update the extension to resume it.",
    ],
  ];
  for (const [name, content, events, why] of cases) {
    it(`is ${name}`, () => {
      const log = parseLog(content);
      assert.deepEqual(
        { events: log.events.length, readOnly: log.readOnly && writeInEnglish(log.readOnly) },
        { events, readOnly: why },
      );
    });
  }
});

describe("a log on the disk", () => {
  const tempFolder = tempFolders();

  it("is never changed by being read", async () => {
    const folder = await tempFolder();
    const content = `${text(start)}garbage\n{"torn`;
    await writeFile(join(folder, "run.jsonl"), content);
    const { torn } = await readLog(folder);
    assert.deepEqual({ torn, content: await readFile(join(folder, "run.jsonl"), "utf8") }, { torn: true, content });
  });

  it("gives back the events of any run", async () => {
    await fc.assert(
      fc.asyncProperty(randomRuns([3_000, 32_000]), async (random) => {
        const { log } = await play(random);
        assert.deepEqual(parseLog(text(...log.events)), {
          events: JSON.parse(JSON.stringify(log.events)),
          older: false,
          torn: false,
        });
      }),
      { numRuns: 40 },
    );
  });

  it("is good up to wherever it was cut", async () => {
    const whole = text(start, said(1), said(2));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: whole.length }), async (length) => {
        const { events } = parseLog(whole.slice(0, length));
        const complete = whole.slice(0, length).split("\n").length - 1;
        assert.deepEqual(events, [start, said(1), said(2)].slice(0, complete));
      }),
    );
  });
});
