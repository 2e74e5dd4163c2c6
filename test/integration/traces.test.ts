import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as vscode from "vscode";
import { FakeModel, says } from "../support/fake-model.ts";
import { readSpans } from "../support/otel-collector.ts";
import { ourApi } from "./our-api.ts";

/** The spans in a file, once the run's own has ended. */
async function readTraces(file: string) {
  for (;;) {
    const whole = (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "").split("\n").slice(0, -1);
    const spans = whole.flatMap((line) => readSpans(JSON.parse(line)));
    if (spans.some(({ name }) => name.startsWith("invoke_agent"))) return spans;
    await pause(50);
  }
}

describe("traces in the editor", () => {
  it("are written to the file that the user's setting names", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "autogpt-traces-"));
    const file = path.join(folder, "traces.jsonl");
    const settings = vscode.workspace.getConfiguration("autogpt");
    await settings.update("telemetry.otel", file, vscode.ConfigurationTarget.Global);
    try {
      const model = new FakeModel([says("task_complete", { reason: "Done." })]);
      const run = await (await ourApi()).startRun({ task: "Look around", model });
      await run.end;
      const spans = await readTraces(file);
      assert.deepEqual(spans.map(({ name }) => name.split(" ")[0]).sort(), ["chat", "execute_tool", "invoke_agent"]);
    } finally {
      await settings.update("telemetry.otel", undefined, vscode.ConfigurationTarget.Global);
      fs.rmSync(folder, { recursive: true, force: true });
    }
  });
});
