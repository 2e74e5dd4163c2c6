import { html, nothing, type TemplateResult } from "lit/html.js";
import { ruleOrigin } from "./explain.ts";
import { foldView } from "./fold-view.ts";
import type { Panel } from "./panel-state.ts";
import type { RunView } from "./run-view.ts";

/** What is explained: a rule by its name, and what it said where that does not stand beside it. */
export interface Explained {
  /** Unique within the run. */
  readonly name: string;
  readonly rule: string;
  readonly reason?: string;
}

/** Which rule decided, and where it stands: behind the word Explain. */
export function explainView(panel: Panel, view: RunView, explained: Explained): TemplateResult {
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
