import { html, type TemplateResult } from "lit/html.js";
import { button } from "./buttons.ts";
import { icon } from "./icons.ts";

/** What is shown in place of a panel that could not be drawn, never a grey page. */
export function brokenView(error: unknown, reload: () => void): TemplateResult {
  const detail = error instanceof Error ? error.message : String(error);
  return html`<main class="broken" role="alert">
    <h1>${icon("warning", "bad")}The panel could not be drawn</h1>
    <p>The agent is not affected: its run goes on and is logged. Reload the panel to see it again.</p>
    <p class="hint">${detail}</p>
    ${button("Reload Panel", reload, { kind: "primary" })}
  </main>`;
}

/** What is shown when the extension does not answer. */
export function silentView(again: () => void): TemplateResult {
  return html`<main class="broken" role="alert">
    <h1>${icon("warning", "warn")}AutoGPT does not answer yet</h1>
    <p>The extension is still starting, or it has stopped. Try again; if that does not help, reload the window.</p>
    ${button("Reload Panel", again, { kind: "primary" })}
  </main>`;
}
