import { live } from "lit/directives/live.js";
import { repeat } from "lit/directives/repeat.js";
import { html, nothing, type TemplateResult } from "lit/html.js";
import type { PanelAction } from "../../schema/panel-values.ts";
import type { ReviewPage, ReviewRow } from "../../schema/review-page.ts";
import { t, write } from "../../texts/language.ts";
import { changeRun, type Panel } from "../app/panel-state.ts";
import type { RunView } from "../run/run-view.ts";
import { renderActionButton, renderButton } from "../ui/buttons.ts";
import { COMPOSER_ID } from "../ui/composer-view.ts";
import { renderFigures } from "../ui/figures-view.ts";
import { foldView } from "../ui/fold-view.ts";
import { renderIcon } from "../ui/icons.ts";
import { type MenuEntry, renderMenu } from "../ui/menu.ts";

/** The review of an isolated run: its last result, the command lines, and the changed files to choose from. */
export function renderReview(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  if (!view.state.isolated || view.facts.readOnly) return nothing;
  const { review, reviewing = false } = view;
  if (isDiscarded(view)) return html`<div class="changes review">${renderLastResult(view)}</div>`;
  if (!review) return reviewing ? renderComparingNotice() : nothing;
  const own = review.rows.filter((row) => row.own);
  const others = review.rows.filter((row) => !row.own);
  return html`<div class="changes review">
    ${renderLastResult(view)}
    <p>${review.count === 0 ? t("isolation.noChanges") : t("isolation.changed", { count: review.count })}</p>
    ${
      own.length === 0
        ? nothing
        : html`<h3>${t("isolation.ownHeading")}</h3>
          <p class="hint">${t("isolation.ownHint")}</p>
          ${renderRows(own, (row) => renderOwnRow(panel, view, review, row))}
          ${others.length > 0 ? html`<h3>${t("isolation.othersHeading")}</h3>` : nothing}`
    }
    ${renderRows(others, (row) => renderReviewRow(panel, view, row))}
    ${review.count > review.rows.length ? html`<p class="hint">${t("approval.moreFiles", { count: review.count - review.rows.length })}</p>` : nothing}
    ${renderCommandLines(panel, view, review)} ${renderNotes(panel, view, review)}
    ${reviewing ? renderComparingNotice() : nothing}
  </div>`;
}

/** True once the copy is gone. */
function isDiscarded({ state }: RunView): boolean {
  return state.review?.what === "discarded";
}

function renderComparingNotice(): TemplateResult {
  return html`<p class="hint" role="status">${renderIcon("working")} ${t("isolation.comparing")}</p>`;
}

/** The result of the last decision, unless something has changed since. */
function renderLastResult({ state: { review } }: RunView): TemplateResult | typeof nothing {
  if (!review) return nothing;
  const { what, files: count, conflicts, branch = "" } = review;
  const text =
    what === "branch" ? t("isolation.reviewed.branch", { count, branch }) : t(`isolation.reviewed.${what}`, { count });
  return html`<p class="result">
    ${renderIcon(what === "discarded" || what === "withdrawn" ? "refuse" : "accept", "good")}
    <span dir="auto">${text}${conflicts > 0 ? html` ${t("isolation.reviewed.conflicts", { count: conflicts })}` : nothing}</span>
  </p>`;
}

function renderRows(rows: readonly ReviewRow[], draw: (row: ReviewRow) => TemplateResult): unknown {
  if (rows.length === 0) return nothing;
  return html`<ul role="list">${repeat(rows, ({ file }) => file, draw)}</ul>`;
}

function renderReviewRow(panel: Panel, view: RunView, row: ReviewRow): TemplateResult {
  const { file } = row;
  const choose = ({ target }: Event): void => {
    if (!(target instanceof HTMLInputElement)) return;
    const { checked } = target;
    panel.update(changeRun((run) => ({ ...run, left: updateLeftFiles(run.left, file, !checked) })));
  };
  return html`<li>
    <input
      type="checkbox"
      aria-label=${t("isolation.choose", { file })}
      .checked=${live(!view.left.has(file))}
      ?disabled=${view.reviewing ?? false}
      @change=${choose}
    />
    <span class="file">${renderFile(panel, row)}</span>
  </li>`;
}

function updateLeftFiles(left: ReadonlySet<string>, file: string, isLeft: boolean): ReadonlySet<string> {
  const others = [...left].filter((one) => one !== file);
  return new Set(isLeft ? [...others, file] : others);
}

/** A change that must be accepted separately, with the reasons. */
function renderOwnRow(panel: Panel, view: RunView, review: ReviewPage, row: ReviewRow): TemplateResult {
  const { own = [], why, lines = [], moreLines } = row;
  const tags = own.map((reason) => t(`isolation.own.${reason}`));
  return html`<li class="own">
    ${renderFile(panel, row)}
    <span class="tags" title=${tags.join(", ")}>${tags.map((tag) => html`<span class="tag">${tag}</span>`)}</span>
    ${renderOwnRowButton(panel, view, review, row)}
    ${why === undefined ? nothing : html`<p class="hint why" dir="auto">${write(why)}</p>`}
    ${lines.length === 0 ? nothing : html`<ul class="why">${lines.map((line) => html`<li><code dir="auto">${line}</code></li>`)}${moreLines === undefined ? nothing : html`<li>${t("isolation.moreLines", { count: moreLines })}</li>`}</ul>`}
  </li>`;
}

