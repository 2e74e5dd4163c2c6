import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Thoughts } from "../../core/reply/reply.ts";
import { t } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { foldView } from "../ui/fold-view.ts";
import { renderMarkdownText } from "../ui/text-view.ts";
import type { RunView } from "./run-view.ts";

/** The thoughts behind the first one, each with its heading. */
const BEHIND = [
  ["reasoning", "timeline.reasoning"],
  ["plan", "timeline.plan"],
  ["criticism", "timeline.criticism"],
] as const;

/** Adds the model's own reasoning to the thoughts. It comes first if there is nothing else. */
export function addReasoning(thoughts: Thoughts, own: string): Thoughts {
  if (own === "") return thoughts;
  if (thoughts.text === "" && thoughts.reasoning === "") return { ...thoughts, text: own };
  return thoughts.reasoning === "" ? { ...thoughts, reasoning: own } : thoughts;
}

interface ThoughtsOptions {
  readonly step: number;
  /** True while thoughts are still arriving, so that all are open. */
  readonly isStreaming: boolean;
}

/** The thoughts of the open step: the first and the spoken one as text, the others behind their headings. */
export function renderThoughts(
  panel: Panel,
  view: RunView,
  thoughts: Thoughts,
  { step, isStreaming }: ThoughtsOptions,
): TemplateResult | typeof nothing {
  const behind = BEHIND.filter(([field]) => thoughts[field] !== "");
  if (thoughts.text === "" && thoughts.speak === "" && behind.length === 0) return nothing;
  return html`<div class="thoughts">
    ${thoughts.text === "" ? nothing : renderMarkdownText(panel, thoughts.text)}
    ${isSaidAlready(thoughts) ? nothing : html`<p class="speak" dir="auto">${thoughts.speak}</p>`}
    ${
      behind.length === 0
        ? nothing
        : html`<div class="behind">${behind.map(([field, code]) =>
            foldView(
              panel,
              view,
              { name: `${field}-${step}`, summary: t(code), look: "why", openAtFirst: isStreaming },
              () => renderMarkdownText(panel, thoughts[field]),
            ),
          )}</div>`
    }
  </div>`;
}

/** All thoughts of a step that has ended. */
export function renderAllThoughts(panel: Panel, thoughts: Thoughts): TemplateResult | typeof nothing {
  const behind = BEHIND.filter(([field]) => thoughts[field] !== "");
  if (thoughts.text === "" && thoughts.speak === "" && behind.length === 0) return nothing;
  return html`<div class="thoughts">
    ${thoughts.text === "" ? nothing : renderMarkdownText(panel, thoughts.text)}
    ${isSaidAlready(thoughts) ? nothing : html`<p class="speak" dir="auto">${thoughts.speak}</p>`}
    ${behind.map(([field, code]) => html`<h4>${t(code)}</h4>${renderMarkdownText(panel, thoughts[field])}`)}
  </div>`;
}

/** True if the spoken thought is empty or says only what the first one says, even while it's streaming. */
function isSaidAlready({ text, speak }: Thoughts): boolean {
  return keepWords(text).includes(keepWords(speak));
}

function keepWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

const LONGEST_LINE = 200;

/** The first line of a step's thoughts, without marks of Markdown, for below its own line. */
export function renderThoughtLine({ text, speak, reasoning }: Thoughts): TemplateResult | typeof nothing {
  const first = [text, speak, reasoning].flatMap((one) => one.split("\n")).find((line) => line.trim() !== "");
  if (first === undefined) return nothing;
  const line = first.replace(/^[\s#>*-]+|[*`_]/g, "").slice(0, LONGEST_LINE);
  return html`<p class="thought-line" dir="auto">${line}</p>`;
}
