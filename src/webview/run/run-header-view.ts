import { html, nothing, type TemplateResult } from "lit/html.js";
import { splitMentionedTexts } from "../../core/base/mentioned-texts.ts";
import { getCurrentStep } from "../../core/events/run-state.ts";
import type { PanelAction } from "../../schema/panel-values.ts";
import { t, write } from "../../texts/language.ts";
import { changeRun, type Panel } from "../app/panel-state.ts";
import { renderActionButton, renderButton } from "../ui/buttons.ts";
import { editEarlierMessage } from "../ui/composer-view.ts";
import { foldView, isFoldOpen } from "../ui/fold-view.ts";
import { type IconName, renderIcon } from "../ui/icons.ts";
import { type MenuEntry, type MenuItem, renderMenu } from "../ui/menu.ts";
import { mayEditMessages } from "./feed-view.ts";
import { canContinue, canStop, getRunActivity, type RunActivity } from "./run-activity.ts";
import { summarizeBudget } from "./run-meters.ts";
import { type RunView, setFold } from "./run-view.ts";
import { describeReachableHosts } from "./sandbox-view.ts";
import { renderRunDetails } from "./side-view.ts";
import { THOUGHTS_FOLD } from "./step-view.ts";
import { getHeaderTitle, renderRunSwitcher } from "./switcher-view.ts";
import { WALK_SLIDER_ID } from "./walk-view.ts";

const ACTIVITY_ICONS: Readonly<Record<RunActivity["kind"], { readonly icon: IconName; readonly tone: string }>> = {
  busy: { icon: "working", tone: "info" },
  asks: { icon: "ask", tone: "warn" },
  hindered: { icon: "warning", tone: "warn" },
  paused: { icon: "pause", tone: "" },
  walked: { icon: "walk", tone: "" },
  done: { icon: "accept", tone: "good" },
  ended: { icon: "flag", tone: "" },
};

/** Two lines: state, task and controls, then the budget, which unfolds to the plan and all details. */
export function renderRunHeader(panel: Panel, view: RunView): TemplateResult {
  const task = splitMentionedTexts(view.state.task);
  const { state } = view;
  return html`<header class="run-header">
    <div class="title">
      ${renderActivity(view)} ${renderParentButton(panel, state.worksFor)}
      <h1 class="task" dir="auto" title=${task.typed}>${getHeaderTitle(panel, view)}</h1>
      ${renderRunSwitcher(panel, view)} ${renderControls(panel, view)}
    </div>
    ${task.quoted === "" ? nothing : foldView(panel, view, { name: "quoted", look: "quoted", summary: t("header.quoted") }, () => html`<pre dir="auto">${task.quoted}</pre>`)}
    ${
      panel.state.wide
        ? html`<div class="summary">${renderSummary(view)}</div>`
        : foldView(panel, view, { name: "facts", look: "facts", summary: renderSummary(view) }, () =>
            renderRunDetails(panel, view),
          )
    }
    ${renderLostConnection(view)}
  </header>`;
}

/** Says that the machine with the run can't be reached now. Screen readers read it when it comes. */
function renderLostConnection({ lost }: RunView): TemplateResult {
  return html`<div role="status">
    ${
      lost === undefined
        ? nothing
        : html`<p class="hint lost" dir="auto">${renderIcon("warning", "warn")} ${write(lost)}</p>`
    }
  </div>`;
}

function renderActivity(view: RunView): TemplateResult {
  const { kind, text } = getRunActivity(view);
  const { state, facts } = view;
  const label = state.end || facts.at ? text : t("header.stateAtStep", { state: text, step: getCurrentStep(state) });
  const { icon: drawing, tone } = ACTIVITY_ICONS[kind];
  return html`<span class="activity" title=${label}>${renderIcon(drawing, tone)}<span class="hidden">${label}</span></span>`;
}

