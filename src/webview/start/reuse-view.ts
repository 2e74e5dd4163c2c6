import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Welcome } from "../../schema/panel-values.ts";
import type { TextCode } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { renderButton } from "../ui/buttons.ts";
import { writeInComposer } from "../ui/composer-view.ts";
import { type IconName, renderIcon } from "../ui/icons.ts";

type LastRun = NonNullable<Welcome["lastRuns"]>[number];

/** The last runs, to open them or to reuse their task. */
export function renderLastRuns(panel: Panel, { lastRuns = [] }: Welcome): TemplateResult | typeof nothing {
  if (lastRuns.length === 0) return nothing;
  return html`<section class="last-runs" aria-labelledby="last-runs-heading">
    <h2 id="last-runs-heading">${t("start.lastRuns")}</h2>
    <ul role="list">
      ${lastRuns.map(
        (run) => html`<li>
          ${renderLastRunButton(panel, run)}
          ${renderButton(t("start.runAgainButton"), () => writeInComposer(panel, run.task), {
            kind: "quiet",
            icon: "edit",
            iconOnly: true,
            title: t("start.runAgainTitle", { task: run.title }),
            isNamedByTitle: true,
          })}
        </li>`,
      )}
    </ul>
  </section>`;
}

function renderLastRunButton(panel: Panel, { id, title, state, toReview }: LastRun): TemplateResult {
  const [name, tone, code] = LOOKS[state];
  const open = (): void => panel.send({ type: "openRun", run: id });
  return html`<button class="button quiet last-run" type="button" title=${title} @click=${open}>
    ${toReview ? renderIcon("ask", "warn") : renderIcon(name, tone)}<span class="hidden">${t(code)}:</span><span class="label" dir="auto">${title}</span>
    ${toReview ? html`<span class="remark">${t("runs.toReview")}</span>` : nothing}
  </button>`;
}

type StateCode = Extract<TextCode, `start.state${string}`>;

const LOOKS: Readonly<Record<LastRun["state"], readonly [icon: IconName, tone: string, code: StateCode]>> = {
  open: ["pause", "warn", "start.stateOpen"],
  paused: ["pause", "warn", "start.statePaused"],
  finished: ["accept", "good", "start.stateFinished"],
  stopped: ["stop", "", "start.stateStopped"],
  failed: ["warning", "bad", "start.stateFailed"],
  crashed: ["warning", "bad", "start.stateCrashed"],
  exhausted: ["warning", "warn", "start.stateExhausted"],
  stuck: ["warning", "warn", "start.stateStuck"],
};

/** Prompt files of the repository. Picking one quotes it in the task. */
export function renderTemplates(panel: Panel, { templates = [] }: Welcome): TemplateResult | typeof nothing {
  if (templates.length === 0) return nothing;
  const { text } = panel.state.composer;
  return html`<section class="templates" aria-labelledby="templates-heading">
    <h2 id="templates-heading">${t("start.templates")}</h2>
    <div class="row">
      ${templates.map(({ name, file, description }) =>
        renderButton(
          name,
          () => writeInComposer(panel, `${text.trim() === "" ? "" : `${text.trimEnd()} `}@prompt:${name} `),
          { icon: "file", title: description || t("start.templateHint", { file }) },
        ),
      )}
    </div>
  </section>`;
}
