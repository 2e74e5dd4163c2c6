import { html, nothing, type TemplateResult } from "lit/html.js";
import { t, writeValue } from "../../texts/language.ts";

/** Added and removed lines, such as "+3 −6"; nothing where there are none. */
export function renderFigures({
  added,
  removed,
}: {
  readonly added: number;
  readonly removed: number;
}): TemplateResult | typeof nothing {
  if (added + removed === 0) return nothing;
  const words = [
    ...(added > 0 ? [t("timeline.linesAdded", { count: added })] : []),
    ...(removed > 0 ? [t("timeline.linesRemoved", { count: removed })] : []),
  ];
  return html`<span class="figures"
    ><span class="hidden">${writeValue(words)}</span
    ><span aria-hidden="true"
      >${added > 0 ? html`<span class="added">+${added}</span>` : nothing}
      ${removed > 0 ? html`<span class="removed">−${removed}</span>` : nothing}</span
    ></span
  >`;
}
