import { getOutcomeText } from "../../core/commands/outcome.ts";
import type { StepView } from "../../core/events/run-state.ts";
import { listStepCalls } from "../../core/reply/further-calls.ts";
import { renderChecklistText } from "../../core/reply/plan.ts";
import { THOUGHT_FIELDS } from "../../core/reply/reply.ts";
import type { ReadPage } from "../../schema/run-values.ts";
import { describeDecision, formatReportTitle, listRunFacts, type RunReport } from "./account.ts";

/** A run as a Markdown report: goals, plan, every step with its outcome, cost. Texts of the agent and of commands are fenced. */
export function renderRunMarkdown(account: RunReport): string {
  const { state, steps, notes, diffs } = account;
  const { task, profile, plan, end } = state;
  const blocks = [
    `# ${escapeLine(task)}`,
    listRunFacts(account)
      .map(([label, value]) => `- **${label}:** ${escapeLine(value)}`)
      .join("\n"),
    `## Goals\n\n${profile.goals.map((goal, index) => `${index + 1}. ${escapeLine(goal)}`).join("\n")}`,
    ...(plan.length > 0 ? [`## Plan\n\n${fenceText(renderChecklistText(plan))}`] : []),
    ...(end?.reason === "finished" ? [`## Summary\n\n${fenceText(end.summary)}`, ...renderPages(end.pages ?? [])] : []),
    "## Steps",
    ...renderNotes(notes, 0),
    ...steps.flatMap((step) => [...renderStep(step), ...renderDiffs(diffs, step), ...renderNotes(notes, step.step)]),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** The pages on which the answer may be based, with the passages that were found on them. */
function renderPages(pages: readonly ReadPage[]): readonly string[] {
  if (pages.length === 0) return [];
  const items = pages.map(({ url, title, quotes }) =>
    [
      `- ${escapeLine(title === "" ? url : `${title}: ${url}`)}`,
      ...quotes.map((quote) => `  > ${escapeLine(quote)}`),
    ].join("\n\n"),
  );
  return [`## Sources\n\n${items.join("\n")}`];
}

function renderStep(step: StepView): readonly string[] {
  const { reply, outcome } = step;
  const further = listStepCalls(step).slice(1);
  const proposal = reply?.kind === "proposal" ? reply : undefined;
  const thoughts = THOUGHT_FIELDS.flatMap((field) => {
    const text = proposal?.thoughts[field] ?? "";
    return text === "" ? [] : [`${field}: ${text}`];
  });
  const decision = describeDecision(step);
  return [
    `### ${formatReportTitle(step)}`,
    ...(thoughts.length > 0 ? [fenceText(thoughts.join("\n"))] : []),
    ...(proposal ? [`Command:\n\n${fenceText(renderArgumentsMarkdown(proposal.call.args))}`] : []),
    ...(decision === undefined ? [] : [escapeLine(decision)]),
    ...(outcome ? [`Outcome:\n\n${fenceText(getOutcomeText(outcome))}`] : []),
    ...further.flatMap(({ call, outcome: other }) => [
      `Also: ${escapeLine(call.name)}\n\n${fenceText(renderArgumentsMarkdown(call.args))}`,
      `Outcome:\n\n${fenceText(getOutcomeText(other))}`,
    ]),
  ];
}

function renderDiffs(diffs: RunReport["diffs"], { step }: StepView): readonly string[] {
  const changes = diffs.get(step) ?? [];
  return changes.length === 0 ? [] : [`Changes:\n\n${fenceText(changes.join("\n\n"), "diff")}`];
}

function renderNotes(notes: RunReport["notes"], step: number): readonly string[] {
  return (notes.get(step) ?? []).map((note) => `> ${escapeLine(note)}`);
}

/** Arguments with their texts unescaped. */
export function renderArgumentsMarkdown(args: Readonly<Record<string, unknown>>): string {
  return Object.entries(args)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}

/** Text between fences that don't occur in it. */
function fenceText(text: string, language = "text"): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** One line with all markup escaped. */
function escapeLine(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>#|]/g, "\\$&");
}
