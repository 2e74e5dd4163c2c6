import { platform } from "node:os";
import * as vscode from "vscode";
import { fileLocksOf } from "../../runs/store/file-locks.ts";
import type { PolicyState } from "../../safety/policy/policy-state.ts";
import type { RunDependencies } from "./compose.ts";
import { readSettings } from "./settings.ts";
import type { Wiring } from "./wiring.ts";

/** What the policy of a run knows in the editor. */
export function policyOfRun(
  { shell, taught, disk, listed }: Pick<RunDependencies, "shell" | "taught" | "disk" | "listed">,
  { grants, provenance, folders, shell: ofRun, wired, sub }: Wiring,
  folder: string,
): PolicyState {
  const parent = sub?.spawning.parent.state.id;
  const others = async () => (await listed()).filter(({ id }) => id !== parent);
  const claims = fileLocksOf(wired.run?.state.id ?? "", others);
  return {
    grants,
    provenance,
    platform: platform(),
    lines: { disk, taught, shell },
    sandbox: () => ofRun.sandbox,
    tampering: () => ofRun.tampering,
    folders,
    trusted: () => vscode.workspace.isTrusted,
    claims: (paths) => claims.on(paths),
    planning: () => wired.run?.state.mode === "plan" || sub?.spawning.isPlanning() === true,
    settings: () => {
      const { approval, web } = readSettings(vscode.Uri.file(folder));
      const { rules, deny, readOnlyShell } = approval;
      return { rules, deny, readOnlyShell, allowHosts: web.allowHosts };
    },
  };
}
