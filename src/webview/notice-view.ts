import { html, nothing, type TemplateResult } from "lit/html.js";
import { button, namedRow } from "./buttons.ts";
import { icon } from "./icons.ts";
import { type Panel, withoutNotice } from "./panel-state.ts";

/** The last notice, until it is closed or taken back. */
export function noticeView(panel: Panel): TemplateResult | typeof nothing {
  const { notice } = panel.state;
  if (!notice) return nothing;
  const error = notice.kind === "error";
  return html`<div class="notice ${notice.kind}">
    ${icon(error ? "warning" : "ask", error ? "bad" : "")}
    <p dir="auto">${notice.text}</p>
    ${button("Close this notice", () => panel.update(withoutNotice), { kind: "quiet", icon: "close", iconOnly: true })}
    ${namedRow(panel, notice.text)}
  </div>`;
}
