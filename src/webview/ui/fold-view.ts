import { html, nothing, type TemplateResult } from "lit/html.js";
import { inRun, type Panel } from "../app/panel-state.ts";
import { type RunView, withFold } from "../run/run-view.ts";

/** What a fold shows. */
export interface FoldOptions {
  /** Unique within the run. */
  readonly name: string;
  readonly summary: unknown;
  readonly openAtFirst?: boolean;
  readonly look?: string;
}

/** True when the user opened it, or has not closed what is open at first. */
export function isFoldOpen(view: RunView, name: string, openAtFirst = false): boolean {
  return view.folds.get(name) ?? openAtFirst;
}

/** A fold that remembers whether it is open. Its inside is drawn only then. */
export function foldView(
  panel: Panel,
  view: RunView,
  fold: FoldOptions,
  inside: () => unknown,
): TemplateResult {
  const open = isFoldOpen(view, fold.name, fold.openAtFirst);
  const toggled = (event: Event): void => {
    if (!(event.target instanceof HTMLDetailsElement) || event.target.open === open) return;
    const now = event.target.open;
    panel.update(inRun((run) => withFold(run, fold.name, now)));
  };
  return html`<details class="fold ${fold.look ?? ""}" ?open=${open} @toggle=${toggled}>
    <summary>${fold.summary}</summary>
    ${open ? inside() : nothing}
  </details>`;
}

/** Says where a rule that decided stands, so that it can be found and changed, as a sentence for people. */
export function ruleOrigin(rule: string): string {
  const [, setting, index] = /^(approval\.(?:rules|deny))\[(\d+)\]$/.exec(rule) ?? [];
  if (setting === "approval.rules")
    return `It is number ${Number(index) + 1} of your setting autogpt.approval.rules.`;
  if (setting !== undefined)
    return `It is number ${Number(index) + 1} of autogpt.approval.deny, from your settings or the workspace's.`;
  if (rule.startsWith("--yes-to ")) return "It was given on the command line.";
  return OWN_RULES[rule] ?? "It is built in.";
}

const OWN_RULES: Readonly<Record<string, string>> = {
  taught: "You taught it on a card. Show What Is Allowed lists it and takes it back.",
  grant: "You approved it in advance. Show What Is Allowed lists what is left and takes it back.",
  continuous: "Continuous mode approved it. Show What Is Allowed turns it off.",
  "read-only-shell": "It is built in, and your setting autogpt.approval.readOnlyShell turns it on.",
  sandbox: "It is built in, and your setting autogpt.shell.sandbox turns it on.",
};

/** What is explained: a rule by its name, and what it said where that does not stand beside it. */
export interface RuleExplanation {
  /** Unique within the run. */
  readonly name: string;
  readonly rule: string;
  readonly reason?: string;
}

/** Which rule decided, and where it stands: behind the word Explain. */
export function explainView(panel: Panel, view: RunView, explained: RuleExplanation): TemplateResult {
  const { name, rule, reason } = explained;
  const fold = { name, summary: "Explain", look: "explain" };
  return foldView(
    panel,
    view,
    fold,
    () =>
      html`<p class="hint" dir="auto">${reason ? html`${reason} ` : nothing}The rule is <code>${rule}</code>. ${ruleOrigin(rule)}</p>`,
  );
}
