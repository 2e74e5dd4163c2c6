import { outcomeText } from "../../core/commands/outcome.ts";
import type { StepView } from "../../core/events/run-state.ts";
import { calledIn } from "../../core/reply/further-calls.ts";
import { checklistText } from "../../core/reply/plan.ts";
import { THOUGHT_FIELDS } from "../../core/reply/reply.ts";
import type { ReadPage } from "../../schema/run-values.ts";
import { decisionOf, factsOf, type RunReport, reportTitle } from "./account.ts";

/** A run as a Markdown report: goals, plan, every step with its outcome, cost. Texts of the agent and of commands are fenced. */
export function markdownOf(account: RunReport): string {
  const { state, steps, notes, diffs } = account;
  const { task, profile, plan, end } = state;
  const blocks = [
    `# ${line(task)}`,
    factsOf(account)
      .map(([label, value]) => `- **${label}:** ${line(value)}`)
      .join("\n"),
    `## Goals\n\n${profile.goals.map((goal, index) => `${index + 1}. ${line(goal)}`).join("\n")}`,
    ...(plan.length > 0 ? [`## Plan\n\n${fenced(checklistText(plan))}`] : []),
    ...(end?.reason === "finished"
      ? [`## Summary\n\n${fenced(end.summary)}`, ...pageBlocks(end.pages ?? [])]
      : []),
    "## Steps",
    ...notesAt(notes, 0),
    ...steps.flatMap((step) => [
      ...stepBlocks(step),
      ...diffBlocks(diffs, step),
      ...notesAt(notes, step.step),
    ]),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** The pages that the answer may rest on, with the passages that were found on them. */
function pageBlocks(pages: readonly ReadPage[]): readonly string[] {
  if (pages.length === 0) return [];
  const items = pages.map(({ url, title, quotes }) =>
    [
      `- ${line(title === "" ? url : `${title}: ${url}`)}`,
      ...quotes.map((quote) => `  > ${line(quote)}`),
    ].join("\n\n"),
  );
  return [`## Sources\n\n${items.join("\n")}`];
}

function stepBlocks(step: StepView): readonly string[] {
  const { reply, outcome } = step;
  const further = calledIn(step).slice(1);
  const proposal = reply?.kind === "proposal" ? reply : undefined;
  const thoughts = THOUGHT_FIELDS.flatMap((field) => {
    const text = proposal?.thoughts[field] ?? "";
    return text === "" ? [] : [`${field}: ${text}`];
  });
  const decision = decisionOf(step);
  return [
    `### ${reportTitle(step)}`,
    ...(thoughts.length > 0 ? [fenced(thoughts.join("\n"))] : []),
    ...(proposal ? [`Command:\n\n${fenced(argumentsMarkdown(proposal.call.args))}`] : []),
    ...(decision === undefined ? [] : [line(decision)]),
    ...(outcome ? [`Outcome:\n\n${fenced(outcomeText(outcome))}`] : []),
    ...further.flatMap(({ call, outcome: other }) => [
      `Also: ${line(call.name)}\n\n${fenced(argumentsMarkdown(call.args))}`,
      `Outcome:\n\n${fenced(outcomeText(other))}`,
    ]),
  ];
}

function diffBlocks(diffs: RunReport["diffs"], { step }: StepView): readonly string[] {
  const changes = diffs.get(step) ?? [];
  return changes.length === 0 ? [] : [`Changes:\n\n${fenced(changes.join("\n\n"), "diff")}`];
}

function notesAt(notes: RunReport["notes"], step: number): readonly string[] {
  return (notes.get(step) ?? []).map((note) => `> ${line(note)}`);
}

/** Arguments with their texts unescaped. */
export function argumentsMarkdown(args: Readonly<Record<string, unknown>>): string {
  return Object.entries(args)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}

/** Text between fences that don't occur in it. */
function fenced(text: string, language = "text"): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** One line with all markup escaped. */
function line(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>#|]/g, "\\$&");
}
