import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import * as vscode from "vscode";
import type { Decision } from "../../src/core/ports/approver.ts";
import type { AutoGptApi, RunHandle } from "../../src/vscode/host/exported-api.ts";

/** What our extension gives to others. */
export async function ourApi(): Promise<AutoGptApi> {
  const extension = vscode.extensions.getExtension<AutoGptApi>("autogpt-vscode.autogpt");
  assert.ok(extension, "The extension is not installed in this host.");
  return extension.activate();
}

/** Decides on a step's proposal as soon as it waits. Nothing is decided about the step that ends the run. */
export async function decideWhenAsked(run: RunHandle, step: number, decision: Decision): Promise<void> {
  for (;;) {
    try {
      return await run.decide(step, decision);
    } catch (error) {
      if (!/doesn't wait for a decision/.test(String(error))) throw error;
      if (run.state.end && run.state.totals.steps >= step) return;
      await pause(20);
    }
  }
}

/** Waits until a run's state is as wanted. */
export async function until(handle: RunHandle, wanted: (state: RunHandle["state"]) => boolean): Promise<void> {
  while (!wanted(handle.state)) await pause(10);
}
