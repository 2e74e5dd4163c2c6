import * as vscode from "vscode";
import { displayLine } from "../../panel/notification-text.ts";
import type { SavedRuleStore, SavedRules } from "../../safety/policy/saved-rules.ts";
import { isSavedRule } from "../../schema/host-validators.ts";
import type { KeyRing } from "../../services/key-ring.ts";
import type { HostedRuns } from "../host/hosted-runs.ts";
import { readSettings } from "../host/settings.ts";

/** What showing permissions needs. */
export interface PermissionsDependencies {
  readonly runs: HostedRuns;
  readonly keys: KeyRing;
  readonly taught: SavedRules;
}

interface Permission extends vscode.QuickPickItem {
  /** Takes it back; absent for what is only told. */
  revoke?(): Promise<void>;
}

const REVOKE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("trash"), tooltip: "Revoke" };

/** Lists everything that is allowed now, each with a button that takes it back. */
export function showPermissions(permitting: PermissionsDependencies): void {
  const pick = vscode.window.createQuickPick<Permission>();
  pick.title = "What Is Allowed";
  pick.placeholder = "Choose an entry to revoke it";
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

function permissions({ runs, keys, taught }: PermissionsDependencies): Permission[] {
  return [
    heading("Granted for now, until the window closes"),
    ...orNothing(grants(runs), "Nothing: every command that writes, runs or leaves the machine asks"),
    heading("Your rules (autogpt.approval.rules)"),
    ...orNothing(rules(), "None"),
    heading("Command lines that may always run, until what they run changes"),
    ...orNothing(
      taught.all.map((rule) => ({
        label: `$(terminal) ${displayLine(rule.line)}`,
        description: displayLine(rule.folder),
        revoke: () => taught.forget(rule),
      })),
      "None",
    ),
    heading("Always refused (autogpt.approval.deny)"),
    ...orNothing(
      readSettings().approval.deny.map((pattern) => ({
        label: displayLine(pattern),
        description: "a workspace can add to these",
      })),
      "None beside the built-in ones",
    ),
    heading("Hosts that may be anywhere (autogpt.web.allowHosts)"),
    ...orNothing(allowedHosts(), "None: nothing on this machine or in its network is asked"),
    heading("Keys, each sent to its own origin only"),
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

/** Keeps what the user has taught in VS Code's own store of this machine, out of every workspace's reach. */
export function taughtStore(state: vscode.Memento): SavedRuleStore {
  return {
    all: () => [state.get<unknown>(KEY, [])].flat().filter(isSavedRule),
    save: async (rules) => state.update(KEY, rules),
  };
}
