import { html, nothing, type TemplateResult } from "lit/html.js";
import { t } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { renderFileButton } from "../ui/buttons.ts";
import { renderIcon } from "../ui/icons.ts";

/** The files with the repository's instructions for the agent, before a run reads them. */
export function renderRepositoryNotes(panel: Panel): TemplateResult | typeof nothing {
  const { words } = panel.state.welcome ?? {};
  if (!words) return nothing;
  const { files, own = [], skills: names = [], moreSkills: count = 0, unread } = words;
  return html`<section class="words" aria-label=${t("start.notes")}>
    ${
      files.length + own.length === 0
        ? nothing
        : html`<p class="hint" title=${t("start.notesHint")}>${t("start.notes")}</p>
            <ul>${own.map((file) => html`<li>${file}</li>`)}${files.map((file) => html`<li>${renderFileButton(panel, file)}</li>`)}</ul>`
    }
    ${
      names.length === 0
        ? nothing
        : html`<p class="hint" title=${t("start.notesHint")}>${count > 0 ? t("timeline.skillsAndMore", { names, count }) : t("timeline.skills", { names })}</p>`
    }
    ${unread.map((text) => html`<div class="notice info">${renderIcon("warning", "warn")}<p>${text}</p></div>`)}
  </section>`;
}
