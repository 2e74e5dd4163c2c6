import assert from "node:assert/strict";
import type { EventType } from "../../src/schema/events.ts";
import type { DrivenWindow } from "../support/driven-window.ts";
import { type HostSurvivor, hostRun, kindsIn, windowForKills } from "../support/killed-hosts.ts";

describe("a run in a real extension host that is killed", function () {
  this.timeout(0);
  if (process.platform === "win32") return;
  const opened: { window?: DrivenWindow } = {};
  before(async () => {
    opened.window = await windowForKills();
  });
  after(() => opened.window?.close());

  it("is offered after the window came back, and ends the same, whatever kind of event was the last one", async () => {
    const { window } = opened;
    assert.ok(window);
    const undisturbed = await hostRun(window);
    const kinds = kindsIn(undisturbed.events);
    const survivors: (readonly [EventType, HostSurvivor])[] = [];
    for (const [type, times] of kinds) {
      const { survivor } = await hostRun(window, { type, count: Math.ceil(times / 2) });
      survivors.push([type, survivor]);
      console.log(`      killed at "${type}", ${Math.ceil(times / 2)} of ${times}: ${survivor.end}`);
    }
    assert.deepEqual(
      survivors,
      [...kinds.keys()].map((type) => [type, undisturbed.survivor]),
    );
    assert.deepEqual(undisturbed.survivor, {
      end: "finished",
      files: { "work.txt": "line 1\nline 2\nline 3\n", "ran.txt": "ran\n", "side.txt": undefined },
      done: [
        "write_to_file side.txt",
        "update_plan",
        "append_to_file work.txt",
        "execute_shell echo ran >> ran.txt",
        "append_to_file work.txt",
        "append_to_file work.txt",
      ],
      twice: [],
      missing: 0,
    });
  });
});