/** A button for a sub-agent that opens the run that it works for. */
function renderParentButton(panel: Panel, run: string | undefined): TemplateResult | typeof nothing {
  if (run === undefined) return nothing;
  const open = (): void => panel.send({ type: "openRun", run });
  return renderButton(t("header.openParentButton"), open, { kind: "quiet", icon: "up", iconOnly: true });
}

function renderControls(panel: Panel, view: RunView): TemplateResult {
  const look = { kind: "quiet", iconOnly: true } as const;
  const stoppable = canStop(view);
  const isHere = view.facts.machine === undefined;
  return html`<div class="controls" role="group" aria-label=${t("header.runControls")}>
    ${stoppable && isHere && view.state.paused === undefined ? renderActionButton(panel, "pause", look) : nothing}
    ${canContinue(view) && (isHere ? view.state.end?.reason !== "exhausted" : !view.state.end) ? renderActionButton(panel, "continue", look) : nothing}
    ${stoppable ? renderActionButton(panel, "stop", look) : renderActionButton(panel, "newRun", look)}
    ${renderMenu(panel, {
      name: "run",
      label: t("header.more"),
      look: { ...look, icon: "more" },
      listItems: () => listMoreItems(panel, view),
    })}
  </div>`;
}

/** Menu of all other actions on the run. */
function listMoreItems(panel: Panel, view: RunView): readonly MenuItem[] {
  const { facts, state, running } = view;
  const createActionSender = (action: PanelAction): (() => void) => {
    return () => panel.send({ type: "act", action });
  };
  const isHere = facts.machine === undefined;
  const isLive = isHere && !facts.readOnly && !state.end && !facts.at;
  const hasSteps = state.totals.steps > 0;
  const changes: readonly MenuEntry[] = isLive
    ? [
        { label: t("header.changeRunButton"), icon: "edit", choose: createActionSender("changeRun") },
        ...(state.mode === "plan" || state.isolated
          ? []
          : [createContinuousItem(facts.continuous, createActionSender("toggleContinuous"))]),
        ...(running && state.promptTokens !== undefined
          ? [
              {
                label: t("actions.compactNowButton"),
                icon: "compact",
                title: t("header.compactNowTitle"),
                choose: createActionSender("compactNow"),
              } as const,
            ]
          : []),
      ]
    : [];
  const editTask: readonly MenuEntry[] = mayEditMessages(view)
    ? [
        {
          label: t("timeline.editTaskButton"),
          icon: "edit",
          title: t("timeline.editMessage"),
          choose: () => editEarlierMessage(panel, 0, splitMentionedTexts(state.task).typed),
        },
      ]
    : [];
  const areThoughtsShown = isFoldOpen(view, THOUGHTS_FOLD);
  const thoughts: MenuEntry = {
    label: t("header.showThoughtsButton"),
    title: t("header.showThoughts"),
    checked: areThoughtsShown,
    choose: () => panel.update(changeRun((run) => setFold(run, THOUGHTS_FOLD, !areThoughtsShown))),
  };
  const walk: readonly MenuEntry[] =
    !facts.at && !running && hasSteps
      ? [
          {
            label: t("header.stepThroughButton"),
            icon: "walk",
            title: t("header.stepThroughTitle"),
            choose: () => {
              panel.send({ type: "stepThrough", step: 1 });
              panel.focus(WALK_SLIDER_ID);
            },
          },
        ]
      : [];
  const copies: readonly MenuEntry[] = [
    { label: t("actions.openAsTextButton"), icon: "file", choose: createActionSender("openAsText") },
    { label: t("actions.openInEditorButton"), icon: "external", choose: createActionSender("openInEditor") },
    ...(hasSteps && isHere
      ? [
          {
            label: t("actions.forkRunButton"),
            icon: "fork",
            title: t("header.forkTitle"),
            choose: createActionSender("forkRun"),
          } as const,
        ]
      : []),
    { label: t("actions.exportRunButton"), icon: "export", choose: createActionSender("exportRun") },
  ];
  const allowed: MenuEntry = {
    label: t("actions.showPermissionsButton"),
    icon: "shield",
    choose: createActionSender("showPermissions"),
  };
  const groups = [
    listReviewItems(view, createActionSender),
    [...changes, ...editTask],
    [thoughts, ...walk],
    copies,
    isHere ? [allowed] : [],
  ].filter((group) => group.length > 0);
  return groups.flatMap((group, index): readonly MenuItem[] => (index === 0 ? group : ["separator", ...group]));
}

