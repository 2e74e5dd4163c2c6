import { html, nothing, type TemplateResult } from "lit/html.js";
import { needsKey, sourceLabel, sourceReason } from "../../core/ports/model-source.ts";
import type { PanelRequest } from "../../schema/panel-messages.ts";
import type { ModelsPage, ShownProvider } from "../../schema/panel-values.ts";
import { t, write } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { type ButtonOptions, button, noticeView, PAGE_HEADING_ID } from "../ui/buttons.ts";
import { icon } from "../ui/icons.ts";

type Change = Extract<PanelRequest, { readonly type: "changeProvider" }>["change"];

/** The Models page: the models in use, and the providers with their states and keys. */
export function modelsView(panel: Panel, page: ModelsPage): TemplateResult {
  const check = (): void => panel.send({ type: "checkProviders" });
  return html`<main class="models-page">
    <header>
      <h1 id=${PAGE_HEADING_ID} tabindex="-1">${t("models.page")}</h1>
      ${button(page.looking ? t("models.checking") : t("models.checkAgainButton"), check, { kind: "quiet", disabled: page.looking === true })}
    </header>
    ${noticeView(panel)}
    <section aria-label=${t("models.inUse")}>${rolesView(panel, page)}</section>
    <section aria-labelledby="providers-heading">
      <h2 id="providers-heading">${t("models.providers")}</h2>
      <ul role="list" class="providers">
        ${page.providers.map((provider) => providerView(panel, provider, page))}
      </ul>
      <p class="hint">${t("models.keysHint")}</p>
    </section>
    <section aria-labelledby="add-heading">
      <h2 id="add-heading">${t("models.addProvider")}</h2>
      <div class="row">${waysView(panel, page)}</div>
    </section>
  </main>`;
}

function rolesView(panel: Panel, { smart, fast, looking }: ModelsPage): TemplateResult {
  const named = (model: ModelsPage["smart"]): string =>
    model ? t("models.modelAt", { model: model.label, provider: model.provider }) : "";
  const none = looking ? t("models.checking") : t("models.noModel");
  return html`${roleView(panel, "smart", named(smart) || none)}
  ${roleView(panel, "fast", named(fast) || (smart ? t("models.sameAsMain") : none))}`;
}

function roleView(panel: Panel, role: "smart" | "fast", model: string): TemplateResult {
  const isMain = role === "smart";
  const title = isMain ? t("models.changeMain") : t("models.changeFast");
  return html`<div class="role">
    <h2>${isMain ? t("models.mainModel") : t("models.fastRole")}</h2>
    <p class="model" dir="auto">${model}</p>
    <p class="hint">${isMain ? t("models.mainHint") : t("models.fastHint")}</p>
    ${button(t("models.changeButton"), () => panel.send({ type: "pickModel", role }), { title, isNamedByTitle: true, id: `change-${role}` })}
  </div>`;
}

/** One provider: its state, the reason for trouble, and what can be done. */
function providerView(panel: Panel, provider: ShownProvider, page: ModelsPage): TemplateResult {
  const { id, label, address, source } = provider;
  const kind = source?.state.kind;
  const isCalm = kind === undefined || kind === "connected" || kind === "noKey" || kind === "noChatModels";
  const reason = source && sourceReason(source);
  return html`<li class="provider" data-provider=${id}>
    ${stateIcon(kind)}
    <div class="about">
      <h3 dir="auto">${label}</h3>
      ${address === "" ? nothing : html`<p class="address" dir="ltr">${address}</p>`}
    </div>
    <p class="state ${isCalm ? "" : "trouble"}">${source ? write(sourceLabel(source)) : t("models.checking")}</p>
    ${reason ? html`<p class="why" dir="auto">${write(reason)}</p>` : nothing}
    <div class="row">${actionsView(panel, provider, page)}</div>
    ${provider.editable ? html`<div class="tools">${toolsView(panel, provider)}</div>` : nothing}
  </li>`;
}

function stateIcon(kind: string | undefined): TemplateResult {
  if (kind === undefined) return icon("working");
  if (kind === "connected") return icon("accept", "good");
  if (kind === "noChatModels") return icon("model", "quiet");
  return kind === "noKey" || kind === "incomplete" ? icon("key", "quiet") : icon("warning", "warn");
}

function changeButton(
  panel: Panel,
  { id, label }: ShownProvider,
  change: Change,
  text: string,
  look: ButtonOptions = {},
): TemplateResult {
  const title = t("models.forProvider", { action: text, provider: label });
  return button(text, () => panel.send({ type: "changeProvider", id, change }), {
    kind: "quiet",
    title,
    isNamedByTitle: true,
    ...look,
  });
}

/** Buttons of a provider that the user has added. */
function toolsView(panel: Panel, provider: ShownProvider): readonly TemplateResult[] {
  return [
    changeButton(panel, provider, "editAddress", t("models.editAddressButton"), {
      icon: "edit",
      iconOnly: true,
    }),
    changeButton(panel, provider, "remove", t("models.removeButton"), { icon: "close", iconOnly: true }),
  ];
}

function actionsView(panel: Panel, provider: ShownProvider, page: ModelsPage): readonly unknown[] {
  const { hasKey, takesKey, source } = provider;
  const act = (change: Change, text: string, look: ButtonOptions = {}): TemplateResult =>
    changeButton(panel, provider, change, text, look);
  const needs = source !== undefined && needsKey(source);
  const isUrgent = needs && (provider.main || !page.smart);
  const isFirst = page.providers.find(({ main }) => main) === provider;
  const look: ButtonOptions = needs ? { kind: isUrgent && isFirst ? "primary" : "secondary" } : {};
  return [
    source?.state.kind === "noChatModels"
      ? button(t("models.findExtensionsButton"), () => panel.send({ type: "addProvider", way: "vscode" }))
      : nothing,
    takesKey
      ? act("setKey", hasKey ? t("models.changeKeyButton") : t("actions.setApiKeyButton"), look)
      : nothing,
    hasKey ? act("removeKey", t("models.removeKeyButton")) : nothing,
  ];
}

/** Providers that can be added. */
function waysView(panel: Panel, { presets }: ModelsPage): readonly TemplateResult[] {
  const add = (way: string, label: string): TemplateResult =>
    button(label, () => panel.send({ type: "addProvider", way }), { icon: "add" });
  return [
    ...presets.map(({ id, label }) => add(id, label)),
    add("azure", t("models.azure")),
    add("server", t("models.otherServer")),
  ];
}
