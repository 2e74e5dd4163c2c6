import { html, nothing, type TemplateResult } from "lit/html.js";
import { counted, formatCount } from "../../core/base/text.ts";
import type { ShownProcess, UsageAmount, UsageReport } from "../../schema/panel-values.ts";
import type { Panel } from "../app/panel-state.ts";
import { button, remedyRow } from "../ui/buttons.ts";
import { foldView } from "../ui/fold-view.ts";
import { dayName, tokenCount, usd } from "../ui/format.ts";
import { icon } from "../ui/icons.ts";
import { checklistView } from "./call-view.ts";
import type { RunView } from "./run-view.ts";

/** The plan, the goals and the commands: next to a wide feed, folded above a narrow one. */
export function sideView(panel: Panel, view: RunView): TemplateResult {
  return html`<aside class="side" aria-label="Plan and commands">
    ${planView(panel, view)} ${processesView(panel, view)} ${panel.state.wide ? detailsView(panel, view) : foldedDetailsView(panel, view)}
  </aside>`;
}

function detailsView(panel: Panel, view: RunView): TemplateResult {
  return html`${goalsView(view)} ${commandsView(panel, view)} ${usageView(panel, view)}`;
}

/** One fold for details that are seldom needed, so that the steps get the space. */
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

/** The commands that the agent has here, and those that it doesn't have, with the reason. */
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
      ${withheld.map(({ name, why }) => html`<li class="withheld">${icon("refuse")}<code>${name}</code><p>${why}</p>${remedyRow(panel, why, { kind: "quiet" }, "setServiceKey")}</li>`)}
      ${commands.map(({ name, description }) => html`<li>${icon("accept", "good")}<code>${name}</code><p>${description}</p></li>`)}
    </ul>
  `,
  );
}

/** The spending by run, day and model, and the memory, each in a fold. */
function usageView(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { account } = view;
  if (!account) return nothing;
  return html`${spendingView(panel, view, account)} ${account.memory ? memoryView(panel, view, account.memory) : nothing}`;
}

function spendingView(panel: Panel, view: RunView, account: UsageReport): TemplateResult | typeof nothing {
  const [today] = account.days;
  if (!today) return nothing;
  const summary = html`<h2>Spending</h2><span class="count">${dayName(today.name)}: ${amountText(today)}</span>`;
  return foldView(
    panel,
    view,
    { name: "spending", summary, look: "spending" },
    () => html`
    ${amountsView("This run, by model", account.models)} ${amountsView(
      "All runs, by day",
      account.days.map((day) => ({ ...day, name: dayName(day.name) })),
    )}
    ${amountsView("All runs of 30 days, by model", account.allModels)}
  `,
  );
}

function amountsView(title: string, amounts: readonly UsageAmount[]): TemplateResult | typeof nothing {
  if (amounts.length === 0) return nothing;
  return html`<h3>${title}</h3>
    <ul role="list">${amounts.map((one) => html`<li><span>${one.name}</span> <span class="hint">${amountText(one)}</span></li>`)}</ul>`;
}

/** Dollars of calls with a known price, and tokens. */
function amountText({ tokens: count, usd: dollars, unpriced }: UsageAmount): string {
  const money = unpriced === 0 ? usd(dollars) : dollars === 0 ? "price unknown" : `${usd(dollars)} or more`;
  return `${money} · ${tokenCount(count)} tokens`;
}

const BYTES_PER_MB = 1_000_000;

function memoryView(panel: Panel, view: RunView, memory: NonNullable<UsageReport["memory"]>): TemplateResult {
  const { count, embedded, embedder, bytes, reading, notices } = memory;
  const summary = html`<h2>Memory</h2><span class="count">${counted(count, "memory", "memories")}</span>`;
  return foldView(
    panel,
    view,
    { name: "memory", summary, look: "memory" },
    () => html`
    <p>${(bytes / BYTES_PER_MB).toFixed(1)} MB on disk · vectors by ${embedder}${embedded < count ? ` (${formatCount(embedded)} of ${formatCount(count)} so far)` : ""}</p>
    ${reading ? html`<p class="hint">Another window writes this memory and also stores the new entries of this one.</p>` : nothing}
    ${notices.map((text) => html`<p class="hint" dir="auto">${text}</p>${remedyRow(panel, text, { kind: "quiet" })}`)}
  `,
  );
}

/** The run's background processes, each with buttons to stop it or to keep it after the run. */
function processesView(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { processes = [] } = view;
  if (processes.length === 0) return nothing;
  const running = processes.filter(({ state }) => state === "running").length;
  const summary = html`<h2>Processes</h2><span class="count">${running === 0 ? "none" : running} running</span>`;
  return foldView(
    panel,
    view,
    { name: "processes", summary, openAtFirst: running > 0, look: "processes" },
    () => html`<ul role="list">${processes.map((process) => processView(panel, process))}</ul>`,
  );
}

function processView(panel: Panel, { id, commandLine, state, code, kept }: ShownProcess): TemplateResult {
  const how = state === "ended" && code !== undefined ? `ended with ${code}` : state;
  const stop = (): void => panel.send({ type: "stopProcess", id });
  const keep = (): void => panel.send({ type: "keepProcess", id, kept: !kept });
  return html`<li>
    <code dir="auto" title=${commandLine}>${commandLine}</code>
    ${state === "running" ? nothing : html`<span class="hint">${how}</span>`}
    ${
      state === "running"
        ? html`${button("Stop", stop, { icon: "stop", shrinks: true, title: `Stop process ${id}` })}
          ${button("Keep", keep, { pressed: kept, title: `Let process ${id} run on when the run ends` })}`
        : nothing
    }
  </li>`;
}
