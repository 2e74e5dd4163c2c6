import assert from "node:assert/strict";
import { type HostedRun, HostedRuns } from "../../../src/panel/hosted-runs.ts";

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
