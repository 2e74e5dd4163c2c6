import assert from "node:assert/strict";
import { HostedRuns } from "../../../../src/editor/panel/hosted-runs.ts";
import { computeRunsStatus } from "../../../../src/editor/panel/run-status.ts";
import type { FleetEngine, FleetRun } from "../../../../src/fleet/engine.ts";
import { DisplayError } from "../../../../src/texts/display-text.ts";
import { listFleetRuns } from "../../../../src/vscode/fleet/fleet-group.ts";
import type { SentRun } from "../../../../src/vscode/fleet/fleet-runs.ts";
import { PlaceLists } from "../../../../src/vscode/fleet/place-lists.ts";

function createRun(number: number, state: FleetRun["state"], place = "ssh:box"): FleetRun {
  const id = `20260102_09000${number}_remote_a1b2`;
  return { id, place, task: `Task ${number}`, startedAt: "2026-01-02T09:00:00.000Z", state, steps: number };
}

/** Places that answer what the test says, and the runs that this editor has sent. */
class Places {
  readonly runs = new Map<string, readonly FleetRun[]>();
  readonly stopped: string[] = [];
  readonly removed = new Set<string>();
  readonly open = new Set<string>();
  known: string[] = [];
  now = 0;
  all: readonly SentRun[] = [];
  readonly lists = new PlaceLists({
    fleet: this,
    readPlaces: async () => this.known,
    forgetPlace: async (place) => {
      this.known = this.known.filter((other) => other !== place);
    },
    createEngine: async (place) => this.createEngine(place),
    isOpen: (run) => this.open.has(run),
    isSeen: () => true,
    getNow: () => this.now,
  });

  isRemoved(id: string): boolean {
    return this.removed.has(id);
  }

  private createEngine(place: string): FleetEngine {
    return {
      list: async () => this.runs.get(place) ?? Promise.reject(new DisplayError("It's asleep.")),
      remove: async (run: string, folder: string) => void this.stopped.push(`removed ${place} ${run} ${folder}`),
      stop: async (run: string) => void this.stopped.push(`${place} ${run}`),
    } as unknown as FleetEngine;
  }
}

describe("the list of runs in other places", () => {
  let places: Places;

  beforeEach(() => {
    places = new Places();
  });
  afterEach(() => places.lists.dispose());

  it("counts the runs that wait for the user, except those that are open or removed", async () => {
    places.known = ["ssh:box"];
    const runs = [1, 2, 3].map((number) => createRun(number, "waiting"));
    places.runs.set("ssh:box", [...runs, createRun(4, "working")]);
    places.open.add(runs[1]?.id ?? "");
    places.removed.add(runs[2]?.id ?? "");
    await places.lists.look();
    const waiting = places.lists.waiting.map((one) => ({ ...one, isInFleet: true }));
    const status = computeRunsStatus([], undefined, waiting);

    assert.deepEqual(
      { run: status?.run, text: status?.text, tooltip: status?.tooltip, waiting: status?.waiting },
      { run: runs[0]?.id, text: "1 run needs you", tooltip: "Task 1: waits for you on box", waiting: 1 },
    );
  });

  it("has runs that wait first, those of other programs, and no stored or removed ones", async () => {
    places.known = ["ssh:box", "temporal://team:7233/tools"];
    places.all = [{ ...createRun(1, "working"), folder: "/work" }];
    places.runs.set(
      "ssh:box",
      [1, 2, 3].map((number) => createRun(number, number === 3 ? "ended" : "working")),
    );
    places.runs.set("temporal://team:7233/tools", [createRun(4, "waiting"), createRun(5, "silent")]);
    places.removed.add(createRun(5, "silent").id);
    await places.lists.look();
    const stored = new Set([createRun(3, "ended").id]);
    const rows = listFleetRuns({ sent: places, lists: places.lists }, new HostedRuns(), stored);

    assert.deepEqual(
      rows.map(({ summary, state, word, machine }) => [summary.task, summary.steps, state, word, machine]),
      [
        ["Task 4", 4, "question", "Waiting for your answer", "team:7233/tools"],
        ["Task 1", 1, "elsewhere", "Working", "box"],
        ["Task 2", 2, "elsewhere", "Working", "box"],
      ],
    );
  });

  it("keeps the runs of a place that can't be reached now, and says why", async () => {
    places.known = ["ssh:box"];
    places.runs.set("ssh:box", [createRun(1, "working")]);
    await places.lists.look();
    places.runs.clear();
    await places.lists.look();

    assert.deepEqual(places.lists.places, [
      { place: "ssh:box", runs: [createRun(1, "working")], trouble: "It's asleep." },
    ]);
  });

  it("is read again when it's shown, if it's a minute old, with what other programs have sent", async () => {
    const counts: number[] = [];
    for (const now of [0, 59_999, 60_000]) {
      places.now = now;
      await places.lists.lookIfOld();
      counts.push(places.lists.places.length);
      places.known = ["ssh:box"];
    }
    assert.deepEqual(counts, [0, 0, 1]);
  });

  it("deletes a run in its place", async () => {
    const { id } = createRun(1, "ended");
    await places.lists.remove(id, "ssh:box", "/work", new AbortController().signal);
    assert.deepEqual(places.stopped, [`removed ssh:box ${id} /work`]);
  });

  it("stops a run in its place, and forgets a place", async () => {
    places.known = ["ssh:box"];
    const run = createRun(1, "working");
    places.runs.set("ssh:box", [run]);
    await places.lists.look();
    const hasEnded = [await places.lists.stop(run.id)];
    places.runs.set("ssh:box", [{ ...run, state: "ended" }]);
    hasEnded.push(await places.lists.stop(run.id));
    await places.lists.forget("ssh:box");

    assert.deepEqual(
      { stopped: places.stopped, hasEnded, places: places.lists.places },
      { stopped: [`ssh:box ${run.id}`, `ssh:box ${run.id}`], hasEnded: [false, true], places: [] },
    );
  });
});
