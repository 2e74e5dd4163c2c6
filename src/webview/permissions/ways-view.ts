import { html, nothing, type TemplateResult } from "lit/html.js";
import type { ShownWay, WaysPage } from "../../schema/review-page.ts";
import { formatUsd, splitTextParts, t, write } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { noticeView, PAGE_HEADING_ID, renderButton } from "../ui/buttons.ts";
import { renderFigures } from "../ui/figures-view.ts";
import { formatMinutes } from "../ui/format.ts";
import { renderIcon } from "../ui/icons.ts";

/** The comparison of several isolated runs of one task. */
export function renderWaysPage(panel: Panel, { task, check, ways }: WaysPage): TemplateResult {
  return html`<main class="models-page ways">
    <header><h1 id=${PAGE_HEADING_ID} tabindex="-1">${t("isolation.ways.compareTitle")}</h1></header>
    ${noticeView(panel)}
    ${
      ways.length === 0
        ? html`<p>${t("isolation.ways.none")}</p>`
        : html`<p class="task" dir="auto">${task}</p>
          <p class="hint">${check === undefined ? t("isolation.ways.noCheck") : splitTextParts("isolation.ways.checkLine", { check: html`<code dir="auto">${check}</code>` })}</p>
          ${renderWaysTable(panel, ways)}
          <p class="hint">${t("isolation.ways.hint")}</p>`
    }
  </main>`;
}

function renderWaysTable(panel: Panel, ways: readonly ShownWay[]): TemplateResult {
  const heads = [t("isolation.ways.way"), ...listColumns().map(({ head }) => head)];
  return html`<table>
    <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}<td></td></tr></thead>
    <tbody>${ways.map((way) => renderWayRow(panel, way))}</tbody>
  </table>`;
}

interface WayFact {
  readonly head: string;
  show(way: ShownWay): unknown;
}

/** The columns. On a narrow page, they become lines with their headings. */
function listColumns(): readonly WayFact[] {
  return [
    { head: t("isolation.ways.check"), show: checkView },
    {
      head: t("isolation.ways.cost"),
      show: ({ usd, unpriced }) => (usd === 0 && unpriced > 0 ? t("isolation.ways.unknownCost") : formatUsd(usd)),
    },
    { head: t("isolation.ways.steps"), show: ({ steps }) => steps },
    { head: t("isolation.ways.time"), show: (way) => formatMinutes(way.minutes * MS_PER_MINUTE) },
    {
      head: t("isolation.ways.changes"),
      show: ({ changes }) =>
        changes ? html`${t("isolation.ways.files", { count: changes.files })} ${renderFigures(changes)}` : undefined,
    },
  ];
}

function renderWayRow(panel: Panel, way: ShownWay): TemplateResult {
  const { label, problem, summary } = way;
  return html`<tr>
    <th scope="row"><p dir="auto">${label}</p> ${summary === undefined ? nothing : html`<p class="hint" dir="auto">${summary}</p>`} ${problem === undefined ? nothing : html`<p class="hint" dir="auto">${write(problem)}</p>`}</th>
    ${listColumns().map(({ head, show }) => {
      const shown = show(way);
      return shown === undefined ? html`<td></td> ` : html`<td data-head=${head}>${shown}</td> `;
    })}
    <td>${renderWayButtons(panel, way)}</td>
  </tr>`;
}

const MS_PER_MINUTE = 60_000;

/** The result of the check, or the run's progress before it. */
function checkView({ state, check, output = "", review }: ShownWay): TemplateResult {
  if (review !== undefined) return html`${t(`runs.tree.isolated.${review}`)}`;
  if (state !== "done" || check === undefined)
    return html`${state === "running" || state === "checking" ? renderIcon("working") : nothing} ${t(`isolation.ways.state.${state}`)}`;
  const shown = output.trim() === "" ? nothing : renderCheckOutput(output);
  if (check === 0) return html`${renderIcon("accept", "good")} ${t("isolation.ways.passed")} ${shown}`;
  const text = check === null ? t("isolation.ways.ended") : t("isolation.ways.failed", { code: check });
  return html`${renderIcon("close", "bad")} ${text} ${shown}`;
}

function renderCheckOutput(output: string): TemplateResult {
  return html`<details><summary>${t("isolation.ways.output")}</summary><pre tabindex="0">${output}</pre></details>`;
}

function renderWayButtons(
  panel: Panel,
  { run, label, changes, state, review }: ShownWay,
): TemplateResult | typeof nothing {
  if (run === undefined) return nothing;
  const choose = (look: "accept" | "review" | "changes") => (): void => panel.send({ type: "chooseWay", run, look });
  const hasChanges = changes !== undefined && changes.files > 0;
  return html`<div class="row">
    ${hasChanges && state === "done" && review === undefined ? renderButton(t("isolation.acceptButton"), choose("accept"), { title: t("isolation.acceptOf", { file: label }), isNamedByTitle: true }) : nothing}
    ${renderButton(t("isolation.ways.reviewButton"), choose("review"), { title: t("isolation.ways.reviewOf", { way: label }), isNamedByTitle: true })}
    ${hasChanges ? renderButton(t("isolation.openChangesButton"), choose("changes"), { title: t("isolation.ways.changesOf", { way: label }), isNamedByTitle: true }) : nothing}
  </div>`;
}
