import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Thoughts } from "../core/reply.ts";
import { foldView } from "./fold-view.ts";
import type { Panel } from "./panel-state.ts";
import type { RunView } from "./run-view.ts";
import { textView } from "./text-view.ts";

/** What stands behind the first thought, with the heading of each. */
const BEHIND = [
  ["reasoning", "Reasoning"],
  ["plan", "Plan"],
  ["criticism", "Criticism"],
] as const;

/** The thinking aloud: what it sees first and what it says, the rest behind "Why". */
export function thoughtsView(
  panel: Panel,
  view: RunView,
  step: number,
  thoughts: Thoughts,
): TemplateResult | typeof nothing {
  const behind = BEHIND.filter(([field]) => thoughts[field] !== "");
  if (thoughts.text === "" && thoughts.speak === "" && behind.length === 0) return nothing;
  return html`<div class="thoughts">
    ${thoughts.text === "" ? nothing : textView(panel, thoughts.text)}
    ${isSaidAlready(thoughts) ? nothing : html`<p class="speak" dir="auto">${thoughts.speak}</p>`}
    ${
      behind.length === 0
        ? nothing
        : foldView(panel, view, { name: `why-${step}`, summary: "Why", look: "why" }, () =>
            behind.map(([field, heading]) => html`<h4>${heading}</h4>${textView(panel, thoughts[field])}`),
          )
    }
  </div>`;
}

/** What it says is shown unless it is what it thinks, word for word. */
function isSaidAlready({ text, speak }: Thoughts): boolean {
  return speak === "" || speak.trim() === text.trim();
}
