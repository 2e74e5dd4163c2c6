import { platform } from "node:os";
import { omitUndefined } from "../core/base/objects.ts";
import { createFileLocks } from "../runs/store/file-locks.ts";
import type { PolicyState } from "../safety/policy/policy-state.ts";
import type { Host } from "./host.ts";
import type { RunParts } from "./run-parts.ts";

/** The state on which the policy of a run bases its decisions. Settings are read at each decision. */
export function createRunPolicy(
  host: Host,
  parts: RunParts,
  { folder, id, isPlanning }: { readonly folder: string; readonly id: string; isPlanning(): boolean },
): PolicyState {
  const { grants, provenance, listFolders, shell, sub, commands } = parts;
  const { processes, storage, workspace } = host;
  const parent = sub?.spawning.parent.state.id;
  const listOtherRuns = async () => (await storage.listRuns()).filter(({ id }) => id !== parent);
  const claims = createFileLocks(id, listOtherRuns);
  return {
    grants,
    provenance,
    platform: platform(),
    rules: host.approver.listRules(commands),
    lines: {
      disk: processes.disk,
      ...omitUndefined({ savedRules: storage.savedRules }),
      loadShellLanguage: () => processes.loadShellLanguage(),
    },
    getSandboxMode: () => shell.sandbox,
    findTampering: () => shell.tampering,
    getUnsavedChanges: () => getUnsavedChanges(host, listFolders()),
    listFolders,
    isTrusted: () => workspace.isTrusted(),
    claims: (paths) => claims.findLock(paths),
    ownFiles: parts.loadOwnFiles,
    ...getIsolatedState(host, parts),
    isPlanning,
    getSettings: () => {
      const { approval, web } = host.getSettings(folder);
      const { rules, deny, readOnlyShell } = approval;
      return { rules, deny, readOnlyShell, allowHosts: web.allowHosts };
    },
  };
}

/** The agents' unsaved changes, and a way to leave them unsaved. */
function getUnsavedChanges(
  { workspace }: Host,
  folders: readonly string[],
): ReturnType<NonNullable<PolicyState["getUnsavedChanges"]>> {
  const { unsavedChanges } = workspace;
  return {
    paths: unsavedChanges?.listUnsavedBelow(folders) ?? [],
    leave: () => unsavedChanges?.leave(folders),
  };
}

/** An isolated run's part of the state. */
function getIsolatedState({ isolated }: Host, { inCopy }: RunParts): Pick<PolicyState, "isolated"> {
  if (!isolated) return {};
  const { folders, visible } = isolated.copy;
  const places = [...visible, ...folders.map(({ path }) => path)];
  return { isolated: { commands: inCopy, folders, places } };
}
