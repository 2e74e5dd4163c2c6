import { platform } from "node:os";
import { fileLocksOf } from "../runs/store/file-locks.ts";
import type { PolicyState } from "../safety/policy/policy-state.ts";
import type { Host } from "./host.ts";
import type { RunParts } from "./run-parts.ts";

/** The state that the policy of a run decides by. Settings are read at each decision. */
export function runPolicy(host: Host, parts: RunParts, folder: string): PolicyState {
  const { grants, provenance, folders, shell, late, sub, commands } = parts;
  const { processes, storage, workspace } = host;
  const parent = sub?.spawning.parent.state.id;
  const others = async () => (await storage.runs()).filter(({ id }) => id !== parent);
  const claims = fileLocksOf(late.run?.state.id ?? "", others);
  return {
    grants,
    provenance,
    platform: platform(),
    rules: host.approver.rules(commands),
    lines: {
      disk: processes.disk,
      ...(storage.savedRules ? { savedRules: storage.savedRules } : {}),
      shell: () => processes.shellKnowledge(),
    },
    sandbox: () => shell.sandbox,
    tampering: () => shell.tampering,
    unsaved: () => unsavedOf(host, folders()),
    folders,
    trusted: () => workspace.isTrusted(),
    claims: (paths) => claims.on(paths),
    ownFiles: parts.ownFiles,
    ...isolatedState(host, parts),
    planning: () => late.run?.state.mode === "plan" || sub?.spawning.isPlanning() === true,
    settings: () => {
      const { approval, web } = host.settings(folder);
      const { rules, deny, readOnlyShell } = approval;
      return { rules, deny, readOnlyShell, allowHosts: web.allowHosts };
    },
  };
}

/** The agents' changes that aren't saved, and how to leave them that way. */
function unsavedOf(
  { workspace }: Host,
  folders: readonly string[],
): ReturnType<NonNullable<PolicyState["unsaved"]>> {
  const { unsavedChanges } = workspace;
  return { paths: unsavedChanges?.below(folders) ?? [], leave: () => unsavedChanges?.leave(folders) };
}

/** An isolated run's part of the state. */
function isolatedState({ isolated }: Host, { inCopy }: RunParts): Pick<PolicyState, "isolated"> {
  if (!isolated) return {};
  const { folders, visible } = isolated.copy;
  const places = [...visible, ...folders.map(({ path }) => path)];
  return { isolated: { commands: inCopy, folders, places } };
}
