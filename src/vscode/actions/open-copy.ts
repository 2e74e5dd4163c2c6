import { join } from "node:path";
import * as vscode from "vscode";
import { replaceFile } from "../../disk/replace-file.ts";
import { findRunByArgument, type HostedRuns } from "../../editor/panel/hosted-runs.ts";
import type { Copy } from "../../isolation/copy/copy.ts";
import { fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";

/** Dependencies of opening a copy. */
interface OpenCopyDependencies {
  readonly runs: HostedRuns;
}

/**
 * Opens the copy of an isolated run in a window of its own, after the user's confirmation: the walls hold for the run's programs, and not
 * for what the user runs there. The new window isn't trusted, so nothing of the copy runs before the user trusts it.
 */
export async function openCopyInWindow({ runs }: OpenCopyDependencies, given: unknown): Promise<void> {
  const hosted = findRunByArgument(runs, given) ?? runs.shown;
  if (!hosted?.isolation) fail("isolation.noCopyToOpen");
  const isTrustOn = vscode.workspace.getConfiguration("security.workspace.trust").get("enabled", true);
  const button = t("isolation.openCopyButton");
  const answer = await vscode.window.showWarningMessage(
    t("isolation.openCopyQuestion"),
    { modal: true, detail: t(isTrustOn ? "isolation.openCopyDetail" : "isolation.openCopyUntrusted") },
    button,
  );
  if (answer !== button) return;
  const target = vscode.Uri.file(await getWindowTarget(hosted.isolation.copy));
  await vscode.commands.executeCommand("vscode.openFolder", target, { forceNewWindow: true });
}

/** The copy of the only folder, or a workspace file of ours for several, beside the folders that programs of the run can write. */
async function getWindowTarget({ home, folders }: Copy): Promise<string> {
  const [first] = folders;
  if (!first) fail("isolation.noCopyToOpen");
  if (folders.length === 1) return first.path;
  const file = join(home, "copy.code-workspace");
  await replaceFile(file, JSON.stringify({ folders: folders.map(({ name, path }) => ({ name, path })) }), {
    private: true,
  });
  return file;
}
