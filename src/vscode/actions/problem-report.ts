import { homedir, platform, release } from "node:os";
import * as vscode from "vscode";
import { problemReport } from "../../runs/export/export-run.ts";
import { readLog } from "../../runs/log/read-log.ts";
import type { HostedRun } from "../host/hosted-runs.ts";

/** A run with what it ran on, without secrets and the user's folders, as one JSON text. */
export async function reportOn(hosted: HostedRun, version: string, keys: readonly string[]): Promise<string> {
  const { events, readOnly } = await readLog(hosted.home);
  const about = {
    autogpt: version,
    vscode: vscode.version,
    system: `${platform()} ${release()}`,
    remote: vscode.env.remoteName ?? "",
    trusted: vscode.workspace.isTrusted,
    folders: vscode.workspace.workspaceFolders?.length ?? 0,
    log: readOnly ?? "good",
    settings: changedSettings(),
  };
  return problemReport(events, about, { keys, folder: hosted.folder, home: homedir() });
}

/** Names of our settings that are not at their default: values may tell more than the user wants to. */
function changedSettings(): readonly string[] {
  const all = vscode.workspace.getConfiguration("autogpt");
  const names = Object.keys(
    vscode.extensions.getExtension("autogpt-vscode.autogpt")?.packageJSON?.contributes?.configuration
      ?.properties ?? {},
  ).map((name) => name.replace(/^autogpt\./, ""));
  return names.filter((name) => {
    const found = all.inspect(name);
    return [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue].some(
      (value) => value !== undefined,
    );
  });
}
