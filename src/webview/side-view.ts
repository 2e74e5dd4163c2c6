import { html, nothing, type TemplateResult } from "lit/html.js";
import { accountView } from "./account-view.ts";
import { namedRow } from "./buttons.ts";
import { checklistView } from "./checklist-view.ts";
import { foldView } from "./fold-view.ts";
import { icon } from "./icons.ts";
import type { Panel } from "./panel-state.ts";
import { processesView } from "./processes-view.ts";
import type { RunView } from "./run-view.ts";

/** The plan, the goals and the commands: beside the feed where there is room, folded above it where there is not. */
export function sideView(panel: Panel, view: RunView): TemplateResult {
  return html`<aside class="side" aria-label="Plan and commands">
    ${planView(panel, view)} ${processesView(panel, view)} ${panel.state.wide ? detailsView(panel, view) : foldedDetailsView(panel, view)}
  </aside>`;
}

function detailsView(panel: Panel, view: RunView): TemplateResult {
  return html`${goalsView(view)} ${commandsView(panel, view)} ${accountView(panel, view)}`;
}

/** One fold for what is seldom looked at, so that the steps have the room. */
function foldedDetailsView(panel: Panel, view: RunView): TemplateResult {
  const fold = { name: "details", summary: html`<h2>Details</h2>`, look: "details" };
  return foldView(panel, view, fold, () => detailsView(panel, view));
}

function planView(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { plan } = view.state;
  if (plan.length === 0) return nothing;
  const done = plan.filter((item) => item.status === "done").length;
  const wanted = plan.filter((item) => item.status !== "dropped").length;
  const next =
    plan.find((item) => item.status === "in_progress") ?? plan.find((item) => item.status === "pending");
  const summary = html`<h2>Plan</h2><span class="count">${done} of ${wanted}</span>
    <span class="next" dir="auto">${next?.text ?? "all done"}</span>`;
  return foldView(
    panel,
    view,
    { name: "plan", summary, openAtFirst: panel.state.wide, look: "plan" },
    () => html`
    ${checklistView(plan)}
  `,
  );
}

function goalsView({ state }: RunView): TemplateResult {
  return html`<section class="goals">
    <h2>Goals</h2>
    <ol>${state.profile.goals.map((goal) => html`<li dir="auto">${goal}</li>`)}</ol>
  </section>`;
}

/** What the agent can do here, and what it cannot, with the reason. */
function commandsView(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { commands = [], withheld } = view.facts;
  if (commands.length + withheld.length === 0) return nothing;
  const summary = html`<h2>Commands</h2><span class="count">${commands.length} offered${
    withheld.length > 0 ? `, ${withheld.length} not` : ""
  }</span>`;
  return foldView(
    panel,
    view,
    { name: "commands", summary, look: "commands" },
    () => html`
    <ul role="list">
      ${withheld.map(({ name, why }) => html`<li class="withheld">${icon("refuse")}<code>${name}</code><p>${why}</p>${namedRow(panel, why, { kind: "quiet" }, "setServiceKey")}</li>`)}
      ${commands.map(({ name, description }) => html`<li>${icon("accept", "good")}<code>${name}</code><p>${description}</p></li>`)}
    </ul>
  `,
  );
}
