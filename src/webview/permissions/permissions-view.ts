import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Permission, PermissionGroup } from "../../schema/panel-values.ts";
import { t } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { noticeView, PAGE_HEADING_ID, renderButton } from "../ui/buttons.ts";
import { type IconName, renderIcon } from "../ui/icons.ts";

/** The permissions page: all current permissions, each with a button to revoke it. */
export function renderPermissionsPage(panel: Panel, groups: readonly PermissionGroup[]): TemplateResult {
  return html`<main class="permissions-page">
    <header>
      <h1 id=${PAGE_HEADING_ID} tabindex="-1">${t("review.permissions")}</h1>
      <p class="lead">${t("review.permissionsLead")}</p>
    </header>
    ${noticeView(panel)}
    ${groups.map((group) => renderPermissionGroup(panel, group))}
  </main>`;
}

const ICONS: Readonly<Record<PermissionGroup["kind"], IconName>> = {
  grants: "accept",
  lines: "terminal",
  rules: "shield",
  denied: "close",
  hosts: "external",
  isolationHosts: "external",
  isolationFiles: "key",
  downloads: "file",
  terminals: "terminal",
  keys: "key",
};

function renderPermissionGroup(panel: Panel, { kind, setting, permissions }: PermissionGroup): TemplateResult {
  const heading = `permissions-${kind}`;
  const edit = (): void => {
    if (setting !== undefined) panel.send({ type: "openSetting", setting: `autogpt.${setting}` });
  };
  return html`<section class="permissions" aria-labelledby=${heading}>
    <div class="group-head">
      <h2 id=${heading}>${renderIcon(ICONS[kind], "quiet")}${t(`review.permissions.${kind}`)}</h2>
      ${
        setting === undefined
          ? nothing
          : renderButton(t("review.editSettingButton"), edit, {
              kind: "quiet",
              title: `autogpt.${setting}`,
              describedBy: heading,
            })
      }
    </div>
    <p class="hint">${t(`review.permissionsHint.${kind}`)}</p>
    ${
      permissions.length === 0
        ? html`<p class="none">${t("review.noPermissions")}</p>`
        : html`<ul role="list">${permissions.map((one) => renderPermission(panel, one))}</ul>`
    }
  </section>`;
}

function renderPermission(panel: Panel, { id, label, detail, revocable }: Permission): TemplateResult {
  const revoke = (): void => {
    panel.send({ type: "revoke", id });
    panel.focus(PAGE_HEADING_ID);
  };
  return html`<li>
    <div class="about">
      <p dir="auto">${label}</p>
      ${detail === undefined ? nothing : html`<p class="hint" dir="auto">${detail}</p>`}
    </div>
    ${revocable ? renderButton(t("review.revokeButton"), revoke, { title: t("review.revokeOf", { permission: label }), isNamedByTitle: true }) : nothing}
  </li>`;
}
