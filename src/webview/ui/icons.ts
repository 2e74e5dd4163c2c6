import { html, type TemplateResult } from "lit/html.js";
import { ICON_GRIDS, ICON_PATHS } from "./icon-paths.ts";

export type IconName = keyof typeof ICON_PATHS;

const POINTS: ReadonlySet<IconName> = new Set(["back", "folded", "next", "previous", "send"]);

/** An icon of VS Code next to a text with the same meaning; screen readers ignore it. */
export function renderIcon(name: IconName, tone = ""): TemplateResult {
  const motion = name === "working" ? "spins" : POINTS.has(name) ? "points" : "";
  const grid = ICON_GRIDS[name] ?? 16;
  return html`<svg class="icon ${tone} ${motion}" viewBox="0 0 ${grid} ${grid}" aria-hidden="true">
    <path d=${ICON_PATHS[name]} />
  </svg>`;
}