/** The user takes one side of a conflict whole, or edits the marked lines before accepting it. */
function renderOwnRowButton(
  panel: Panel,
  view: RunView,
  review: ReviewPage,
  { file, own = [], settle }: ReviewRow,
): TemplateResult | typeof nothing {
  const disabled = view.reviewing ?? false;
  if (own.includes("refused")) return nothing;
  if (!own.includes("conflict"))
    return renderButton(t("isolation.acceptButton"), () => accept(panel, review, [file]), {
      title: t("isolation.acceptOf", { file }),
      isNamedByTitle: true,
      disabled,
    });
  if (settle === undefined) return nothing;
  const take = (side: "mine" | "run") =>
    renderButton(t(`isolation.take.${side}Button`), () => accept(panel, review, [file], side), {
      title: t(`isolation.takeOf.${side}`, { file }),
      isNamedByTitle: true,
      disabled,
    });
  const edit = renderButton(t("isolation.editButton"), () => panel.send({ type: "showChange", file }), {
    title: t("isolation.editOf", { file }),
    isNamedByTitle: true,
  });
  return html`<div class="sides">${take("mine")} ${take("run")} ${settle === "merge" ? edit : nothing}</div>`;
}

function renderFile(panel: Panel, row: ReviewRow): TemplateResult {
  const { file, kind, merged, edited } = row;
  const remarks = [
    ...(kind === "edited" ? [] : [t(`isolation.kind.${kind}`)]),
    ...(merged ? [t("isolation.merged")] : []),
    ...(edited ? [t("isolation.edited")] : []),
  ];
  const show = (): void => panel.send({ type: "showChange", file });
  return html`<button type="button" class="button quiet" title=${t("isolation.openChange", { file })} @click=${show}>
      <span class="argument path"><bdi>${file}</bdi></span>
    </button>
    ${renderFigures(row)} ${remarks.map((remark) => html`<span class="hint" title=${remark}>${remark}</span>`)}`;
}

/** The command lines that the run has executed without asking. */
function renderCommandLines(
  panel: Panel,
  view: RunView,
  { lines, lineCount }: ReviewPage,
): TemplateResult | typeof nothing {
  if (lineCount === 0) return nothing;
  const summary = html`<h3>${t("isolation.lines", { count: lineCount })}</h3>`;
  return foldView(
    panel,
    view,
    { name: "isolated-lines", summary, look: "lines" },
    () => html`<ul role="list">
      ${lines.map(
        ({ line, code }) => html`<li>
          ${renderIcon(code === 0 ? "accept" : "close", code === 0 ? "good" : "bad")}<code dir="auto">${line}</code>
          ${code === undefined || code === 0 ? nothing : html`<span class="hint">${t("isolation.exitCode", { code })}</span>`}
        </li>`,
      )}
    </ul>`,
  );
}

function renderNotes(panel: Panel, view: RunView, { notes }: ReviewPage): TemplateResult | typeof nothing {
  if (notes.length === 0) return nothing;
  const summary = html`<h3>${t("isolation.notes", { count: notes.length })}</h3>`;
  return foldView(
    panel,
    view,
    { name: "isolated-notes", summary, look: "lines" },
    () => html`<ul>${notes.map((note) => html`<li class="hint" dir="auto">${write(note)}</li>`)}</ul>`,
  );
}

function accept(panel: Panel, { version }: ReviewPage, files: readonly string[], side?: "mine" | "run"): void {
  panel.update(changeRun((run) => ({ ...run, reviewing: true })));
  panel.send({ type: "acceptChanges", version, files: [...files], ...(side ? { side } : {}) });
}

/** Decisions on a review: the main ones as buttons, the others in a menu. Without changes, the remaining actions. */
export function renderReviewButtons(panel: Panel, view: RunView): readonly TemplateResult[] {
  const { review, reviewing = false, state } = view;
  if (isDiscarded(view)) return [];
  if (!review) return [renderActionButton(panel, "reviewChanges", { kind: "primary", disabled: reviewing })];
  const undo = review.undoable ? [renderActionButton(panel, "undoRun", {}, t("isolation.undoButton"))] : [];
  if (review.count === 0)
    return state.end ? [...undo, renderButton(t("isolation.askButton"), () => panel.focus(COMPOSER_ID))] : undo;
  const chosen = review.rows.filter(({ file, own }) => !own && !view.left.has(file)).map(({ file }) => file);
  const open = renderActionButton(panel, "reviewChanges", { disabled: reviewing }, t("isolation.openChangesButton"));
  // One template, so that an open menu stays open when the first button comes or goes.
  return [
    html`${chosen.length === 0 ? nothing : acceptButton(panel, review, chosen, reviewing)} ${open} ${renderOtherDecisions(panel, view)}`,
  ];
}

/** Accepts all chosen files that don't need a separate decision. */
function acceptButton(panel: Panel, review: ReviewPage, chosen: readonly string[], reviewing: boolean): TemplateResult {
  const isAll = chosen.length === review.count;
  const label = isAll ? t("isolation.acceptAllButton") : t("isolation.acceptSomeButton", { count: chosen.length });
  return renderButton(label, () => accept(panel, review, chosen), {
    kind: "primary",
    icon: "accept",
    disabled: reviewing,
  });
}

function renderOtherDecisions(panel: Panel, { review, reviewing: disabled = false }: RunView): TemplateResult {
  const createEntry = (action: PanelAction, label = t(`actions.${action}Button`)): MenuEntry => ({
    label,
    disabled,
    choose: () => panel.send({ type: "act", action }),
  });
  return renderMenu(panel, {
    name: "review",
    label: t("isolation.more"),
    look: { icon: "more", iconOnly: true },
    listItems: () => [
      { label: t("isolation.askButton"), choose: () => panel.focus(COMPOSER_ID) },
      createEntry("openCopy"),
      createEntry("keepAsBranch"),
      createEntry("createPullRequest"),
      createEntry("discardChanges"),
      ...(review?.undoable ? [createEntry("undoRun", t("isolation.undoButton"))] : []),
    ],
  });
}
