import assert from "node:assert/strict";
import type { Problem, ResolvedPath } from "../../../../src/core/ports/workspace.ts";
import { ChangedFiles, type LanguageServices } from "../../../../src/editor/review/new-problems.ts";

const PLACE: ResolvedPath = { path: "/work/a.ts", label: "a.ts", kind: "file", version: "1", bytes: 3 };
const GOING_ON = new AbortController().signal;

const problem = (message: string, line = 1): Problem => ({
  ...({ label: "a.ts", severity: "error", source: "ts" } as const),
  ...{ message, line },
});
const OLD = problem("Old.");
const NEW = problem("New.");
const OTHER = problem("Other.");

/** Services that know of old problems and say something when the test lets them. */
function slowServices(before: LanguageServices["findProblemsBefore"] = async () => [OLD]) {
  const told: { report?: (problems: readonly Problem[]) => void; over?: () => void } = {};
  const services: LanguageServices = {
    findProblemsBefore: before,
    listCurrentProblems: () => [],
    follow: (_place, report, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve());
        Object.assign(told, { report, over: resolve });
      }),
  };
  return { services, told };
}

const messages = ({ problems }: { readonly problems: readonly Problem[] }) => problems.map(({ message }) => message);

describe("a change of a file", () => {
  it("does not wait for services that say nothing", async () => {
    const files = new ChangedFiles(slowServices(() => new Promise(() => undefined)).services);
    files.expect(PLACE);
    const began = performance.now();
    const found = await files.announceChange(PLACE, GOING_ON);
    const tookMs = performance.now() - began;
    assert.deepEqual([messages(found), tookMs < 20_000], [[], true]);
  });

  it("has in its outcome what is new and found within the moment, as soon as all services have looked", async () => {
    const { services, told } = slowServices();
    const files = new ChangedFiles(services, 60_000);
    files.expect(PLACE);
    const changing = files.announceChange(PLACE, GOING_ON);
    told.report?.([{ ...OLD, line: 7 }, NEW]);
    told.over?.();
    assert.deepEqual([await changing, messages(files.collectLaterProblems())], [{ problems: [NEW], areNew: true }, []]);
  });

  it("leaves what is found later for the next prompt, until the agent has read it", async () => {
    const { services, told } = slowServices();
    const files = new ChangedFiles(services, 0);
    files.expect(PLACE);
    const found = await files.announceChange(PLACE, GOING_ON);
    told.report?.([OLD, NEW]);
    const asked = files.collectLaterProblems();
    told.report?.([OLD, NEW, OTHER]);
    const unread = messages(files.collectLaterProblems());
    asked.markRead();
    assert.deepEqual(
      {
        found: messages(found),
        asked: messages(asked),
        unread,
        left: messages(files.collectLaterProblems()),
      },
      { found: [], asked: ["New."], unread: ["New.", "Other."], left: ["Other."] },
    );
  });

  it("does not claim that problems are new when it came before the old ones were known", async () => {
    const { services, told } = slowServices(async () => undefined);
    const files = new ChangedFiles(services, 0);
    files.expect(PLACE);
    await files.announceChange(PLACE, GOING_ON);
    told.report?.([OLD]);
    const late = files.collectLaterProblems();
    assert.deepEqual([messages(late), late.areNew], [["Old."], false]);
  });

  it("that follows another one keeps what was not yet reported of the first, and drops what it fixed", async () => {
    const { services, told } = slowServices();
    const files = new ChangedFiles(services, 0);
    files.expect(PLACE);
    await files.announceChange(PLACE, GOING_ON);
    told.report?.([OLD, NEW, OTHER]);
    files.expect(PLACE);
    const second = files.announceChange(PLACE, GOING_ON);
    told.report?.([OLD, OTHER]);
    assert.deepEqual([...messages(await second), ...messages(files.collectLaterProblems())], ["Other."]);
  });

  it("is over at once when the run is stopped", async () => {
    const stop = new AbortController();
    const files = new ChangedFiles(slowServices().services, 60_000);
    const changing = files.announceChange(PLACE, stop.signal);
    stop.abort(new Error("Stopped."));
    assert.deepEqual(messages(await changing), []);
  });
});
