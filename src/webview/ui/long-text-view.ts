import { html, nothing, type TemplateResult } from "lit/html.js";
import { t } from "../../texts/language.ts";
import { changeRun, type Panel } from "../app/panel-state.ts";
import { type RunView, setFold } from "../run/run-view.ts";
import { renderButton } from "./buttons.ts";
import { isFoldOpen } from "./fold-view.ts";
import { cutEndExcerpt, cutExcerpt } from "./long-text.ts";

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
  /** True if there is more text elsewhere. */
  readonly isPart?: boolean;
  /** Additional buttons next to "Show all". */
  readonly buttons?: unknown;
}

/** Verbatim text, folded to its first lines or its last. */
export function renderLongText(panel: Panel, view: RunView, long: LongText): TemplateResult | typeof nothing {
  const { text, lines, cut } = (long.fromEnd ? cutEndExcerpt : cutExcerpt)(long.text, FOLDED_LINES, FOLDED_CHARS);
  if (text === "") return nothing;
  const open = cut && isFoldOpen(view, long.name);
  const toggle = (): void => panel.update(changeRun((run) => setFold(run, long.name, !open)));
  const all = lines > FOLDED_LINES ? t("timeline.showLinesButton", { count: lines }) : t("timeline.showWholeButton");
  const shown = long.isPart ? t("timeline.showMoreButton") : all;
  return html`<pre class="verbatim ${open ? "whole" : ""}" tabindex=${open ? "0" : nothing} role="group" aria-label=${long.label} dir="auto">${open ? long.text : addEllipsis(text, cut, long.fromEnd)}</pre>
    ${
      cut || long.buttons
        ? html`<div class="row tight">
          ${cut ? renderButton(open ? t("timeline.showLessButton") : shown, toggle, { kind: "quiet" }) : nothing}${long.buttons ?? nothing}
        </div>`
        : nothing
    }`;
}

function addEllipsis(text: string, cut: boolean, fromEnd = false): string {
  if (!cut) return text;
  return fromEnd ? `… ${text}` : `${text} …`;
}
