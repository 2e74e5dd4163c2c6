import { html, nothing, type TemplateResult } from "lit/html.js";
import { counted } from "../../core/base/text.ts";
import { currentStep, type RunState } from "../../core/events/run-state.ts";
import type { Panel } from "../app/panel-state.ts";
import { actionButton, type ButtonOptions, button } from "../ui/buttons.ts";
import { type IconName, icon } from "../ui/icons.ts";
import {
  canContinue,
  canStop,
  contextMeter,
  type Meter,
  meters,
  type RunActivity,
  runActivity,
} from "./run-activity.ts";
import type { RunView } from "./run-view.ts";

const ACTIVITY_ICONS: Readonly<
  Record<RunActivity["kind"], { readonly icon: IconName; readonly tone: string }>
> = {
  busy: { icon: "working", tone: "info" },
  asks: { icon: "ask", tone: "warn" },
  hindered: { icon: "warning", tone: "warn" },
  paused: { icon: "pause", tone: "" },
  done: { icon: "accept", tone: "good" },
  ended: { icon: "flag", tone: "" },
};

/** The agent, its task, progress and cost, and the controls. */
export function runHeaderView(panel: Panel, view: RunView): TemplateResult {
  const { state } = view;
  const now = runActivity(view);
  return html`<header class="run-header">
    <div class="title">
      ${icon(ACTIVITY_ICONS[now.kind].icon, ACTIVITY_ICONS[now.kind].tone)}
      <h1 dir="auto" title=${state.task}>${state.profile.name}</h1>
      <p class="doing">${now.text}${state.end || view.facts.at ? nothing : ` · step ${currentStep(state)}`}</p>
      ${controlsView(panel, view)}
    </div>
    <p class="task" dir="auto" title=${state.task}>${state.task}</p>
    ${parentView(panel, state.worksFor)}
    <div class="meters">${allMeters(state).map(meterView)}</div>
    ${modeView(panel, view)}
  </header>`;
}

function allMeters(state: RunState): readonly Meter[] {
  const context = contextMeter(state);
  return [...meters(state.totals, state.limits), ...(context ? [context] : [])];
}

/** A button that opens the run that a sub-agent works for. */
function parentView(panel: Panel, run: string | undefined): TemplateResult | typeof nothing {
  if (run === undefined) return nothing;
  const open = (): void => panel.send({ type: "openRun", run });
  return html`<div class="row">${button("Open the Run It Works For", open, { kind: "quiet", icon: "up" })}</div>`;
}

function controlsView(panel: Panel, view: RunView): TemplateResult {
  const look = { shrinks: true } as const;
  const stoppable = canStop(view);
  return html`<div class="controls" role="group" aria-label="Run">
    ${stoppable && view.state.paused === undefined ? actionButton(panel, "pause", look) : nothing}
    ${canContinue(view) && view.state.end?.reason !== "exhausted" ? actionButton(panel, "continue", look) : nothing}
    ${stoppable ? actionButton(panel, "stop", look) : actionButton(panel, "newRun", look)}
  </div>`;
}

function meterView({ name, text, brief, label, share, low }: Meter): TemplateResult {
  const told = share !== undefined;
  return html`<div class="meter ${low ? "low" : ""}" title=${label}>
    <span class="meter-name" aria-hidden=${told}>${name}</span>
    <span class="meter-text" aria-hidden=${told}>${text}</span>
    <span class="meter-brief" aria-hidden=${told}>${brief}</span>
    ${share === undefined ? nothing : html`<progress max="1" .value=${share} aria-label=${label}></progress>`}
  </div>`;
}

/** The mode: whether the agent asks first, and the commands that are approved in advance. */
function modeView(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { facts, state } = view;
  if (facts.readOnly || state.end) return html`<div class="row mode">${walkStartView(panel, view)}</div>`;
  const planning = state.mode === "plan";
  return html`<div class="row mode">
    ${planning ? html`<span class="badge" title="Only commands that read run until you agree to the plan.">Plan first</span>` : nothing}
    ${planning ? nothing : continuousView(panel, facts.continuous)}
    ${
      facts.grant > 0
        ? html`<span class="badge" title="The next ${counted(facts.grant, "command")} will not be asked about.">${facts.grant} approved</span>`
        : nothing
    }
    ${actionButton(panel, "changeRun", { kind: "quiet", title: "Change the goals, the budget, the model or the mode" })}
    ${view.running && state.promptTokens !== undefined ? actionButton(panel, "compactNow", { kind: "quiet", shrinks: true, title: COMPACT_TITLE }) : nothing}
    ${actionButton(panel, "showPermissions", { kind: "quiet", shrinks: true })}
    ${walkStartView(panel, view, { shrinks: true })}
  </div>`;
}

const COMPACT_TITLE = "Compact Now: shorten and summarize older steps before the next step";

function continuousView(panel: Panel, on: boolean): TemplateResult {
  return actionButton(panel, "toggleContinuous", {
    kind: "quiet",
    pressed: on,
    title: on
      ? "The agent acts without asking, up to its limit. Turn this off to be asked again."
      : "The agent asks before each command. Turn this on to let it act without asking.",
  });
}

/** A button that starts stepping through an idle run. */
function walkStartView(
  panel: Panel,
  { facts, running, state }: RunView,
  look: ButtonOptions = {},
): TemplateResult | typeof nothing {
  if (facts.at || running || state.totals.steps === 0) return nothing;
  const begin = (): void => panel.send({ type: "stepThrough", step: 1 });
  return button("Step Through", begin, {
    kind: "quiet",
    icon: "walk",
    ...look,
    title: "See the run as it stood after each step",
  });
}

/** Controls for stepping through a run: the position, back, forward and leave. */
export function walkView(panel: Panel, { facts }: RunView): TemplateResult | typeof nothing {
  if (!facts.at) return nothing;
  const go = (step: number) => (): void => panel.send({ type: "stepThrough", step });
  const { step, of } = facts.at;
  return html`<div class="row walk" role="group" aria-label="Stepping through the run">
    ${button("Step back", go(step - 1), { icon: "back", iconOnly: true, disabled: step <= 0, id: "walk-back" })}
    <p role="status">After step ${step} of ${of}</p>
    ${button("Step on", go(step + 1), { icon: "play", iconOnly: true, disabled: step >= of, id: "walk-on" })}
    ${button("Leave", () => panel.send({ type: "stepThrough" }), { id: "walk-leave" })}
  </div>`;
}
