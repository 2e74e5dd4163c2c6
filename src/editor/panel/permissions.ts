import { omitUndefined } from "../../core/base/objects.ts";
import type { PermissionGroup } from "../../schema/panel-values.ts";
import { t } from "../../texts/language.ts";
import { formatDisplayLine } from "./notification-text.ts";

/** A permission, and how to revoke it. */
export interface GivenPermission {
  readonly kind: PermissionGroup["kind"];
  readonly label: string;
  readonly detail?: string;
  /** Absent if it can be changed only in the settings. */
  revoke?(): PromiseLike<unknown>;
}

/** The groups of the page, in order, each with the setting that holds its entries. */
const GROUPS: Readonly<Record<PermissionGroup["kind"], string | undefined>> = {
  grants: undefined,
  lines: undefined,
  rules: "approval.rules",
  denied: "approval.deny",
  hosts: "web.allowHosts",
  isolationHosts: "isolation.hosts",
  isolationFiles: "isolation.lend",
  downloads: "downloads.enabled",
  terminals: undefined,
  keys: undefined,
};

/** The contents of the page: all groups, including empty ones. */
export function groupPermissions(given: readonly GivenPermission[]): readonly PermissionGroup[] {
  return Object.entries(GROUPS).map(([kind, setting]) => ({
    kind: kind as PermissionGroup["kind"],
    ...omitUndefined({ setting }),
    permissions: given
      .filter((one) => one.kind === kind)
      .map((one) => ({
        id: getPermissionId(one),
        label: formatDisplayLine(one.label),
        ...(one.detail === undefined ? {} : { detail: formatDisplayLine(one.detail) }),
        revocable: one.revoke !== undefined,
      })),
  }));
}

/** Revokes the permission with this id. False if it no longer exists. */
export async function revokePermission(given: readonly GivenPermission[], id: string): Promise<boolean> {
  const found = given.find((one) => one.revoke !== undefined && getPermissionId(one) === id);
  await found?.revoke?.();
  return found !== undefined;
}

function getPermissionId({ kind, label, detail = "" }: GivenPermission): string {
  return JSON.stringify([kind, label, detail]);
}

/** A run's approvals in advance. */
interface RunGrants {
  readonly left: number;
  readonly continuousLeft: number;
  readonly hosts: readonly string[];
  endGrant(): void;
  stopContinuous(): void;
  forgetHost(host: string): void;
}

/** The part of a run that permissions depend on. */
interface GrantingRun {
  readonly grants?: RunGrants;
  /** Set for a run that works in a copy. */
  readonly isolation?: unknown;
  readonly run: {
    readonly state: { readonly task: string; readonly end?: unknown };
    record(event: { readonly type: "changed"; readonly mode: "ask" }): Promise<unknown>;
  };
}

/** The approvals that a run was given in advance. */
export function listGrants({ grants, run, isolation }: GrantingRun): readonly GivenPermission[] {
  if (!grants) return [];
  const detail = run.state.task;
  const given: GivenPermission[] = [];
  if (isolation !== undefined && run.state.end === undefined)
    given.push({ kind: "grants", label: t("isolation.allowedInside"), detail });
  if (grants.left > 0)
    given.push({
      kind: "grants",
      label: t("review.nextCommands", { count: grants.left }),
      detail,
      revoke: async () => grants.endGrant(),
    });
  if (grants.continuousLeft > 0)
    given.push({
      kind: "grants",
      label: t("review.continuousCommands", { count: grants.continuousLeft }),
      detail,
      revoke: async () => {
        grants.stopContinuous();
        await run.record({ type: "changed", mode: "ask" });
      },
    });
  for (const host of grants.hosts)
    given.push({
      kind: "grants",
      label: t("review.allowedHost", { host }),
      detail,
      revoke: async () => grants.forgetHost(host),
    });
  return given;
}
