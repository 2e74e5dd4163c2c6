import assert from "node:assert/strict";
import { type HostedRun, HostedRuns } from "../../../../src/editor/panel/hosted-runs.ts";

/** As much of a run as the list of open runs looks at. */
function hostedRun(id: string): HostedRun {
  return { id, run: { onEvent: () => () => undefined } } as unknown as HostedRun;
}

describe("the name of an open run", () => {
  it("is reported when it changes, and only then", () => {
    const runs = new HostedRuns();
    runs.add(hostedRun("a"));
    const heard: (string | undefined)[] = [];
    runs.onChange(({ title }) => heard.push(title));
    for (const title of ["The parser", "The parser", undefined, undefined]) runs.rename("a", title);
    runs.rename("unknown", "Another");
    assert.deepEqual(heard, ["The parser", undefined]);
  });
});

describe("the drafting of a run's profile", () => {
  it("is a fact of the run until it ends, also when it fails", async () => {
    const runs = new HostedRuns();
    const run = hostedRun("a");
    runs.add(run);
    const heard: (true | undefined)[] = [];
    runs.onChange(({ isDrafting }) => heard.push(isDrafting));
    await runs.draft(run, async () => undefined);
    await assert.rejects(
      runs.draft(run, () => Promise.reject(new Error("No model."))),
      /No model/,
    );
    assert.deepEqual(heard, [true, undefined, true, undefined]);
  });
});

describe("a run that is opened again", () => {
  it("keeps what was typed elsewhere and isn't shown yet", () => {
    const runs = new HostedRuns();
    const unsentElsewhere = { text: "Coffee, ple", cards: [] };
    runs.add({ ...hostedRun("a"), unsentElsewhere, dispose: async () => undefined });
    runs.replace(hostedRun("a"));
    assert.deepEqual(runs.get("a")?.unsentElsewhere, unsentElsewhere);
  });
});

describe("the warnings about a run", () => {
  it("are kept, each once, until they are closed or the run is removed; other notices aren't", async () => {
    const runs = new HostedRuns();
    for (const id of ["a", "b"]) runs.add({ ...hostedRun(id), dispose: async () => undefined });
    for (const text of ["No tools.", "No effort.", "No tools."]) runs.notice("a", text, "warning");
    runs.notice("a", "Waiting for a retry.");
    runs.notice("b", "No pictures.", "warning");
    const kept = [runs.listWarnings("a"), runs.listWarnings("b")];
    runs.closeWarnings("a");
    await runs.remove("b");
    assert.deepEqual(
      [kept, runs.listWarnings("a"), runs.listWarnings("b")],
      [[["No effort.", "No tools."], ["No pictures."]], [], []],
    );
  });
});
