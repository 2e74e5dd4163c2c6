import assert from "node:assert/strict";
import type { StepView } from "../../../../src/core/events/run-state.ts";
import { NO_THOUGHTS } from "../../../../src/core/reply/reply.ts";
import {
  addEndedStep,
  addPageToWindow,
  EMPTY_WINDOW,
  listFeedItems,
  type StepWindow,
  trimWindow,
} from "../../../../src/webview/run/step-window.ts";

const at = (step: number): string => new Date(Date.UTC(2026, 0, 1) + step * 1000).toISOString();
const one = (step: number): StepView => ({ step, at: at(step), stage: "ended", recalled: [] });
const range = (from: number, to: number): readonly StepView[] =>
  Array.from({ length: to - from + 1 }, (_, index) => one(from + index));
const told = ({ steps, earlier }: StepWindow): string =>
  `${steps[0]?.step}-${steps.at(-1)?.step} (${steps.length}) ${earlier}`;

describe("the window of steps", () => {
  const last = addPageToWindow(EMPTY_WINDOW, range(61, 100), true);

  it("takes the page before it", () => {
    assert.equal(told(addPageToWindow({ ...last, earlier: "asked" }, range(21, 60), true)), "21-100 (80) some");
  });

  it("takes a page in pieces, in order or the newest first", () => {
    const inOrder = [range(1, 10), range(11, 20)].reduce(
      (window, page) => addPageToWindow(window, page, false),
      EMPTY_WINDOW,
    );
    const newestFirst = [range(11, 20), range(1, 10)].reduce(
      (window, page, index) => addPageToWindow(window, page, index === 0),
      EMPTY_WINDOW,
    );
    assert.deepEqual(
      { inOrder: told(inOrder), newestFirst: told(newestFirst) },
      { inOrder: "1-20 (20) none", newestFirst: "1-20 (20) none" },
    );
  });

  it("drops a page that would leave a gap", () => {
    assert.equal(addPageToWindow(last, range(1, 40), false), last);
  });

  it("learns from an empty page that there is nothing earlier", () => {
    assert.equal(told(addPageToWindow({ ...last, earlier: "asked" }, [], false)), "61-100 (40) none");
  });

  it("is cut back to a page when it follows the end", () => {
    const grown = range(101, 141).reduce((window, step) => addEndedStep(window, step, true), last);
    const read = range(101, 141).reduce((window, step) => addEndedStep(window, step, false), last);
    assert.deepEqual(
      { grown: told(grown), read: told(read), trimmed: told(trimWindow(read)) },
      { grown: "102-141 (40) some", read: "61-141 (81) some", trimmed: "102-141 (40) some" },
    );
  });
});

describe("the lines of the feed", () => {
  const note = (seq: number, when: string) => ({
    seq,
    at: when,
    kind: "said" as const,
    by: "user" as const,
    text: "",
  });
  const keys = (earlier: boolean) =>
    listFeedItems(range(2, 3), [note(1, at(1)), note(2, at(2.5)), note(3, at(9))], earlier).map((item) => item.key);

  it("are steps and notes in the order they happened", () => {
    assert.deepEqual(keys(false), ["note-1", "step-2", "note-2", "step-3", "note-3"]);
  });

  it("leave notes out whose steps are not loaded", () => {
    assert.deepEqual(keys(true), ["step-2", "note-2", "step-3", "note-3"]);
  });

  it("show steps that only looked as one, but not the latest, a failed one or across a note", () => {
    const look = (step: number, status: "done" | "failed" = "done"): StepView => ({
      ...one(step),
      reply: {
        kind: "proposal",
        thoughts: NO_THOUGHTS,
        call: { name: "read_file", args: { filename: "a" } },
      },
      outcome: status === "done" ? { status, output: "" } : { status, error: "" },
    });
    const steps = [look(1), look(2), look(3, "failed"), look(4), look(5), look(6), look(7)];
    const items = listFeedItems(steps, [note(9, at(5.5))], false, 7);
    assert.deepEqual(
      items.map((item) => (item.kind === "looks" ? item.steps.map(({ step }) => step) : item.key)),
      [[1, 2], "step-3", [4, 5], "note-9", "step-6", "step-7"],
    );
  });
});
