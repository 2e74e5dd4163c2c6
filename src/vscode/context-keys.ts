import * as vscode from "vscode";
import type { HostedRuns } from "./hosted-runs.ts";
import { isRunning } from "./run-status.ts";

/** Keeps `autogpt.running` and `autogpt.awaitingApproval` true to the runs; tells when either changed. */
export function contextKeys(runs: HostedRuns): vscode.Disposable {
  const known = new Map<string, boolean>();
  const set = (key: string, value: boolean): void => {
    if (known.get(key) === value) return;
    known.set(key, value);
    void vscode.commands.executeCommand("setContext", key, value);
  };
  const update = (): void => {
    set("autogpt.running", runs.all.some(isRunning));
    set(
      "autogpt.awaitingApproval",
      runs.all.some((hosted) => hosted.live?.waiting?.kind === "proposal"),
    );
    if (runs.all.length > 0) set("autogpt.hasRuns", true);
  };
  return vscode.Disposable.from(runs.onEvent(update), runs.onChange(update), runs.onShow(update));
}
