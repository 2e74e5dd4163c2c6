import { html, nothing, type TemplateResult } from "lit/html.js";
import { computeUncachedUsd, countStepsForLimit } from "../../core/budget/budget.ts";
import { describeRunEnd } from "../../core/events/end-text.ts";
import { isOpen, type PlanItem } from "../../core/reply/plan.ts";
import type { RunCheck } from "../../schema/panel-values.ts";
import { DEMO_MODEL, type ReadPage } from "../../schema/run-values.ts";
import { formatTokenCount, formatUsd, t, write } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { renderChecklist } from "../run/checklist-view.ts";
import type { RunView } from "../run/run-view.ts";
import { listRemedies, renderActionButton, renderButton, renderFileButton, renderRemedyButton } from "../ui/buttons.ts";
import { sayFromComposer } from "../ui/composer-view.ts";
import { renderFigures } from "../ui/figures-view.ts";
import { foldView } from "../ui/fold-view.ts";
import { formatMinutes } from "../ui/format.ts";
import { renderIcon } from "../ui/icons.ts";
import { renderMenu } from "../ui/menu.ts";
import { renderAddress, renderMarkdownText } from "../ui/text-view.ts";
import { renderReview, renderReviewButtons } from "./review-view.ts";

/** The end of the run: its result, its changes and the possible next actions. */
export function renderRunEnd(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { state, facts } = view;
  if (!state.end) return nothing;
  const { heading, text, actions } = describeRunEnd(state);
  const shown = facts.readOnly && state.end.reason === "stopped" ? "" : text;
  const finished = state.end.reason === "finished";
  const isPlan = finished && state.mode === "plan";
  // The header has a button for a new run.
  const useful = actions.filter((action) => (action === "newRun") === facts.readOnly);
  const isDemo = state.model.smart === DEMO_MODEL;
  const helps = listRemedies(state.end.reason === "failed" && !facts.readOnly ? text : "", useful);
  const decide = renderDecisionButtons(panel, view, { finished, isDemo });
  return html`<section class="card end" aria-label=${heading}>
    <h2>${renderIcon(finished ? "flag" : "warning", finished ? "good" : "warn")}${heading}</h2>
    ${shown === "" ? nothing : renderMarkdownText(panel, shown)}
    ${isPlan && state.plan.length > 0 ? renderChecklist(state.plan.map(resetPlanItem)) : nothing}
    ${finished && !isPlan && state.plan.some(isOpen) ? renderChecklist(state.plan.filter(isOpen), true) : nothing}
    ${finished ? renderReadPages(panel, view, state.end.reason === "finished" ? (state.end.pages ?? []) : []) : nothing}
    ${renderChecks(view)} ${state.isolated ? renderReview(panel, view) : renderChanges(panel, view)}
    ${finished ? html`<p class="hint totals">${formatTotals(view)}</p>` : nothing}
    <div class="row">
      ${isDemo && finished && !facts.readOnly ? setUpButton(panel) : nothing} ${decide}
      ${helps.map((help, index) => renderRemedyButton(panel, help, index === 0 ? { kind: "primary" } : {}))}
      ${renderNextAgents(panel, view)} ${renderMoreMenu(panel, view, finished && !isPlan && !isDemo)}
    </div>
  </section>`;
}

/** Resets the plan's steps: a plan that was only made still has all steps to do. */
function resetPlanItem(item: PlanItem): PlanItem {
  return item.status === "dropped" ? item : { ...item, status: "pending" };
}

/** The decisions on the run's changes: those in the workspace, or those in its copy. */
function renderDecisionButtons(
  panel: Panel,
  view: RunView,
  options: { readonly finished: boolean; readonly isDemo: boolean },
): readonly TemplateResult[] {
  if (view.facts.readOnly) return [];
  if (view.state.isolated) return renderReviewButtons(panel, view);
  return view.changes ? renderChangeButtons(panel, view.changes, options) : [];
}

/** The review of an isolated run that hasn't ended, once the user has requested it. */
export function renderEarlyReview(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  if (!view.state.isolated || view.state.end || !(view.review || view.reviewing)) return nothing;
  return html`<section class="card end" aria-label=${t("isolation.reviewHeading")}>
    <h2>${renderIcon("flag")}${t("isolation.reviewHeading")}</h2>
    ${renderChecks(view)} ${renderReview(panel, view)}
    <div class="row">${view.review ? renderReviewButtons(panel, view) : nothing}</div>
  </section>`;
}

/** Buttons for changes, which are kept unless the user decides otherwise. */
function renderChangeButtons(
  panel: Panel,
  { count, redoable }: NonNullable<RunView["changes"]>,
  { finished, isDemo }: { readonly finished: boolean; readonly isDemo: boolean },
): readonly TemplateResult[] {
  const show = (): void => panel.send({ type: "act", action: "reviewChanges" });
  const kind = finished && !isDemo ? "primary" : "secondary";
  const review = renderButton(t("actions.reviewChangesButton"), show, { kind });
  return [
    ...(count > 0 ? [review, renderActionButton(panel, "undoRun")] : []),
    ...(redoable ? [renderActionButton(panel, "redo")] : []),
  ];
}

/** Buttons for the agents that may continue. Each only writes a task for the user to send. */
function renderNextAgents(panel: Panel, { changes, facts }: RunView): readonly TemplateResult[] {
  if (facts.readOnly) return [];
  return (changes?.nextAgents ?? []).map(({ agent, label }) =>
    renderButton(t("approval.handOver", { agent }), () => panel.send({ type: "handOver", agent }), {
      title: label === "" ? t("approval.handOverHint") : t("approval.handOverLabel", { label }),
    }),
  );
}

