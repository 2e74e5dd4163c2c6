import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { applyEvent, NO_RUN } from "../../../../src/core/events/run-state.ts";
import { eventText } from "../../../../src/headless/display.ts";
import { eventForPanel } from "../../../../src/panel/feed.ts";
import { sideEventsOf } from "../../../../src/panel/side-events.ts";
import { runReport } from "../../../../src/runs/export/account.ts";
import { exportRun } from "../../../../src/runs/export/export-run.ts";
import { readExported } from "../../../../src/runs/export/import-run.ts";
import { readFileStamp } from "../../../../src/runs/log/log-lines.ts";
import { parseLog, readLog } from "../../../../src/runs/log/read-log.ts";
import { readDigest } from "../../../../src/runs/store/digest-cache.ts";
import { forkEvents } from "../../../../src/runs/store/fork-events.ts";
import { applyToDigest } from "../../../../src/runs/store/run-summary.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import type { RunDigest } from "../../../../src/schema/stored-files.ts";
import { inEnglish } from "../../../../src/texts/display-text.ts";
import { runNoteOf } from "../../../../src/webview/run/notes.ts";
import { play, randomRuns } from "../../../support/random-run.ts";
import { sampleStart } from "../../../support/sample-run.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const RELEASE_0_1_0 = join(import.meta.dirname, "../../../fixtures/logs/release-0.1.0.jsonl");
const AT = "2026-01-02T03:04:05.000Z";
const start: AgentEvent = { seq: 0, at: AT, ...sampleStart() };
const said = (seq: number): AgentEvent => ({ seq, at: AT, type: "said", text: "hi", by: "user" });
const text = (...events: readonly unknown[]): string =>
  events.map((event) => `${JSON.stringify(event)}\n`).join("");

const NO_START = inEnglish(parseLog("").readOnly ?? "");

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
      [3, null, "3"].map((code) => parseLog(text(start, ended(code))).events.length),
      [2, 2, 1],
    );
  });

  it("gives what of the repository was left out, and takes nothing else for that", () => {
    const lengths = [["AGENTS.md isn't read."], [7], "AGENTS.md"].map(
      (unread) => parseLog(text({ ...start, unread })).events.length,
    );
    assert.deepEqual(lengths, [1, 0, 0]);
  });

  it("ends before a line that is nested so deeply that nothing could walk through it", async () => {
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
      [...logs.map((log) => parseLog(log).events.length), events, damaged],
      [1, 1, 1, 1, true],
    );
  });

  it("leaves out a line that was never finished", () => {
    assert.deepEqual(parseLog(`${text(start)}{"seq":1,"a`), { events: [start], older: false, torn: true });
  });

  it("says what is wrong with a line, or that a newer version wrote the log", () => {
    const why = (...lines: readonly string[]) =>
      inEnglish(parseLog(lines.join("")).readOnly ?? "").split(". ")[0];
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
    it(`ends before ${name}, and then allows only to read`, () => {
      const { events, readOnly } = parseLog(text(start) + line + text(said(1)));
      assert.deepEqual(
        {
          events,
          explained: /^Line 2 of 3 of the log .+; fork it to continue\.$/.test(inEnglish(readOnly ?? "")),
        },
        { events: [start], explained: true },
      );
    });
  }
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
        plan: ["done", "done"],
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
    const side = sideEventsOf(events, [{ step: 1, at: AT, stage: "asked", recalled: [] }]);
    const [note] = side.map(eventForPanel).map(runNoteOf);
    assert.deepEqual(
      {
        panel: note?.kind === "news" && inEnglish(note.text),
        list: events.reduce<RunDigest | undefined>(applyToDigest, undefined)?.unknownEvents,
        report: runReport(events).notes.get(0)?.[0],
        terminal: events.map(eventText)[1],
        fork: forkEvents({ events, step: 0, foreign: false }, sampleStart(), AT).map(({ type }) => type),
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

describe("a log that cannot be gone on with", () => {
  const NO_START =
    "The log doesn't begin with the start of a run, so the run can be neither shown nor resumed.";
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
        { events: log.events.length, readOnly: log.readOnly && inEnglish(log.readOnly) },
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
    assert.deepEqual(
      { torn, content: await readFile(join(folder, "run.jsonl"), "utf8") },
      { torn: true, content },
    );
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
