import { html, nothing, type TemplateResult } from "lit/html.js";
import { splitTextParts, t } from "../../texts/language.ts";
import { changeRun, type Panel } from "../app/panel-state.ts";
import { type RunView, setFold } from "../run/run-view.ts";

/** Content and look of a fold. */
export interface FoldOptions {
  /** Unique within the run. */
  readonly name: string;
  readonly summary: unknown;
  readonly openAtFirst?: boolean;
  readonly look?: string;
}

/** True when the user opened the fold, or hasn't closed one that is open at first. */
export function isFoldOpen(view: RunView, name: string, openAtFirst = false): boolean {
  return view.folds.get(name) ?? openAtFirst;
}

/** A fold that remembers whether it is open. Its inside is drawn only while it is. */
export function foldView(panel: Panel, view: RunView, fold: FoldOptions, inside: () => unknown): TemplateResult {
  const open = isFoldOpen(view, fold.name, fold.openAtFirst);
  const handleToggle = (event: Event): void => {
    if (!(event.target instanceof HTMLDetailsElement) || event.target.open === open) return;
    const now = event.target.open;
    panel.update(changeRun((run) => setFold(run, fold.name, now)));
  };
  return html`<details class="fold ${fold.look ?? ""}" ?open=${open} @toggle=${handleToggle}>
    <summary>${fold.summary}</summary>
    ${open ? inside() : nothing}
  </details>`;
}

/** Folds, and steps with open details. */
const OPEN_FOLDS = "details[open], :is(.step, .looks):has(> .line > [aria-expanded=true])";

/** Escape closes the fold around the focus, and focuses the element that opens it. In text boxes, Escape keeps its meaning. */
export function closeFoldAround(event: KeyboardEvent): void {
  const { target, key, defaultPrevented } = event;
  if (key !== "Escape" || defaultPrevented || !(target instanceof Element)) return;
  if (target.matches("input, textarea, select, .menu *")) return;
  const fold = target.closest(OPEN_FOLDS);
  const opener = fold?.querySelector<HTMLElement>(":scope > summary, :scope > .line > .line-toggle");
  if (!opener) return;
  event.preventDefault();
  opener.click();
  opener.focus();
}

/** Describes the location of a rule as a sentence, so that the user can find and change it. */
export function describeRuleOrigin(rule: string): string {
  const [, setting, index] = /^(approval\.(?:rules|deny))\[(\d+)\]$/.exec(rule) ?? [];
  if (setting === "approval.rules") return t("timeline.ruleSetting", { number: Number(index) + 1 });
  if (setting !== undefined) return t("timeline.rulePattern", { number: Number(index) + 1 });
  if (rule.startsWith("--yes-to ")) return t("timeline.ruleFlag");
  return t(Object.hasOwn(OWN_RULES, rule) ? (OWN_RULES[rule] ?? BUILT_IN) : BUILT_IN);
}

type RuleText =
  | "timeline.ruleTaught"
  | "timeline.ruleGrant"
  | "timeline.ruleContinuous"
  | "timeline.ruleReadOnlyShell"
  | "timeline.ruleSandbox";

const BUILT_IN = "timeline.ruleBuiltIn";

const OWN_RULES: Readonly<Record<string, RuleText>> = {
  taught: "timeline.ruleTaught",
  grant: "timeline.ruleGrant",
  continuous: "timeline.ruleContinuous",
  "read-only-shell": "timeline.ruleReadOnlyShell",
  sandbox: "timeline.ruleSandbox",
};

/** A rule to explain, with its reason where that isn't displayed next to it. */
export interface RuleExplanation {
  /** Unique within the run. */
  readonly name: string;
  readonly rule: string;
  readonly reason?: string;
}

/** The rule that decided, and its place, behind "Explain". */
export function explainView(panel: Panel, view: RunView, explained: RuleExplanation): TemplateResult {
  const { name, rule, reason } = explained;
  const fold = { name, summary: t("approval.explainButton"), look: "explain" };
  return foldView(
    panel,
    view,
    fold,
    () =>
      html`<p class="hint" dir="auto">${reason ? html`${reason} ` : nothing}${splitTextParts("approval.rule", { rule: html`<code>${rule}</code>` })} ${describeRuleOrigin(rule)}</p>`,
  );
}
