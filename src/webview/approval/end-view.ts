import { html, nothing, type TemplateResult } from "lit/html.js";
import { counted } from "../../core/base/text.ts";
import type { ReadPage } from "../../schema/run-values.ts";
import { inRun, type Panel } from "../app/panel-state.ts";
import { endText } from "../run/run-activity.ts";
import type { RunView } from "../run/run-view.ts";
import { actionButton, button, fileButton, remediesFor, remedyButton } from "../ui/buttons.ts";
import { foldView } from "../ui/fold-view.ts";
import { icon } from "../ui/icons.ts";
import { addressView, textView } from "../ui/text-view.ts";

/** The end of the run, with the possible next actions. */
export function endView(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { state, facts } = view;
  if (!state.end) return nothing;
  const { heading, text, actions } = endText(state);
  const told = facts.readOnly && state.end.reason === "stopped" ? "" : text;
  const finished = state.end.reason === "finished";
  const useful = facts.readOnly ? actions.filter((action) => action === "newRun") : actions;
  const helps = remediesFor(state.end.reason === "failed" && !facts.readOnly ? text : "", useful);
  return html`<section class="card end" aria-label="The end">
    <h2>${icon(finished ? "flag" : "warning", finished ? "good" : "warn")}${heading}</h2>
    ${told === "" ? nothing : html`<div class="scrolls" tabindex="0" role="group" aria-label=${heading}>${textView(panel, told)}</div>`}
    ${state.end.reason === "finished" ? pagesView(panel, view, state.end.pages ?? []) : nothing}
    ${changesView(panel, view)}
    <div class="row">
      ${helps.map((help, index) => remedyButton(panel, help, index === 0 ? { kind: "primary" } : {}))}
    </div>
  </section>`;
}

/** The pages that the answer may rest on, with the passages that were found on them word for word. */
function pagesView(panel: Panel, view: RunView, pages: readonly ReadPage[]): TemplateResult | typeof nothing {
  if (pages.length === 0) return nothing;
  const summary = html`<h3>Sources</h3><span class="count">${counted(pages.length, "page")}</span>`;
  const fold = { name: "sources", summary, openAtFirst: pages.length <= MAX_PAGES_OPEN, look: "read-pages" };
  return foldView(
    panel,
    view,
    fold,
    () => html`<div class="prose scrolls" tabindex="0" role="group" aria-label="Sources"><ul>
      ${pages.map(
        ({ url, title, quotes }) => html`<li dir="auto">
          <p>${addressView(panel, url, title)}</p>
          ${quotes.map((quote) => html`<blockquote>${quote}</blockquote>`)}
        </li>`,
      )}
    </ul></div>`,
  );
}

/** More pages are folded at first. */
const MAX_PAGES_OPEN = 3;

/** The files that the run has changed. All changes are kept unless the user decides otherwise. */
function changesView(panel: Panel, { changes, facts }: RunView): TemplateResult | typeof nothing {
  if (facts.readOnly || !changes || changes.count === 0) return nothing;
  const { files, count } = changes;
  const keep = (): void => panel.update(inRun(withoutChanges));
  return html`<div class="changes">
    <p>${counted(count, files.every(isFolder) ? "folder" : "file")} changed:</p>
    <ul role="list">
      ${files
        .slice(0, MAX_FILES_SHOWN)
        .map((file) => (isFolder(file) ? html`<li>${file}</li>` : html`<li>${fileButton(panel, file)}</li>`))}
    </ul>
    ${count > MAX_FILES_SHOWN ? html`<p class="hint">and ${count - Math.min(MAX_FILES_SHOWN, files.length)} more</p>` : nothing}
    <div class="row">
      ${actionButton(panel, "reviewChanges")} ${button("Keep", keep, { icon: "accept" })}
      ${actionButton(panel, "commitChanges")} ${actionButton(panel, "undoRun")}
    </div>
  </div>`;
}

function isFolder(label: string): boolean {
  return label.endsWith("/");
}

/** Number of names shown; the review has them all. */
const MAX_FILES_SHOWN = 8;

function withoutChanges(view: RunView): RunView {
  const { changes: _changes, ...rest } = view;
  return rest;
}
