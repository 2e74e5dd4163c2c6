import { homedir, platform, release } from "node:os";
import * as vscode from "vscode";
import type { HostedRun } from "../../editor/panel/hosted-runs.ts";
import { createProblemReport } from "../../runs/export/export-run.ts";
import { readLog } from "../../runs/log/read-log.ts";
import { writeInEnglish } from "../../texts/display-text.ts";

/** Returns a run and its environment as JSON, without secrets and the user's folders. */
export async function reportOn(hosted: HostedRun, version: string, keys: readonly string[]): Promise<string> {
  const { events, readOnly } = await readLog(hosted.home);
  const about = {
    autogpt: version,
    vscode: vscode.version,
    system: `${platform()} ${release()}`,
    remote: vscode.env.remoteName ?? "",
    trusted: vscode.workspace.isTrusted,
    folders: vscode.workspace.workspaceFolders?.length ?? 0,
    log: writeInEnglish(readOnly ?? "good"),
    settings: listChangedSettings(),
  };
  return createProblemReport(events, about, { keys, folder: hosted.folder, home: homedir() });
}

/** Names of changed settings. Their values are left out, since they may be private. */
function listChangedSettings(): readonly string[] {
  const all = vscode.workspace.getConfiguration("autogpt");
  const names = Object.keys(
    vscode.extensions.getExtension("autogpt-vscode.autogpt")?.packageJSON?.contributes?.configuration?.properties ?? {},
  ).map((name) => name.replace(/^autogpt\./, ""));
  return names.filter((name) => {
    const found = all.inspect(name);
    return [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue].some(
      (value) => value !== undefined,
    );
  });
}
