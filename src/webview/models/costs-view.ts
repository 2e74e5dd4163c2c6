import { html, nothing, type TemplateResult } from "lit/html.js";
import type { CostsPage, UsageAmount } from "../../schema/panel-values.ts";
import { formatUsd, t } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { noticeView, PAGE_HEADING_ID, renderButton } from "../ui/buttons.ts";
import { formatDay, formatMonth, formatUsageAmount } from "../ui/format.ts";

/** The costs over all folders: the user's budgets, then tables by day, model, folder and month. */
export function renderCostsPage(panel: Panel, { budgets, days, models, folders, months }: CostsPage): TemplateResult {
  return html`<main class="models-page costs">
    <header><h1 id=${PAGE_HEADING_ID} tabindex="-1">${t("models.costs")}</h1></header>
    ${noticeView(panel)}
    <p class="hint">${t("models.costsAbout")}</p>
    <section>${budgets.map((budget) => renderBudget(panel, budget))}</section>
    ${
      months.length === 0
        ? html`<p>${t("models.costsNone")}</p>`
        : [
            renderTable(t("models.costsByDay"), days, formatDay),
            renderTable(t("models.costsByModel"), models),
            renderTable(t("models.costsByFolder"), folders),
            renderTable(t("models.costsByMonth"), months, formatMonth),
          ]
    }
  </main>`;
}

const SETTINGS = { day: "autogpt.run.budgetPerDay", month: "autogpt.run.budgetPerMonth" } as const;

function renderBudget(panel: Panel, { per, usd, spent }: CostsPage["budgets"][number]): TemplateResult {
  const setting = SETTINGS[per];
  const name = t(per === "day" ? "models.costsToday" : "models.costsThisMonth");
  const amounts = { spent: formatUsd(spent), budget: formatUsd(usd) };
  const text = usd > 0 ? t("models.costsOfBudget", amounts) : t("models.costsNoBudget", { spent: amounts.spent });
  const open = (): void => panel.send({ type: "openSetting", setting });
  return html`<div class="role">
    <h2>${name}</h2>
    <p class="model">${text}</p>
    ${usd > 0 ? html`<progress class=${spent >= WARN_FROM * usd ? "low" : ""} max="1" .value=${Math.min(1, spent / usd)} aria-label=${`${name}: ${text}`}></progress>` : nothing}
    ${renderButton(t("models.changeBudgetButton"), open, { title: t("actions.openSetting", { setting }), isNamedByTitle: true })}
  </div>`;
}

/** The share from which the user is warned. */
const WARN_FROM = 0.8;

function renderTable(
  title: string,
  amounts: readonly UsageAmount[],
  format: (name: string) => string = (name) => name,
): TemplateResult | typeof nothing {
  if (amounts.length === 0) return nothing;
  const most = Math.max(...amounts.map(measureAmount));
  return html`<section><h2>${title}</h2>
    <table>
      <tbody>${amounts.map(
        (one) => html`<tr>
          <th scope="row" dir="auto">${format(one.name)}</th>
          <td>${formatUsageAmount(one)}</td>
          <td aria-hidden="true"><progress max="1" .value=${most === 0 ? 0 : measureAmount(one) / most}></progress></td>
        </tr>`,
      )}</tbody>
    </table>
  </section>`;
}

/** The length of a bar: dollars, and next to nothing for tokens without a price. */
function measureAmount({ usd, tokens }: UsageAmount): number {
  return usd + tokens * NEXT_TO_NOTHING;
}

const NEXT_TO_NOTHING = 1e-12;
