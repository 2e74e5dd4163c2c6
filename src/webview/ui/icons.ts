import { html, type TemplateResult } from "lit/html.js";
import { ICON_PATHS } from "./icon-paths.ts";

export type IconName = keyof typeof ICON_PATHS;

/** An icon of VS Code next to a text with the same meaning; screen readers ignore it. */
export function icon(name: IconName, tone = ""): TemplateResult {
  return html`<svg class="icon ${tone} ${name === "working" ? "spins" : ""}" viewBox="0 0 16 16" aria-hidden="true">
    <path d=${ICON_PATHS[name]} />
  </svg>`;
}
