import assert from "node:assert/strict";
import type { BackgroundProcess } from "../../../../src/core/ports/programs.ts";
import { listShownProcesses } from "../../../../src/editor/panel/feed.ts";
import { isPanelUpdate } from "../../../../src/schema/panel-validators.ts";
import { readPanelRequest } from "../../../../src/schema/readers.ts";

function process(id: number, more: Partial<BackgroundProcess> = {}): BackgroundProcess {
  return {
    ...{ id, commandLine: `line ${id}`, cwd: "/w", step: id, startedAt: 0 },
    ...{ state: "running", bytes: 7, kept: false, ...more },
  };
}

describe("background processes in the panel", () => {
  it("are those that run, and the latest of those that are over", () => {
    const over = [1, 2, 3, 4, 5, 6].map((id) => process(id, { state: "ended", code: id }));
    const long = process(7, { commandLine: "x".repeat(1000), kept: true });
    const shown = listShownProcesses({ list: () => [...over, long] });
    assert.deepEqual(
      [shown.map(({ id, state, code }) => ({ id, state, code })), shown[0]?.commandLine.length, shown[0]?.kept],
      [
        [
          { id: 7, state: "running", code: undefined },
          ...[2, 3, 4, 5, 6].map((id) => ({ id, state: "ended", code: id })),
        ],
        301,
        true,
      ],
    );
  });

  it("are reported in messages that both ends understand", () => {
    const told = { type: "processes", run: "r", processes: listShownProcesses({ list: () => [process(1)] }) };
    const asked = [
      { type: "stopProcess", id: 1 },
      { type: "keepProcess", id: 1, kept: true },
    ];
    assert.deepEqual({ told: isPanelUpdate(told), asked: asked.map(readPanelRequest) }, { told: true, asked });
  });
});
