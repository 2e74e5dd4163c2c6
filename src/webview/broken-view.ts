import { html, type TemplateResult } from "lit/html.js";
import { button } from "./buttons.ts";
import { icon } from "./icons.ts";

/** Takes the place of a panel that could not be drawn, so that no gray page is left. */
export function brokenView(error: unknown, reload: () => void): TemplateResult {
  const detail = error instanceof Error ? error.message : String(error);
  return html`<main class="broken" role="alert">
    <h1>${icon("warning", "bad")}The panel could not be drawn</h1>
    <p>The agent is not affected: its run goes on and is logged. Reload the panel to see it again.</p>
    <p class="hint">${detail}</p>
    ${button("Reload Panel", reload, { kind: "primary" })}
  </main>`;
}
