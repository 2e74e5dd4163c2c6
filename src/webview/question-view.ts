import { live } from "lit/directives/live.js";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { button } from "./buttons.ts";
import { icon } from "./icons.ts";
import { inRun, type Panel } from "./panel-state.ts";
import type { RunView, WaitingQuestion } from "./run-view.ts";
import { textView } from "./text-view.ts";

/** The agent's question with a box for the answer. */
export function questionView(panel: Panel, { question }: RunView): TemplateResult | typeof nothing {
  if (!question) return nothing;
  const answer = (event: Event): void => {
    event.preventDefault();
    const text = question.answer.trim();
    if (text === "" || question.sent) return;
    change(panel, { sent: true });
    panel.send({ type: "say", text });
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) answer(event);
  };
  const typed = ({ target }: Event): void => {
    if (target instanceof HTMLTextAreaElement) change(panel, { answer: target.value });
  };
  return html`<section class="card question" aria-label="Question">
    <h2>${icon("ask", "warn")}The agent asks</h2>
    <div class="scrolls" tabindex="0" role="group" aria-label="The question">${textView(question.text)}</div>
    <form class="row" @submit=${answer}>
      <textarea
        aria-label="Your answer"
        rows="2"
        dir="auto"
        .value=${live(question.answer)}
        @input=${typed}
        @keydown=${keys}
      ></textarea>
      ${button("Answer", undefined, {
        kind: "primary",
        submits: true,
        disabled: question.sent || question.answer.trim() === "",
      })}
    </form>
  </section>`;
}

function change(panel: Panel, news: Partial<WaitingQuestion>): void {
  panel.update(
    inRun((view) => (view.question ? { ...view, question: { ...view.question, ...news } } : view)),
  );
}
