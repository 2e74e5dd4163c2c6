import { html, nothing, type TemplateResult } from "lit/html.js";
import type { PanelAction } from "../protocol.ts";
import { type IconName, icon } from "./icons.ts";
import type { Panel } from "./panel-state.ts";

/** How a button looks and what it needs. */
export interface ButtonLook {
  readonly kind?: "primary" | "secondary" | "quiet";
  readonly icon?: IconName;
  /** Shows the icon alone; the label is still its name. */
  readonly iconOnly?: boolean;
  /** Shows the icon alone where there is little room. */
  readonly shrinks?: boolean;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly title?: string;
  /** The element that says more, by its id. */
  readonly describedBy?: string;
  readonly id?: string;
  readonly submits?: boolean;
}

/** A button with a text, an icon, or both. */
export function button(
  label: string,
  click: (() => void) | undefined,
  look: ButtonLook = {},
): TemplateResult {
  const { kind = "secondary", iconOnly = false, shrinks = false, disabled = false, pressed, id } = look;
  return html`<button
    class="button ${kind} ${iconOnly ? "icon-only" : ""} ${shrinks ? "shrinks" : ""}"
    type=${look.submits ? "submit" : "button"}
    id=${id ?? nothing}
    title=${look.title ?? (iconOnly || shrinks ? label : nothing)}
    aria-label=${iconOnly ? label : nothing}
    aria-describedby=${look.describedBy ?? nothing}
    aria-pressed=${pressed ?? nothing}
    ?disabled=${disabled}
    @click=${click ?? nothing}
  >
    ${look.icon ? icon(look.icon) : nothing}${iconOnly ? nothing : html`<span class="label">${label}</span>`}
  </button>`;
}

/** Opens a file of the workspace. */
export function fileButton(panel: Panel, file: string): TemplateResult {
  const open = (): void => panel.send({ type: "openFile", label: file });
  return button(file, open, { kind: "quiet", icon: "file", title: `Open ${file}` });
}

const ACTIONS: Readonly<Record<PanelAction, { readonly label: string; readonly icon?: IconName }>> = {
  stop: { label: "Stop", icon: "stop" },
  pause: { label: "Pause", icon: "pause" },
  continue: { label: "Continue", icon: "play" },
  toggleContinuous: { label: "Continuous", icon: "continuous" },
  setApiKey: { label: "Set API Key…", icon: "key" },
  selectModel: { label: "Select Model…", icon: "model" },
  tryDemo: { label: "Try the Demo", icon: "beaker" },
  showPermissions: { label: "What Is Allowed", icon: "shield" },
  newRun: { label: "New Run", icon: "add" },
  showOutput: { label: "Show in Terminal", icon: "terminal" },
  raiseBudget: { label: "Raise Budget…" },
  openSettings: { label: "Open Settings" },
  manageTrust: { label: "Manage Workspace Trust…", icon: "shield" },
  openFolder: { label: "Open Folder…", icon: "file" },
  showLog: { label: "Show Log" },
  reviewChanges: { label: "Review Changes", icon: "file" },
  commitChanges: { label: "Commit…" },
  undoRun: { label: "Undo…" },
  carryOut: { label: "Carry Out the Plan", icon: "play" },
  changeRun: { label: "Change…" },
};

/** The button of a palette action. */
export function actionButton(panel: Panel, action: PanelAction, look: ButtonLook = {}): TemplateResult {
  const { label, icon: drawing } = ACTIONS[action];
  const send = (): void => panel.send({ type: "act", action });
  return button(label, send, { ...(drawing ? { icon: drawing } : {}), ...look });
}
