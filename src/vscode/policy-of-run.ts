import { platform } from "node:os";
import * as vscode from "vscode";
import { claimsOf } from "../runs/claims.ts";
import type { PolicyState } from "../safety/with-policy.ts";
import type { Composing, Wiring } from "./compose.ts";
import { readSettings } from "./settings.ts";

/** What the policy of a run knows in the editor. */
export function policyOfRun(
  { shell, taught, disk, listed }: Pick<Composing, "shell" | "taught" | "disk" | "listed">,
  { grants, provenance, folders, shell: ofRun, wired }: Wiring,
  folder: string,
): PolicyState {
  const claims = claimsOf(wired.run?.state.id ?? "", listed);
  return {
    grants,
    provenance,
    platform: platform(),
    lines: { disk, taught, shell },
    sandbox: () => ofRun.sandbox,
    folders,
    trusted: () => vscode.workspace.isTrusted,
    claims: (paths) => claims.on(paths),
    planning: () => wired.run?.state.mode === "plan",
    settings: () => {
      const { approval, away } = readSettings(vscode.Uri.file(folder));
      const { rules, deny, readOnlyShell } = approval;
      return { rules, deny, readOnlyShell, allowHosts: away.web.allowHosts };
    },
  };
}
