import { html, nothing, type TemplateResult } from "lit/html.js";
import type { PluginStep, ShownPlugin, ShownTool, ToolsPage } from "../../schema/plugin-values.ts";
import { t, write } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { type ButtonOptions, noticeView, PAGE_HEADING_ID, renderButton, renderRemedyRow } from "../ui/buttons.ts";
import { type IconName, renderIcon } from "../ui/icons.ts";
import { renderMenu } from "../ui/menu.ts";

/** The page of tools and plugins: each server and plugin with its state, and the ways to add a server. */
export function renderToolsPage(panel: Panel, { groups, known }: ToolsPage): TemplateResult {
  const check = (): void => panel.send({ type: "checkPlugins" });
  return html`<main class="models-page tools-page">
    <header>
      <h1 id=${PAGE_HEADING_ID} tabindex="-1">${t("plugins.page")}</h1>
      ${renderButton(t("models.checkAgainButton"), check, { kind: "quiet" })}
    </header>
    ${noticeView(panel)}
    ${groups.length === 0 ? html`<p>${t("plugins.none")}</p>` : nothing}
    ${groups.map(
      ({ title, plugins }, index) => html`<section aria-labelledby="group-${index}">
        <h2 id="group-${index}">${write(title)}</h2>
        <ul role="list" class="providers">${plugins.map((plugin) => renderPlugin(panel, plugin))}</ul>
      </section>`,
    )}
    <section aria-labelledby="add-heading">
      <h2 id="add-heading">${t("plugins.addServer")}</h2>
      <div class="row">
        ${renderAddButton(panel, "command", t("plugins.byCommand"))} ${renderAddButton(panel, "address", t("plugins.byAddress"))}
        ${renderAddButton(panel, "import", t("plugins.importButtonTitle"))}
      </div>
      <div class="row">${known.map(({ id, label, about }) => renderAddButton(panel, id, label, write(about)))}</div>
      <p class="hint">${t("plugins.knownHint")} ${t("plugins.secretsHint")}</p>
    </section>
  </main>`;
}

function renderAddButton(panel: Panel, way: string, label: string, title?: string): TemplateResult {
  const add = (): void => panel.send({ type: "addServer", way });
  return renderButton(label, add, { icon: "add", ...(title === undefined ? {} : { title }) });
}

/** One plugin: its state, all that would run, its limits, and the possible actions. */
function renderPlugin(panel: Panel, plugin: ShownPlugin): TemplateResult {
  const { key, name, facts, description, state, limits, why, warning, tools } = plugin;
  return html`<li class="provider" data-plugin=${key}>
    ${renderIcon(...STATE_ICONS[state])}
    <div class="about">
      <h3 dir="auto">${name}</h3>
      <p class="address">${facts.map(write).join(" · ")}</p>
      ${description === "" ? nothing : html`<p class="program" dir="auto">${description}</p>`}
    </div>
    <p class="state ${CALM.has(state) ? "" : "trouble"}">${t(`plugins.state.${state}`)}</p>
    ${why ? html`<div class="why"><p dir="auto">${write(why)}</p>${renderRemedyRow(panel, why, { kind: "quiet" })}</div>` : nothing}
    ${warning ? html`<p class="why warning" dir="auto">${renderIcon("warning", "warn")}${write(warning)}</p>` : nothing}
    <p class="why" dir="auto">${write(limits)}</p>
    ${renderSecrets(panel, plugin)} ${tools ? renderTools(tools) : nothing}
    <div class="row">${renderSteps(panel, plugin)}</div>
  </li>`;
}

const CALM: ReadonlySet<ShownPlugin["state"]> = new Set(["on", "running", "starting", "off", "denied", "excluded"]);

const STATE_ICONS: Readonly<Record<ShownPlugin["state"], readonly [IconName, string]>> = {
  new: ["ask", "warn"],
  changed: ["ask", "warn"],
  on: ["accept", "quiet"],
  running: ["accept", "good"],
  starting: ["working", ""],
  failed: ["warning", "warn"],
  broken: ["warning", "warn"],
  denied: ["close", "quiet"],
  off: ["close", "quiet"],
  excluded: ["close", "quiet"],
};

/** Secrets that the server's entry names. Their values never reach the page. */
function renderSecrets(panel: Panel, { key, name: server, secrets }: ShownPlugin): TemplateResult | typeof nothing {
  if (secrets.length === 0) return nothing;
  const renderChange = (name: string, change: "set" | "remove", label: string): TemplateResult =>
    renderButton(label, () => panel.send({ type: "changeSecret", key, name, change }), {
      kind: "quiet",
      title: t("plugins.forPlugin", { action: label, name: `${server}, ${name}` }),
      isNamedByTitle: true,
    });
  return html`<ul role="list" class="why secrets">
    ${secrets.map(
      ({ name, stored }) => html`<li class="row">
        <span class="secret" dir="auto">${renderIcon("key", "quiet")}${stored ? t("plugins.secretStored", { name }) : t("plugins.secretMissing", { name })}</span>
        ${renderChange(name, "set", t("plugins.setSecretButton"))}
        ${stored ? renderChange(name, "remove", t("plugins.removeSecretButton")) : nothing}
      </li>`,
    )}
  </ul>`;
}

function renderTools(tools: readonly ShownTool[]): TemplateResult {
  return html`<details class="why fold">
    <summary>${t("plugins.tools", { count: tools.length })}</summary>
    <ul role="list" class="tools-list">
      ${tools.map(
        ({ name, description, calls }) => html`<li>
          <span class="tool" dir="auto">${name}</span> <span class="calls">${t(`plugins.calls.${calls}`)}</span>
          ${description === "" ? nothing : html`<p dir="auto">${description}</p>`}
        </li>`,
      )}
    </ul>
  </details>`;
}

/** Steps that have a button. The others are in the menu. */
const IN_VIEW: ReadonlySet<PluginStep> = new Set([
  "allow",
  "deny",
  "compare",
  "start",
  "signIn",
  "secret",
  "prompt",
  "log",
]);

function renderSteps(panel: Panel, plugin: ShownPlugin): readonly unknown[] {
  const { key, name, state, steps } = plugin;
  const isWaiting = state === "new" || state === "changed";
  const isInView = (step: PluginStep): boolean => IN_VIEW.has(step) || (isWaiting && step === "look");
  const send = (step: PluginStep) => (): void => panel.send({ type: "changePlugin", key, step });
  const buttons = steps.filter(isInView).map((step) => {
    const label = t(`plugins.step.${step}`);
    const look: ButtonOptions = isWaiting && step === "allow" ? { kind: "primary" } : { kind: "quiet" };
    return renderButton(label, send(step), {
      ...look,
      title: t("plugins.forPlugin", { action: label, name }),
      isNamedByTitle: true,
    });
  });
  const others = steps.filter((step) => !isInView(step));
  if (others.length === 0) return buttons;
  const menu = renderMenu(panel, {
    name: `steps-${key.replace(/[^\w-]/g, (sign) => `_${sign.charCodeAt(0)}`)}`,
    label: t("plugins.moreSteps", { name }),
    look: { kind: "quiet", icon: "more", iconOnly: true },
    listItems: () => others.map((step) => ({ label: t(`plugins.step.${step}`), choose: send(step) })),
  });
  return [...buttons, menu];
}