/** The less common decisions: to commit the changes, and to have a finished run continued because it isn't done. */
function renderMoreMenu(panel: Panel, { state, facts, changes }: RunView, mayContinue: boolean): unknown {
  if (facts.readOnly || state.isolated) return nothing;
  const keepWorking = {
    label: t("approval.notDoneButton"),
    title: t("approval.notDoneTitle"),
    choose: () => sendNotDone(panel),
  };
  // The demo's folder is no repository.
  const mayCommit = (changes?.count ?? 0) > 0 && state.model.smart !== DEMO_MODEL;
  if (!mayCommit) return mayContinue ? renderButton(keepWorking.label, keepWorking.choose, keepWorking) : nothing;
  return renderMenu(panel, {
    name: "end",
    label: t("approval.moreMenu"),
    look: { icon: "more", iconOnly: true },
    listItems: () => [
      {
        label: t("actions.commitChangesButton"),
        icon: "git",
        choose: () => panel.send({ type: "act", action: "commitChanges" }),
      },
      {
        label: t("actions.createPullRequestButton"),
        icon: "fork",
        choose: () => panel.send({ type: "act", action: "createPullRequest" }),
      },
      ...(mayContinue ? [keepWorking] : []),
    ],
  });
}

function sendNotDone(panel: Panel): void {
  const text = panel.state.composer.text.trim();
  sayFromComposer(panel, text === "" ? t("approval.notDone") : text);
}

/** The button after the demo: the user's own task needs a model. */
function setUpButton(panel: Panel): TemplateResult {
  return renderActionButton(panel, "openModels", { kind: "primary" }, t("actions.setUpModelButton"));
}

/** The pages on which the answer may be based, with passages that were found there verbatim. */
function renderReadPages(panel: Panel, view: RunView, pages: readonly ReadPage[]): TemplateResult | typeof nothing {
  if (pages.length === 0) return nothing;
  const summary = html`<h3>${t("approval.sources")}</h3><span class="count">${t("approval.pages", { count: pages.length })}</span>`;
  const fold = { name: "sources", summary, openAtFirst: pages.length <= MAX_PAGES_OPEN, look: "read-pages" };
  return foldView(
    panel,
    view,
    fold,
    () => html`<div class="prose" role="group" aria-label=${t("approval.sources")}><ul>
      ${pages.map(
        ({ url, title, quotes }) => html`<li dir="auto">
          <p>${renderAddress(panel, url, title)}</p>
          ${quotes.map((quote) => html`<blockquote>${quote}</blockquote>`)}
        </li>`,
      )}
    </ul></div>`,
  );
}

/** More pages are folded at first. */
const MAX_PAGES_OPEN = 3;

/** The files that the run has changed, each with its lines. */
function renderChanges(panel: Panel, { changes, facts }: RunView): TemplateResult | typeof nothing {
  if (facts.readOnly || !changes || changes.count === 0) return nothing;
  const { files, count, lines = [] } = changes;
  const more = count - Math.min(MAX_FILES_SHOWN, files.length);
  return html`<div class="changes">
    <p>${files.every(isFolder) ? t("approval.foldersChanged", { count }) : t("approval.filesChanged", { count })}</p>
    <ul role="list">
      ${files.slice(0, MAX_FILES_SHOWN).map(
        (file) => html`<li>
          ${isFolder(file) ? file : renderFileButton(panel, file)}
          ${renderFigures(lines.find((one) => one.file === file) ?? NO_LINES)}
        </li>`,
      )}
    </ul>
    ${more > 0 ? html`<p class="hint">${t("approval.moreFiles", { count: more })}</p>` : nothing}
  </div>`;
}

const NO_LINES = { added: 0, removed: 0 };

/** The tests and other checks that the run made, with their last results. */
function renderChecks({ changes }: RunView): TemplateResult | typeof nothing {
  const checks = changes?.checks ?? [];
  if (checks.length === 0) return nothing;
  return html`<ul class="checks" role="list" aria-label=${t("approval.checks")}>${checks.map(checkView)}</ul>`;
}

function checkView({ title, passed }: RunCheck): TemplateResult {
  return html`<li>
    ${renderIcon(passed ? "accept" : "close", passed ? "good" : "bad")}<bdi>${write(title)}</bdi>
    <span class="hint">${passed ? t("approval.checkPassed") : t("approval.checkFailed")}</span>
  </li>`;
}

/** The cost, the steps and the time of a finished run, and what was read from the cache. */
function formatTotals(view: RunView): string {
  const { totals } = view.state;
  const plain = formatPlainTotals(view);
  if (totals.cached === 0) return plain;
  const cached = { totals: plain, tokens: formatTokenCount(totals.cached) };
  const uncached = computeUncachedUsd(totals);
  return uncached === undefined
    ? t("approval.cached", cached)
    : t("approval.uncached", { ...cached, amount: formatUsd(uncached) });
}

function formatPlainTotals({ state: { totals } }: RunView): string {
  const time = formatMinutes(totals.activeMs);
  const count = countStepsForLimit(totals);
  return totals.usd > 0
    ? t("approval.totals", { cost: formatUsd(totals.usd), count, time })
    : t("approval.totalsUnpriced", { count, time });
}

function isFolder(label: string): boolean {
  return label.endsWith("/");
}

/** Number of names shown; the review has them all. */
const MAX_FILES_SHOWN = 8;
