import { platform } from "node:os";
import * as vscode from "vscode";
import type { PolicyState } from "../safety/with-policy.ts";
import type { Composing, Wiring } from "./compose.ts";
import { readSettings } from "./settings.ts";

/** What the policy of a run knows in the editor. */
export function policyOfRun(
  { shell, taught, disk }: Pick<Composing, "shell" | "taught" | "disk">,
  { grants, provenance, folders, shell: ofRun, wired }: Wiring,
  folder: string,
): PolicyState {
  return {
    grants,
    provenance,
    platform: platform(),
    lines: { disk, taught, shell },
    sandbox: () => ofRun.sandbox,
    folders,
    trusted: () => vscode.workspace.isTrusted,
    planning: () => wired.run?.state.mode === "plan",
    settings: () => {
      const { approval, away } = readSettings(vscode.Uri.file(folder));
      const { rules, deny, readOnlyShell } = approval;
      return { rules, deny, readOnlyShell, allowHosts: away.web.allowHosts };
    },
  };
}
