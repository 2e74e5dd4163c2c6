import * as vscode from "vscode";
import type { HostedRuns } from "../../editor/panel/hosted-runs.ts";
import {
  type GivenPermission,
  groupPermissions,
  listGrants,
  revokePermission,
} from "../../editor/panel/permissions.ts";
import type { KeyRing } from "../../runtime/services/key-ring.ts";
import type { SavedRuleStore, SavedRules } from "../../safety/policy/saved-rules.ts";
import { isSavedRule } from "../../schema/host-validators.ts";
import type { PanelRequest, PanelUpdate } from "../../schema/panel-messages.ts";
import { t } from "../../texts/language.ts";
import { readSettings } from "../host/settings.ts";
import { PageTab } from "../panel/page-tab.ts";
import type { SharedTerminals } from "../terminal/shared-terminals.ts";

/** Dependencies of the page of permissions. */
export interface PermissionsDependencies {
  readonly extensionUri: vscode.Uri;
  readonly runs: HostedRuns;
  readonly keys: KeyRing;
  readonly savedRules: SavedRules;
  readonly userTerminals: SharedTerminals;
  /** Handles requests that aren't about permissions. */
  handleOtherRequest(message: PanelRequest, reply: (message: PanelUpdate) => void): Promise<void>;
}

/** Everything that is currently allowed, in an editor tab where each entry can be revoked. */
export function createPermissionsTab(parts: PermissionsDependencies): PageTab {
  const tab: PageTab = new PageTab({
    extensionUri: parts.extensionUri,
    viewType: "autogpt.permissions",
    getTitle: () => t("review.permissions"),
    sendContent: async (send) => {
      send({ type: "permissions", groups: [...groupPermissions(collectPermissions(parts))] });
    },
    receive: async (message, reply) => {
      if (message.type !== "revoke") return parts.handleOtherRequest(message, reply);
      const revoked = await revokePermission(collectPermissions(parts), message.id);
      reply({
        type: "notice",
        kind: "info",
        text: revoked ? t("review.revoked") : t("review.alreadyRevoked"),
      });
      tab.refresh();
    },
  });
  return tab;
}

/** Refreshes the page when a permission changes elsewhere, and closes it on disposal. */
export function followPermissions(tab: PageTab, runs: HostedRuns): vscode.Disposable {
  return vscode.Disposable.from(
    tab,
    runs.onChange(() => tab.refresh()),
    vscode.window.onDidCloseTerminal(() => tab.refresh()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("autogpt")) tab.refresh();
    }),
  );
}

function collectPermissions({ runs, keys, savedRules, userTerminals }: PermissionsDependencies): GivenPermission[] {
  const { approval, web, downloads, isolation } = readSettings();
  return [
    ...runs.all.flatMap(listGrants),
    ...savedRules.all.map(
      (rule): GivenPermission => ({
        kind: "lines",
        label: rule.line,
        detail: rule.folder,
        revoke: () => savedRules.forget(rule),
      }),
    ),
    ...approval.rules.map(
      (rule, index): GivenPermission => ({
        kind: "rules",
        label: JSON.stringify(rule),
        revoke: () => update("approval.rules", approval.rules.toSpliced(index, 1)),
      }),
    ),
    ...approval.deny.map((pattern): GivenPermission => ({ kind: "denied", label: pattern })),
    ...listSettingPermissions("hosts", "web.allowHosts", web.allowHosts),
    ...listSettingPermissions("isolationHosts", "isolation.hosts", isolation.hosts),
    ...listSettingPermissions("isolationFiles", "isolation.lend", isolation.lend),
    ...(downloads.enabled
      ? [
          {
            kind: "downloads",
            label: t("review.downloadsOn"),
            revoke: () => update("downloads.enabled", false),
          } as const,
        ]
      : []),
    ...userTerminals
      .list()
      .filter(({ isShared }) => isShared)
      .map(
        ({ label }): GivenPermission => ({
          kind: "terminals",
          label,
          revoke: async () => userTerminals.revoke(label),
        }),
      ),
    ...keys
      .listOrigins()
      .map((origin): GivenPermission => ({ kind: "keys", label: origin, revoke: () => keys.clear(origin) })),
  ];
}

/** The entries of a list in the settings. */
function listSettingPermissions(
  kind: GivenPermission["kind"],
  setting: string,
  values: readonly string[],
): readonly GivenPermission[] {
  return values.map((label, index) => ({
    kind,
    label,
    revoke: () => update(setting, values.toSpliced(index, 1)),
  }));
}

function update(setting: string, value: unknown): Thenable<void> {
  return vscode.workspace.getConfiguration("autogpt").update(setting, value, vscode.ConfigurationTarget.Global);
}

const KEY = "autogpt.taughtRules";

/** Stores rules saved by the user in the editor's global state, where no workspace can change them. */
export function createSavedRuleStore(state: vscode.Memento): SavedRuleStore {
  return {
    list: () => [state.get<unknown>(KEY, [])].flat().filter(isSavedRule),
    save: async (rules) => state.update(KEY, rules),
  };
}
