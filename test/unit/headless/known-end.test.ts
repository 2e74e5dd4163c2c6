import assert from "node:assert/strict";
import { followKnownEnd } from "../../../src/headless/fleet/known-end.ts";
import type { LiveComposedRun } from "../../../src/runtime/composed-run.ts";
import type { AgentEvent, AgentEventBody } from "../../../src/schema/events.ts";
import { rehearsal } from "../../support/rehearsal.ts";
import { sampleStart } from "../../support/sample-run.ts";

const SAID: AgentEventBody = { type: "said", text: "Go on.", by: "user" };
const OVER: AgentEventBody = { type: "over", end: { reason: "finished", summary: "Done." } };

function addPlaces(bodies: readonly AgentEventBody[]): readonly AgentEvent[] {
  return bodies.map((body, seq) => ({ seq, at: "2026-01-02T03:04:05Z", ...body }));
}

/** Attempts from one to another, of which each ended before anything else happened. */
function lose(from: number, to: number): readonly AgentEventBody[] {
  return Array.from({ length: to - from + 1 }, (_, at) => {
    return { type: "resumed", reason: "continued on another machine", attempt: from + at } as const;
  });
}

/** The reason for which a run with these events ends before it's worked on; "" if it's worked on. */
async function findEnd(attempt: number, ...bodies: readonly AgentEventBody[]): Promise<string> {
  const past = addPlaces([sampleStart(), ...bodies]);
  const { run, live } = await rehearsal({ answers: [] });
  return followKnownEnd({ past, run, live } as LiveComposedRun, attempt)()?.reason ?? "";
}

describe("the attempts of a run that are lost", () => {
  it("count from the last words of its user, and those before them no more", async () => {
    const found = {
      twenty: await findEnd(21, ...lose(2, 21)),
      more: await findEnd(22, ...lose(2, 22)),
      heard: await findEnd(35, ...lose(2, 15), SAID, ...lose(16, 35)),
      heardLongAgo: await findEnd(36, ...lose(2, 15), SAID, ...lose(16, 36)),
      over: await findEnd(3, ...lose(2, 2), OVER, ...lose(3, 3)),
      continued: await findEnd(3, ...lose(2, 2), OVER, SAID, ...lose(3, 3)),
    };

    assert.deepEqual(found, {
      ...{ twenty: "", more: "failed", heard: "", heardLongAgo: "failed", over: "finished", continued: "" },
    });
  });
});
