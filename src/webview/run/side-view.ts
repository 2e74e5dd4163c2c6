import { html, nothing, type TemplateResult } from "lit/html.js";
import { formatCount, formatDisplaySize } from "../../core/base/text.ts";
import type { ShownProcess, UsageAmount, UsageReport } from "../../schema/panel-values.ts";
import { t, write } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { renderActionButton, renderButton, renderRemedyRow } from "../ui/buttons.ts";
import { foldView } from "../ui/fold-view.ts";
import { formatDay, formatUsageAmount } from "../ui/format.ts";
import { renderIcon } from "../ui/icons.ts";
import { renderChecklist } from "./checklist-view.ts";
import { listShownMeters, type Meter } from "./run-meters.ts";
import type { RunView } from "./run-view.ts";
import { renderSandbox } from "./sandbox-view.ts";

/** The details next to a wide feed. On a narrow panel, the header's fold shows them. */
export function renderSideDetails(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  if (!panel.state.wide) return nothing;
  return html`<aside class="side" aria-label=${t("header.details")}>${renderRunDetails(panel, view)}</aside>`;
}

/** Plan, meters, processes, goals, commands, spending and memory. */
export function renderRunDetails(panel: Panel, view: RunView): TemplateResult {
  return html`<div class="details" tabindex="-1">
    ${renderPlan(view)} <div class="meters">${listShownMeters(view.state).map(renderMeter)}</div>
    ${renderSandbox(view)} ${renderProcesses(panel, view)} ${renderGoals(view)} ${renderCommands(panel, view)} ${renderUsage(panel, view)}
  </div>`;
}

function renderMeter({ name, text, label, share, low }: Meter): TemplateResult {
  const told = share !== undefined;
  return html`<div class="meter ${low ? "low" : ""}" title=${label}>
    <span class="meter-name" aria-hidden=${told}>${name}</span>
    <span class="meter-text" aria-hidden=${told}>${text}</span>
    ${share === undefined ? nothing : html`<progress class=${low ? "low" : ""} max="1" .value=${share} aria-label=${label}></progress>`}
  </div>`;
}

function renderPlan({ state: { plan, end } }: RunView): TemplateResult {
  return html`<section class="plan">
    <h2>${t("header.plan")}</h2>
    ${plan.length === 0 ? html`<p class="hint">${t("header.planEmpty")}</p>` : renderChecklist(plan, end?.reason === "finished")}
  </section>`;
}

function renderGoals({ state }: RunView): TemplateResult | typeof nothing {
  const { goals } = state.profile;
  if (goals.length === 0) return nothing;
  return html`<section class="goals">
    <h2>${t("header.goals")}</h2>
    <ol>${goals.map((goal) => html`<li dir="auto">${goal}</li>`)}</ol>
  </section>`;
}

/** The commands that the agent can use here, and the unavailable ones with the reason. */
function renderCommands(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { commands = [], withheld } = view.facts;
  if (commands.length + withheld.length === 0) return nothing;
  const offered = commands.length;
  const count =
    withheld.length > 0
      ? t("header.commandsWithheld", { offered, withheld: withheld.length })
      : t("header.commandsOffered", { offered });
  const summary = html`<h2>${t("header.commands")}</h2><span class="count">${count}</span>`;
  return foldView(
    panel,
    view,
    { name: "commands", summary, look: "commands" },
    () => html`
    <ul role="list">
      ${withheld.map(({ name, why }) => html`<li class="withheld">${renderIcon("refuse")}<code>${name}</code><p>${write(why)}</p>${renderRemedyRow(panel, why, { kind: "quiet" }, "setServiceKey")}</li>`)}
      ${commands.map(({ name, description }) => html`<li>${renderIcon("accept", "good")}<code>${name}</code><p>${description}</p></li>`)}
    </ul>
  `,
  );
}

/** The spending by run, day and model, and the memory, each in a fold. */
function renderUsage(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { account } = view;
  if (!account) return nothing;
  return html`${renderSpending(panel, view, account)} ${account.memory ? renderMemory(panel, view, account.memory) : nothing}`;
}

