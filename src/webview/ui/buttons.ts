import { html, nothing, type TemplateResult } from "lit/html.js";
import { omitUndefined } from "../../core/base/objects.ts";
import { findMentionedActions, getActionLabel } from "../../core/ports/model-source.ts";
import type { PanelAction } from "../../schema/panel-values.ts";
import type { Sentence } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import { omitNotice, type Panel } from "../app/panel-state.ts";
import { type IconName, renderIcon } from "./icons.ts";

/** The look and the behavior of a button. */
export interface ButtonOptions {
  readonly kind?: "primary" | "secondary" | "quiet";
  readonly icon?: IconName;
  /** Shows only the icon; the label is still the button's name. */
  readonly iconOnly?: boolean;
  /** Shows the icon alone where space is limited. */
  readonly shrinks?: boolean;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly title?: string;
  /** Uses the title as the button's name, because other buttons have the same label. */
  readonly isNamedByTitle?: boolean;
  /** Id of the element with a further explanation. */
  readonly describedBy?: string;
  readonly id?: string;
  readonly submits?: boolean;
}

/** A button with a text, an icon, or both. */
export function renderButton(label: string, click: (() => void) | undefined, look: ButtonOptions = {}): TemplateResult {
  const { kind = "secondary", iconOnly = false, shrinks = false, disabled = false, pressed, id } = look;
  const name = (look.isNamedByTitle ? look.title : undefined) ?? (iconOnly ? label : undefined);
  return html`<button
    class="button ${kind} ${iconOnly ? "icon-only" : ""} ${shrinks ? "shrinks" : ""}"
    type=${look.submits ? "submit" : "button"}
    id=${id ?? nothing}
    title=${look.title ?? (iconOnly || shrinks ? label : nothing)}
    aria-label=${name ?? nothing}
    aria-describedby=${look.describedBy ?? nothing}
    aria-pressed=${pressed ?? nothing}
    ?disabled=${disabled}
    @click=${click ?? nothing}
  >
    ${look.icon ? renderIcon(look.icon) : nothing}${iconOnly ? nothing : html`<span class="label">${label}</span>`}
  </button>`;
}

/** A button that looks like a link. */
export function renderLinkButton(inside: unknown, title: string, open: () => void): TemplateResult {
  return html`<button type="button" class="link" role="link" title=${title} @click=${open}>${inside}</button>`;
}

/** Opens a file of the workspace. */
export function renderFileButton(panel: Panel, file: string): TemplateResult {
  const open = (): void => panel.send({ type: "openFile", label: file });
  return renderButton(file, open, { kind: "quiet", icon: "file", title: t("actions.openFile", { file }) });
}

const ICONS: Readonly<Partial<Record<PanelAction, IconName>>> = {
  stop: "stop",
  pause: "pause",
  continue: "play",
  toggleContinuous: "continuous",
  setApiKey: "key",
  setServiceKey: "key",
  selectModel: "model",
  openModels: "model",
  tryDemo: "beaker",
  showPermissions: "shield",
  showCosts: "list",
  newRun: "add",
  showOutput: "terminal",
  manageTrust: "shield",
  openFolder: "file",
  reviewChanges: "file",
  keepAsBranch: "git",
  openCopy: "external",
  carryOut: "play",
  compactNow: "compact",
  forkRun: "fork",
  openInEditor: "external",
  openAsText: "file",
  showRuns: "list",
};

/** The button of a palette action, under its usual label or another one. */
export function renderActionButton(
  panel: Panel,
  action: PanelAction,
  look: ButtonOptions = {},
  label = t(`actions.${action}Button`),
): TemplateResult {
  const drawing = ICONS[action];
  const send = (): void => panel.send({ type: "act", action });
  return renderButton(label, send, { ...omitUndefined({ icon: drawing }), ...look });
}

/** The button of a remedy. */
export function renderRemedyButton(panel: Panel, help: Remedy, look: ButtonOptions = {}): TemplateResult {
  if (help.kind === "action") return renderActionButton(panel, help.action, look);
  return renderSettingButton(panel, help.setting, write(getActionLabel(help)), look);
}

