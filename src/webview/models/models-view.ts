import { html, nothing, type TemplateResult } from "lit/html.js";
import { explainSourceState, formatSourceLabel, isKeyRequired } from "../../core/ports/model-source.ts";
import type { PanelRequest } from "../../schema/panel-messages.ts";
import type { ModelsPage, ShownProvider } from "../../schema/panel-values.ts";
import { t, write } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { type ButtonOptions, noticeView, PAGE_HEADING_ID, renderButton } from "../ui/buttons.ts";
import { renderIcon } from "../ui/icons.ts";

type Change = Extract<PanelRequest, { readonly type: "changeProvider" }>["change"];

/** The Models page: the models in use, and the providers with their states and keys. */
export function renderModelsPage(panel: Panel, page: ModelsPage): TemplateResult {
  const check = (): void => panel.send({ type: "checkProviders" });
  return html`<main class="models-page">
    <header>
      <h1 id=${PAGE_HEADING_ID} tabindex="-1">${t("models.page")}</h1>
      ${renderButton(page.looking ? t("models.checking") : t("models.checkAgainButton"), check, { kind: "quiet", disabled: page.looking === true })}
    </header>
    ${noticeView(panel)}
    <section aria-label=${t("models.inUse")}>${renderRoles(panel, page)}</section>
    <section aria-labelledby="providers-heading">
      <h2 id="providers-heading">${t("models.providers")}</h2>
      <ul role="list" class="providers">
        ${page.providers.map((provider) => renderProvider(panel, provider, page))}
      </ul>
      <p class="hint">${t("models.keysHint")}</p>
    </section>
    <section aria-labelledby="add-heading">
      <h2 id="add-heading">${t("models.addProvider")}</h2>
      <div class="row">${renderPresets(panel, page)}</div>
    </section>
  </main>`;
}

function renderRoles(panel: Panel, { smart, fast, looking }: ModelsPage): TemplateResult {
  const formatModelName = (model: ModelsPage["smart"]): string =>
    model ? t("models.modelAt", { model: model.label, provider: model.provider }) : "";
  const none = looking ? t("models.checking") : t("models.noModel");
  return html`${renderRole(panel, "smart", formatModelName(smart) || none)}
  ${renderRole(panel, "fast", formatModelName(fast) || (smart ? t("models.sameAsMain") : none))}`;
}

function renderRole(panel: Panel, role: "smart" | "fast", model: string): TemplateResult {
  const isMain = role === "smart";
  const title = isMain ? t("models.changeMain") : t("models.changeFast");
  return html`<div class="role">
    <h2>${isMain ? t("models.mainModel") : t("models.fastRole")}</h2>
    <p class="model" dir="auto">${model}</p>
    <p class="hint">${isMain ? t("models.mainHint") : t("models.fastHint")}</p>
    ${renderButton(t("models.changeButton"), () => panel.send({ type: "pickModel", role }), { title, isNamedByTitle: true, id: `change-${role}` })}
  </div>`;
}

/** One provider: its state, the reason for a problem, and the possible actions. */
function renderProvider(panel: Panel, provider: ShownProvider, page: ModelsPage): TemplateResult {
  const { id, label, address, source } = provider;
  const kind = source?.state.kind;
  const isCalm = kind === undefined || kind === "connected" || kind === "noKey" || kind === "noChatModels";
  const reason = source && explainSourceState(source);
  return html`<li class="provider" data-provider=${id}>
    ${renderStateIcon(kind)}
    <div class="about">
      <h3 dir="auto">${label}</h3>
      ${address === "" ? nothing : html`<p class="address" dir="ltr">${address}</p>`}
    </div>
    <p class="state ${isCalm ? "" : "trouble"}">${source ? write(formatSourceLabel(source)) : t("models.checking")}</p>
    ${reason ? html`<p class="why" dir="auto">${write(reason)}</p>` : nothing}
    <div class="row">${renderProviderActions(panel, provider, page)}</div>
    ${provider.editable ? html`<div class="tools">${renderProviderTools(panel, provider)}</div>` : nothing}
  </li>`;
}

function renderStateIcon(kind: string | undefined): TemplateResult {
  if (kind === undefined) return renderIcon("working");
  if (kind === "connected") return renderIcon("accept", "good");
  if (kind === "noChatModels") return renderIcon("model", "quiet");
  return kind === "noKey" || kind === "incomplete" ? renderIcon("key", "quiet") : renderIcon("warning", "warn");
}

function renderProviderButton(
  panel: Panel,
  { id, label }: ShownProvider,
  change: Change,
  text: string,
  look: ButtonOptions = {},
): TemplateResult {
  const title = t("models.forProvider", { action: text, provider: label });
  return renderButton(text, () => panel.send({ type: "changeProvider", id, change }), {
    kind: "quiet",
    title,
    isNamedByTitle: true,
    ...look,
  });
}

/** Buttons of a provider that the user has added. */
function renderProviderTools(panel: Panel, provider: ShownProvider): readonly TemplateResult[] {
  return [
    renderProviderButton(panel, provider, "editAddress", t("models.editAddressButton"), {
      icon: "edit",
      iconOnly: true,
    }),
    renderProviderButton(panel, provider, "remove", t("models.removeButton"), {
      icon: "close",
      iconOnly: true,
    }),
  ];
}

function renderProviderActions(panel: Panel, provider: ShownProvider, page: ModelsPage): readonly unknown[] {
  const { hasKey, takesKey, source } = provider;
  const renderAction = (change: Change, text: string, look: ButtonOptions = {}): TemplateResult =>
    renderProviderButton(panel, provider, change, text, look);
  const needs = source !== undefined && isKeyRequired(source);
  const isUrgent = needs && (provider.main || !page.smart);
  const isFirst = page.providers.find(({ main }) => main) === provider;
  const look: ButtonOptions = needs ? { kind: isUrgent && isFirst ? "primary" : "secondary" } : {};
  return [
    source?.state.kind === "noChatModels"
      ? renderButton(t("models.findExtensionsButton"), () => panel.send({ type: "addProvider", way: "vscode" }))
      : nothing,
    takesKey
      ? renderAction("setKey", hasKey ? t("models.changeKeyButton") : t("actions.setApiKeyButton"), look)
      : nothing,
    hasKey ? renderAction("removeKey", t("models.removeKeyButton")) : nothing,
  ];
}

/** Providers that can be added. */
function renderPresets(panel: Panel, { presets }: ModelsPage): readonly TemplateResult[] {
  const add = (way: string, label: string): TemplateResult =>
    renderButton(label, () => panel.send({ type: "addProvider", way }), { icon: "add" });
  return [
    ...presets.map(({ id, label }) => add(id, label)),
    add("azure", t("models.azure")),
    add("server", t("models.otherServer")),
  ];
}