function renderSpending(panel: Panel, view: RunView, account: UsageReport): TemplateResult | typeof nothing {
  const [today] = account.days;
  if (!today) return nothing;
  const last = t("header.spendingOn", { day: formatDay(today.name), amount: formatUsageAmount(today) });
  const summary = html`<h2>${t("header.spending")}</h2><span class="count">${last}</span>`;
  return foldView(
    panel,
    view,
    { name: "spending", summary, look: "spending" },
    () => html`
    ${renderAmounts(t("header.spendingModels"), account.models)} ${renderAmounts(
      t("header.spendingDays"),
      account.days.map((day) => ({ ...day, name: formatDay(day.name) })),
    )}
    ${renderAmounts(t("header.spendingAllModels"), account.allModels)}
    ${renderActionButton(panel, "showCosts", { kind: "quiet" })}
  `,
  );
}

function renderAmounts(title: string, amounts: readonly UsageAmount[]): TemplateResult | typeof nothing {
  if (amounts.length === 0) return nothing;
  return html`<h3>${title}</h3>
    <ul role="list">${amounts.map((one) => html`<li><span>${one.name}</span> <span class="hint">${formatUsageAmount(one)}</span></li>`)}</ul>`;
}

/** Name prefix of the bundled table, whose version is meaningless to users. */
const SHIPPED_TABLE = "table-";

function renderMemory(panel: Panel, view: RunView, memory: NonNullable<UsageReport["memory"]>): TemplateResult {
  const { count, embedded, embedder, bytes, reading, shared, notices } = memory;
  const summary = html`<h2>${t("header.memory")}</h2><span class="count">${t("header.memories", { count })}</span>`;
  const facts = {
    size: formatDisplaySize(bytes),
    way: embedder.startsWith(SHIPPED_TABLE) ? t("header.memoryBuiltIn") : embedder,
  };
  const size =
    embedded < count
      ? t("header.memorySizeEmbedding", {
          ...facts,
          embedded: formatCount(embedded),
          count: formatCount(count),
        })
      : t("header.memorySize", facts);
  return foldView(
    panel,
    view,
    { name: "memory", summary, look: "memory" },
    () => html`
    <p>${size}</p>
    ${reading ? html`<p class="hint">${t("header.memoryElsewhere")}</p>` : nothing}
    ${shared ? html`<p class="hint" dir="auto">${write(shared)}</p>` : nothing}
    ${notices.map((text) => html`<p class="hint" dir="auto">${write(text)}</p>${renderRemedyRow(panel, text, { kind: "quiet" })}`)}
  `,
  );
}

/** The run's background processes, each with buttons to stop it or to keep it after the run. */
function renderProcesses(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { processes = [] } = view;
  if (processes.length === 0) return nothing;
  const count = processes.filter(({ state }) => state === "running").length;
  const some = count === 0 ? t("header.processesNone") : t("header.processesSome", { count });
  const summary = html`<h2>${t("header.processes")}</h2><span class="count">${some}</span>`;
  return foldView(
    panel,
    view,
    { name: "processes", summary, openAtFirst: true, look: "processes" },
    () => html`<ul role="list">${processes.map((process) => renderProcess(panel, process))}</ul>`,
  );
}

function renderProcess(panel: Panel, process: ShownProcess): TemplateResult {
  const { id, commandLine, state, kept } = process;
  const stop = (): void => panel.send({ type: "stopProcess", id });
  const keep = (): void => panel.send({ type: "keepProcess", id, kept: !kept });
  return html`<li>
    <code dir="auto" title=${commandLine}>${commandLine}</code>
    ${
      state === "running"
        ? html`${renderButton(t("header.processStopTitle", { id }), stop, { icon: "stop", iconOnly: true, kind: "quiet" })}
          ${renderButton(t("header.processKeepButton"), keep, { pressed: kept, title: t("header.processKeepTitle", { id }) })}`
        : html`<span class="hint">${describeProcessEnd(process)}</span>`
    }
  </li>`;
}

function describeProcessEnd({ state, code }: ShownProcess): string {
  if (state === "stopped") return t("header.processStopped");
  return code === undefined ? t("header.processEnded") : t("header.processEndedWith", { code });
}
