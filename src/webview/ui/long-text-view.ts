import { html, nothing, type TemplateResult } from "lit/html.js";
import { t } from "../../texts/language.ts";
import { inRun, type Panel } from "../app/panel-state.ts";
import { type RunView, withFold } from "../run/run-view.ts";
import { button } from "./buttons.ts";
import { isFoldOpen } from "./fold-view.ts";
import { excerpt, excerptOfEnd } from "./long-text.ts";

const FOLDED_LINES = 6;
const FOLDED_CHARS = 600;

/** A long text, and the way to show it. */
export interface LongText {
  /** Unique within the run. */
  readonly name: string;
  readonly label: string;
  readonly text: string;
  /** When folded, it shows its last lines instead of its first. */
  readonly fromEnd?: boolean;
  /** There is more of it elsewhere. */
  readonly isPart?: boolean;
  /** Further buttons beside "Show all". */
  readonly buttons?: unknown;
}

/** Verbatim text, folded to its first lines or its last. */
export function longTextView(panel: Panel, view: RunView, long: LongText): TemplateResult | typeof nothing {
  const { text, lines, cut } = (long.fromEnd ? excerptOfEnd : excerpt)(long.text, FOLDED_LINES, FOLDED_CHARS);
  if (text === "") return nothing;
  const open = cut && isFoldOpen(view, long.name);
  const toggle = (): void => panel.update(inRun((run) => withFold(run, long.name, !open)));
  const all =
    lines > FOLDED_LINES ? t("timeline.showLinesButton", { count: lines }) : t("timeline.showWholeButton");
  const shown = long.isPart ? t("timeline.showMoreButton") : all;
  return html`<pre class="verbatim ${open ? "whole" : ""}" tabindex=${open ? "0" : nothing} role="group" aria-label=${long.label} dir="auto">${open ? long.text : folded(text, cut, long.fromEnd)}</pre>
    ${
      cut || long.buttons
        ? html`<div class="row tight">
          ${cut ? button(open ? t("timeline.showLessButton") : shown, toggle, { kind: "quiet" }) : nothing}${long.buttons ?? nothing}
        </div>`
        : nothing
    }`;
}

function folded(text: string, cut: boolean, fromEnd = false): string {
  if (!cut) return text;
  return fromEnd ? `… ${text}` : `${text} …`;
}
