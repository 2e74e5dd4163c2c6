import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Account, Amount } from "../protocol.ts";
import { namedRow } from "./buttons.ts";
import { foldView } from "./fold-view.ts";
import { counted, dayName, tokens, usd } from "./format.ts";
import type { Panel } from "./panel-state.ts";
import type { RunView } from "./run-view.ts";

/** What was spent, by run, day and model, and what is remembered; each in a fold. */
export function accountView(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { account } = view;
  if (!account) return nothing;
  return html`${spendingView(panel, view, account)} ${account.memory ? memoryView(panel, view, account.memory) : nothing}`;
}

function spendingView(panel: Panel, view: RunView, account: Account): TemplateResult | typeof nothing {
  const [today] = account.days;
  if (!today) return nothing;
  const summary = html`<h2>Spending</h2><span class="count">${dayName(today.name)}: ${amount(today)}</span>`;
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

function amountsView(title: string, amounts: readonly Amount[]): TemplateResult | typeof nothing {
  if (amounts.length === 0) return nothing;
  return html`<h3>${title}</h3>
    <ul role="list">${amounts.map((one) => html`<li><span>${one.name}</span> <span class="hint">${amount(one)}</span></li>`)}</ul>`;
}

/** Dollars as far as prices are known, and tokens. */
function amount({ tokens: count, usd: dollars, unpriced }: Amount): string {
  const money = unpriced === 0 ? usd(dollars) : dollars === 0 ? "price unknown" : `${usd(dollars)} or more`;
  return `${money} · ${tokens(count)} tokens`;
}

const BYTES_PER_MB = 1_000_000;

function memoryView(panel: Panel, view: RunView, memory: NonNullable<Account["memory"]>): TemplateResult {
  const { count, embedded, embedder, bytes, reading, notices } = memory;
  const summary = html`<h2>Memory</h2><span class="count">${counted(count, "memory", "memories")}</span>`;
  return foldView(
    panel,
    view,
    { name: "memory", summary, look: "memory" },
    () => html`
    <p>${(bytes / BYTES_PER_MB).toFixed(1)} MB on disk · vectors by ${embedder}${embedded < count ? ` (${embedded} of ${count} so far)` : ""}</p>
    ${reading ? html`<p class="hint">Another window writes this memory; what is new here is handed over to it.</p>` : nothing}
    ${notices.map((text) => html`<p class="hint" dir="auto">${text}</p>${namedRow(panel, text, { kind: "quiet" })}`)}
  `,
  );
}
