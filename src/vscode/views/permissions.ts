import * as vscode from "vscode";
import type { HostedRuns } from "../../panel/hosted-runs.ts";
import { displayLine } from "../../panel/notification-text.ts";
import type { SavedRuleStore, SavedRules } from "../../safety/policy/saved-rules.ts";
import { isSavedRule } from "../../schema/host-validators.ts";
import type { KeyRing } from "../../services/key-ring.ts";
import { readSettings } from "../host/settings.ts";
import type { SharedTerminals } from "../terminal/shared-terminals.ts";

/** Dependencies of showing permissions. */
export interface PermissionsDependencies {
  readonly runs: HostedRuns;
  readonly keys: KeyRing;
  readonly savedRules: SavedRules;
  readonly userTerminals: SharedTerminals;
}

interface Permission extends vscode.QuickPickItem {
  /** Revokes the permission; absent if it is only listed. */
  revoke?(): Promise<void>;
}

const REVOKE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("trash"), tooltip: "Revoke" };

/** Lists everything that is currently allowed, each with a button to revoke it. */
export function showPermissions(permitting: PermissionsDependencies): void {
  const pick = vscode.window.createQuickPick<Permission>();
  pick.title = "What Is Allowed";
  pick.placeholder = "Select to revoke";
  const refresh = (): void => {
    pick.items = permissions(permitting).map((item) => (item.revoke ? { ...item, buttons: [REVOKE] } : item));
  };
  const revoke = async (item: Permission | undefined): Promise<void> => {
    await item?.revoke?.();
    refresh();
  };
  pick.onDidTriggerItemButton(({ item }) => void revoke(item));
  pick.onDidAccept(() => void revoke(pick.selectedItems[0]));
  pick.onDidHide(() => pick.dispose());
  refresh();
  pick.show();
}

function permissions({ runs, keys, savedRules, userTerminals }: PermissionsDependencies): Permission[] {
  return [
    heading("Approved until the window closes"),
    ...orNothing(
      grants(runs),
      "Nothing. Every command that changes files, runs programs or uses the network needs approval.",
    ),
    heading("Your rules (autogpt.approval.rules)"),
    ...orNothing(rules(), "None"),
    heading("Command lines that are always allowed, until the programs they run change"),
    ...orNothing(
      savedRules.all.map((rule) => ({
        label: `$(terminal) ${displayLine(rule.line)}`,
        description: displayLine(rule.folder),
        revoke: () => savedRules.forget(rule),
      })),
      "None",
    ),
    heading("Terminals that agents can read, until they are closed"),
    ...orNothing(
      userTerminals
        .list()
        .filter(({ isShared }) => isShared)
        .map(({ label }) => ({
          label: `$(terminal) ${displayLine(label)}`,
          revoke: async () => userTerminals.revoke(label),
        })),
      "None",
    ),
    heading("Always refused (autogpt.approval.deny)"),
    ...orNothing(
      readSettings().approval.deny.map((pattern) => ({
        label: displayLine(pattern),
        description: "a workspace can add patterns",
      })),
      "Built-in only",
    ),
    heading("Allowed local hosts (autogpt.web.allowHosts)"),
    ...orNothing(allowedHosts(), "None. Hosts on this machine and in its network are blocked."),
    heading("API keys, each sent only to its own origin"),
    ...orNothing(
      keys
        .origins()
        .map((origin) => ({ label: `$(key) ${displayLine(origin)}`, revoke: () => keys.clear(origin) })),
      "No key is stored",
    ),
  ];
}

function grants(runs: HostedRuns): Permission[] {
  return runs.all.flatMap((hosted): Permission[] => {
    const { grants: granted, run } = hosted;
    if (!granted) return [];
    const name = displayLine(run.state.profile.name);
    const some: Permission[] = [];
    if (granted.left > 0) {
      some.push({
        label: `$(check-all) ${name}: the next ${granted.left} commands`,
        revoke: async () => granted.endGrant(),
      });
    }
    if (granted.continuousLeft > 0) {
      some.push({
        label: `$(warning) ${name}: continuous mode, ${granted.continuousLeft} more commands`,
        revoke: async () => {
          granted.stopContinuous();
          await run.record({ type: "changed", mode: "ask" });
        },
      });
    }
    for (const host of granted.hosts)
      some.push({
        label: `$(globe) ${name}: ${displayLine(host)}`,
        description: "host",
        revoke: async () => granted.forgetHost(host),
      });
    return some;
  });
}

function rules(): Permission[] {
  const { rules: all } = readSettings().approval;
  return all.map((rule, index) => ({
    label: displayLine(JSON.stringify(rule)),
    revoke: async () => {
      const settings = vscode.workspace.getConfiguration("autogpt");
      await settings.update("approval.rules", all.toSpliced(index, 1), vscode.ConfigurationTarget.Global);
    },
  }));
}

function allowedHosts(): Permission[] {
  const { allowHosts } = readSettings().web;
  return allowHosts.map((host, index) => ({
    label: `$(globe) ${displayLine(host)}`,
    revoke: async () => {
      const settings = vscode.workspace.getConfiguration("autogpt");
      const left = allowHosts.toSpliced(index, 1);
      await settings.update("web.allowHosts", left, vscode.ConfigurationTarget.Global);
    },
  }));
}

function heading(label: string): Permission {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function orNothing(items: Permission[], nothing: string): Permission[] {
  return items.length > 0 ? items : [{ label: nothing }];
}

const KEY = "autogpt.taughtRules";

/** Stores rules saved by the user in VS Code's global state, where no workspace can change them. */
export function savedRuleStore(state: vscode.Memento): SavedRuleStore {
  return {
    all: () => [state.get<unknown>(KEY, [])].flat().filter(isSavedRule),
    save: async (rules) => state.update(KEY, rules),
  };
}
