import { html, nothing, type TemplateResult } from "lit/html.js";
import { inRun, type Panel } from "./panel-state.ts";
import { type RunView, withFold } from "./run-view.ts";

/** What a fold shows. */
export interface Fold {
  /** Unique within the run. */
  readonly name: string;
  readonly summary: unknown;
  readonly openAtFirst?: boolean;
  readonly look?: string;
}

/** True when the user opened it, or has not closed what is open at first. */
export function isOpen(view: RunView, name: string, openAtFirst = false): boolean {
  return view.folds.get(name) ?? openAtFirst;
}

/** A fold that remembers whether it is open. Its inside is drawn only then. */
export function foldView(panel: Panel, view: RunView, fold: Fold, inside: () => unknown): TemplateResult {
  const open = isOpen(view, fold.name, fold.openAtFirst);
  const toggled = (event: Event): void => {
    if (!(event.target instanceof HTMLDetailsElement) || event.target.open === open) return;
    const now = event.target.open;
    panel.update(inRun((run) => withFold(run, fold.name, now)));
  };
  return html`<details class="fold ${fold.look ?? ""}" ?open=${open} @toggle=${toggled}>
    <summary>${fold.summary}</summary>
    ${open ? inside() : nothing}
  </details>`;
}
