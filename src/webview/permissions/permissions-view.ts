import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Permission, PermissionGroup } from "../../schema/panel-values.ts";
import { t } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { noticeView, PAGE_HEADING_ID, renderButton } from "../ui/buttons.ts";
import { type IconName, renderIcon } from "../ui/icons.ts";

/** The permissions page: all current permissions, each with a button to revoke it. */
export function renderPermissionsPage(panel: Panel, groups: readonly PermissionGroup[]): TemplateResult {
  const given = groups.filter(({ permissions }) => permissions.length > 0);
  const empty = groups.filter(({ permissions }) => permissions.length === 0);
  return html`<main class="permissions-page">
    <header>
      <h1 id=${PAGE_HEADING_ID} tabindex="-1">${t("review.permissions")}</h1>
      <p class="lead">${t("review.permissionsLead")}</p>
    </header>
    ${noticeView(panel)}
    ${given.map((group) => renderPermissionGroup(panel, group))}
    ${empty.length === 0 ? nothing : renderNothingElse(panel, empty, given.length > 0)}
  </main>`;
}

/** The kinds of permissions that nothing has, each with its setting. */
function renderNothingElse(panel: Panel, groups: readonly PermissionGroup[], hasOthers: boolean): TemplateResult {
  return html`<section class="permissions" aria-labelledby="permissions-none">
    <h2 id="permissions-none">${hasOthers ? t("review.nothingElse") : t("review.nothingAllowed")}</h2>
    <ul role="list">${groups.map(
      (group) => html`<li>
        <p class="about" id=${`permissions-${group.kind}`}>${renderIcon(ICONS[group.kind], "quiet")}${t(`review.permissions.${group.kind}`)}</p>
        ${renderSettingButton(panel, group)}
      </li>`,
    )}</ul>
  </section>`;
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

function renderSettingButton(panel: Panel, { kind, setting }: PermissionGroup): TemplateResult | typeof nothing {
  if (setting === undefined) return nothing;
  return renderButton(
    t("review.editSettingButton"),
    () => panel.send({ type: "openSetting", setting: `autogpt.${setting}` }),
    { kind: "quiet", title: `autogpt.${setting}`, describedBy: `permissions-${kind}` },
  );
}

function renderPermissionGroup(panel: Panel, group: PermissionGroup): TemplateResult {
  const { kind, permissions } = group;
  const heading = `permissions-${kind}`;
  return html`<section class="permissions" aria-labelledby=${heading}>
    <div class="group-head">
      <h2 id=${heading}>${renderIcon(ICONS[kind], "quiet")}${t(`review.permissions.${kind}`)}</h2>
      ${renderSettingButton(panel, group)}
    </div>
    <p class="hint">${t(`review.permissionsHint.${kind}`)}</p>
    <ul role="list">${permissions.map((one) => renderPermission(panel, one))}</ul>
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