function renderSettingButton(panel: Panel, setting: string, label: string, look: ButtonOptions): TemplateResult {
  const open = (): void => panel.send({ type: "openSetting", setting });
  return renderButton(label, open, { title: t("actions.openSetting", { setting }), ...look });
}

/**
 * A row with a button for each remedy named in messages, if any. `key` is the action of a key's button. If there are several settings, each
 * button shows its setting's name.
 */
export function renderRemedyRow(
  panel: Panel,
  message: Sentence | readonly Sentence[],
  look: ButtonOptions = {},
  key: PanelAction = "setApiKey",
): TemplateResult | typeof nothing {
  const named = dedupeRemedies([message].flat().flatMap(findMentionedActions));
  if (named.length === 0) return nothing;
  const hasSettings = named.filter(({ kind }) => kind === "setting").length > 1;
  const buttons = named.map((one) => {
    if (one.kind === "setting" && hasSettings)
      return renderSettingButton(panel, one.setting, t("actions.openSetting", { setting: one.setting }), look);
    return one.kind === "action" && one.action === "setApiKey"
      ? renderActionButton(panel, key, look)
      : renderRemedyButton(panel, one, look);
  });
  return html`<div class="row">${buttons}</div>`;
}

/** A remedy for a problem: an action, or a setting to change. */
export type Remedy =
  | { readonly kind: "action"; readonly action: PanelAction }
  | { readonly kind: "setting"; readonly setting: string };

/** The remedies of a card about a problem, the primary one first: the key if the message names it, otherwise the card's own. */
export function listRemedies(message: Sentence, actions: readonly PanelAction[]): readonly Remedy[] {
  const named: readonly Remedy[] = findMentionedActions(message);
  const own = actions.map((action): Remedy => ({ kind: "action", action }));
  const key = named.filter((help) => help.kind === "action" && help.action === "setApiKey");
  return dedupeRemedies([...key, ...own.slice(0, 1), ...named, ...own.slice(1)]);
}

function dedupeRemedies(all: readonly Remedy[]): readonly Remedy[] {
  return all.filter((help, index) => all.findIndex((other) => getRemedyName(other) === getRemedyName(help)) === index);
}

function getRemedyName(help: Remedy): string {
  return help.kind === "action" ? help.action : help.setting;
}

/** Id of the heading on a page without a text box. It gets the focus when the focused element is gone. */
export const PAGE_HEADING_ID = "page-heading";

/** The last notice, until it is closed or withdrawn, and the warnings about the run, until they are closed. */
export function noticeView(panel: Panel): TemplateResult {
  return html`${renderWarnings(panel)} ${renderLastNotice(panel)}`;
}

function renderWarnings(panel: Panel): TemplateResult | typeof nothing {
  const { run } = panel.state;
  // The newest one is in view.
  const warnings = panel.state.warnings.toReversed();
  if (warnings.length === 0) return nothing;
  const close = (): void => {
    panel.update((state) => ({ ...state, warnings: [] }));
    if (run) panel.send({ type: "closeWarnings", run: run.state.id });
  };
  return html`<div class="notice warning">
    ${renderIcon("warning", "warn")}
    <div class="texts" tabindex="0" title=${t("timeline.showWholeButton")}>${warnings.map((text) => html`<p dir="auto">${write(text)}</p>`)}</div>
    ${renderButton(t("actions.closeNotice"), close, { kind: "quiet", icon: "close", iconOnly: true })}
    ${renderRemedyRow(panel, warnings)}
  </div>`;
}

function renderLastNotice(panel: Panel): TemplateResult | typeof nothing {
  const { notice } = panel.state;
  if (!notice) return nothing;
  const error = notice.kind === "error";
  return html`<div class="notice ${notice.kind}">
    ${renderIcon(error ? "warning" : "ask", error ? "bad" : "")}
    <p dir="auto">${write(notice.text)}</p>
    ${renderButton(t("actions.closeNotice"), () => panel.update(omitNotice), { kind: "quiet", icon: "close", iconOnly: true })}
    ${renderRemedyRow(panel, notice.text)}
  </div>`;
}