/** Review actions for an isolated run that hasn't ended. A run's end has its own. */
function listReviewItems({ facts, state }: RunView, act: (action: PanelAction) => () => void): readonly MenuEntry[] {
  const canReview =
    state.isolated &&
    facts.machine === undefined &&
    !facts.readOnly &&
    !facts.at &&
    !state.end &&
    state.totals.steps > 0;
  return canReview ? [{ label: t("actions.reviewChangesButton"), icon: "file", choose: act("reviewChanges") }] : [];
}

function createContinuousItem(on: boolean, choose: () => void): MenuEntry {
  const title = on ? t("header.continuousOn") : t("header.continuousOff");
  return { label: t("header.continuous"), icon: "continuous", checked: on, title, choose };
}

/** The budget as a thin bar, the cost, the steps, the plan, and any difference from asking each time. */
function renderSummary(view: RunView): TemplateResult {
  const { state, processes = [] } = view;
  const { nearest, cost, steps } = summarizeBudget(state);
  const running = processes.filter((one) => one.state === "running").length;
  return html`<span class="hidden">${t("header.details")}: </span>${
    nearest.share === undefined
      ? nothing
      : html`<progress class=${nearest.low ? "low" : ""} max="1" .value=${nearest.share} aria-label=${nearest.label} title=${nearest.label}></progress>`
  }
    <span class="fact cost">${cost}</span><span class="fact">${steps}</span>
    ${renderPlanFact(view)}
    ${running > 0 ? html`<span class="fact">${t("header.processesRunning", { count: running })}</span>` : nothing}
    ${renderMode(view)}`;
}

function renderPlanFact({ state: { plan, end } }: RunView): TemplateResult | typeof nothing {
  const all = plan.filter((item) => item.status !== "dropped").length;
  if (all === 0) return nothing;
  const done = plan.filter((item) => item.status === "done").length;
  const next = plan.find((item) => item.status === "in_progress") ?? plan.find((item) => item.status === "pending");
  const label =
    next && !end ? t("header.planNext", { done, all, next: next.text }) : t("header.planDone", { done, all });
  return html`<span class="fact" title=${label}><span aria-hidden="true">${done}/${all}</span><span class="hidden">${label}</span></span>`;
}

/** Shows which commands run without asking, and plan mode. Never hidden in a menu. */
function renderMode({ facts, state }: RunView): TemplateResult | typeof nothing {
  const { machine } = facts;
  if (machine !== undefined)
    return html`<span class="badge machine" title=${t("fleet.badgeTitle", { machine })}>${machine}</span>`;
  if (state.isolated)
    return html`<span class="badge" title=${`${t("isolation.badgeTitle")} ${describeReachableHosts(state.isolated.hosts)}`}>${t("isolation.badge")}</span>`;
  if (facts.readOnly || state.end) return nothing;
  if (state.mode === "plan")
    return html`<span class="badge" title=${t("header.mode.planTitle")}>${t("header.mode.plan")}</span>`;
  if (facts.continuous)
    return html`<span class="badge" title=${t("header.continuousOn")}>${t("header.mode.continuous")}</span>`;
  if (facts.grant <= 0) return nothing;
  const count = facts.grant;
  return html`<span class="badge" title=${t("header.mode.grantedTitle", { count })}>${t("header.mode.granted", { count })}</span>`;
}
