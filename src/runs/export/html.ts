import { getOutcomeText } from "../../core/commands/outcome.ts";
import type { StepView } from "../../core/events/run-state.ts";
import { listStepCalls } from "../../core/reply/further-calls.ts";
import { renderChecklistText } from "../../core/reply/plan.ts";
import type { ReadPage } from "../../schema/run-values.ts";
import { describeDecision, formatReportTitle, listRunFacts, type RunReport } from "./account.ts";
import { renderArgumentsMarkdown } from "./markdown.ts";
import { escapeHtml, renderHtmlPage } from "./page.ts";

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:.75rem;border:1px solid #8886;border-radius:4px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}dt{font-weight:600}dd{margin:0}
article{border-top:1px solid #8886;margin-top:1.5rem}summary{cursor:pointer}`;

/** A run as one self-contained HTML page that loads nothing and runs no script. */
export function renderRunHtml(account: RunReport): string {
  const { state, steps, notes, diffs } = account;
  const { task, profile, plan, end } = state;
  const facts = listRunFacts(account).map(([label, value]) => `<dt>${label}</dt><dd>${escapeHtml(value)}</dd>`);
  const goals = profile.goals.map((goal) => `<li>${escapeHtml(goal)}</li>`);
  return renderHtmlPage(task, STYLE, [
    `<dl>${facts.join("")}</dl>`,
    `<h2>Goals</h2>\n<ol>${goals.join("")}</ol>`,
    ...(plan.length > 0 ? [`<h2>Plan</h2>\n${renderPre(renderChecklistText(plan))}`] : []),
    ...(end?.reason === "finished"
      ? [`<h2>Summary</h2>\n${renderPre(end.summary)}${renderPages(end.pages ?? [])}`]
      : []),
    "<h2>Steps</h2>",
    renderNotes(notes, 0),
    ...steps.map((step) => `${renderStep(step, diffs.get(step.step) ?? [])}\n${renderNotes(notes, step.step)}`),
  ]);
}

/** The pages on which the answer may be based, with the passages that were found on them. */
function renderPages(pages: readonly ReadPage[]): string {
  if (pages.length === 0) return "";
  const items = pages.map(({ url, title, quotes }) => {
    const told = quotes.map((quote) => `<blockquote>${escapeHtml(quote)}</blockquote>`).join("");
    return `<li>${escapeHtml(title === "" ? url : `${title}: ${url}`)}${told}</li>`;
  });
  return `\n<h2>Sources</h2>\n<ul>${items.join("")}</ul>`;
}

function renderStep(step: StepView, changes: readonly string[]): string {
  const { reply, outcome } = step;
  const proposal = reply?.kind === "proposal" ? reply : undefined;
  const thoughts = proposal ? Object.entries(proposal.thoughts).filter(([, text]) => text !== "") : [];
  const decision = describeDecision(step);
  return [
    `<article><h3>${escapeHtml(formatReportTitle(step))}</h3>`,
    ...thoughts.map(([name, text]) => `<p><b>${escapeHtml(name)}:</b> ${escapeHtml(text)}</p>`),
    ...(proposal ? [renderPre(renderArgumentsMarkdown(proposal.call.args))] : []),
    ...(decision === undefined ? [] : [`<p>${escapeHtml(decision)}</p>`]),
    ...(outcome ? [`<details open><summary>Outcome</summary>${renderPre(getOutcomeText(outcome))}</details>`] : []),
    ...listStepCalls(step)
      .slice(1)
      .flatMap(({ call, outcome: other }) => [
        `<p>Also: ${escapeHtml(call.name)}</p>${renderPre(renderArgumentsMarkdown(call.args))}`,
        `<details open><summary>Outcome</summary>${renderPre(getOutcomeText(other))}</details>`,
      ]),
    ...(changes.length > 0 ? [`<details><summary>Changes</summary>${renderPre(changes.join("\n\n"))}</details>`] : []),
    "</article>",
  ].join("\n");
}

function renderNotes(notes: RunReport["notes"], step: number): string {
  return (notes.get(step) ?? []).map((note) => `<blockquote>${escapeHtml(note)}</blockquote>\n`).join("");
}

function renderPre(text: string): string {
  return `<pre>${escapeHtml(text)}</pre>`;
}
