import { html, nothing, type TemplateResult } from "lit/html.js";
import { omitUndefined } from "../../core/base/objects.ts";
import type { Welcome } from "../../schema/panel-values.ts";
import type { TextCode } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { omitDraft, omitNotice, type Panel } from "../app/panel-state.ts";
import { DOCK_ID } from "../approval/card-actions.ts";
import { noticeView, PAGE_HEADING_ID, renderActionButton, renderButton } from "../ui/buttons.ts";
import { getComposerPictures, renderComposer, writeInComposer } from "../ui/composer-view.ts";
import { type IconName, renderIcon } from "../ui/icons.ts";
import {
  findStartAgent,
  getStartMode,
  isModeBlocked,
  renderIsolation,
  renderModelTrouble,
  renderPickers,
} from "./pickers-view.ts";
import { START_BUTTON_ID } from "./profile-view.ts";
import { renderRepositoryNotes } from "./repository-notes-view.ts";

/** The start page: one text box with model and mode, examples, the last runs, and the demo. */
export function startView(panel: Panel, welcome: Welcome): TemplateResult {
  const { drafting, starting } = panel.state;
  return html`<main class="start">
    <header>
      <h1 id=${PAGE_HEADING_ID} tabindex="-1">${t("start.heading")}</h1>
      <p class="lead">${describeMode(panel)}</p>
    </header>
    ${welcome.blocked === undefined ? nothing : renderBlockedNotice(panel, welcome)}
    ${renderComposer(panel, {
      label: t("start.task"),
      placeholder: t("start.taskPlaceholder"),
      submit: t("start.sendButton"),
      rows: 3,
      disabled: welcome.blocked !== undefined,
      unsendable: isModeBlocked(panel, welcome),
      busy: drafting !== undefined || starting === true,
      foot: renderPickers(panel, welcome),
      send: (task) => begin(panel, task),
    })}
    ${renderIsolation(panel, welcome)} ${drafting === undefined ? nothing : renderDraftingNotice(panel)}
    ${drafting === undefined && starting ? html`<p class="hint" role="status">${renderIcon("working")} ${t("start.starting")}</p>` : nothing}
    ${noticeView(panel)} ${renderModelTrouble(panel, welcome)}
    ${panel.state.composer.text.trim() === "" ? renderExamples(panel, welcome) : nothing}
    ${renderTemplates(panel, welcome)} ${renderLastRuns(panel, welcome)} ${renderRepositoryNotes(panel)}
    <section class="demo">
      <p class="hint">${t("start.demo")}</p>
      ${renderActionButton(panel, "tryDemo")}
    </section>
  </main>`;
}

/** Describes what the chosen mode means for the next run. */
function describeMode(panel: Panel): string {
  const mode = getStartMode(panel);
  if (mode === "remote") return t("fleet.startHint");
  return mode === "isolated" ? t("isolation.startHint") : t("start.lead");
}

/** Starts the task, or first drafts its profile if profiles are reviewed. */
function begin(panel: Panel, task: string): void {
  const mode = getStartMode(panel);
  const agent = findStartAgent(panel.state)?.name;
  if (mode === "review") {
    panel.update((state) => ({ ...omitNotice(state), drafting: task }));
    panel.focus(START_BUTTON_ID);
    panel.send({ type: "draft", task, ...omitUndefined({ agent }) });
    return;
  }
  panel.update((state) => ({ ...omitNotice(state), starting: true }));
  panel.focus(DOCK_ID);
  panel.send({
    type: "start",
    task,
    ...getComposerPictures(panel.state),
    ...omitUndefined({
      planFirst: mode === "plan" || undefined,
      isolated: mode === "isolated" || undefined,
      elsewhere: mode === "remote" || undefined,
      agent,
    }),
  });
}

function renderBlockedNotice(panel: Panel, { blocked, unblock }: Welcome): TemplateResult {
  return html`<div class="notice warning">
    ${renderIcon("warning", "warn")}
    <p>${blocked}</p>
    ${unblock ? html`<div class="row">${renderActionButton(panel, unblock, { kind: "primary" })}</div>` : nothing}
  </div>`;
}

function renderDraftingNotice(panel: Panel): TemplateResult {
  const cancel = (): void => {
    panel.update(omitDraft);
    panel.send({ type: "act", action: "stop" });
  };
  return html`<div class="row drafting">
    ${renderIcon("working")}<span>${t("start.drafting")}</span>${renderButton(t("common.cancel"), cancel, { kind: "quiet" })}
  </div>`;
}

/** Tasks that work in any project. Clicking one writes it into the text box. */
function renderExamples(panel: Panel, { blocked }: Welcome): TemplateResult {
  const examples = [
    [t("start.exampleTestsButton"), t("start.exampleTests")],
    [t("start.exampleReviewButton"), t("start.exampleReview")],
    [t("start.exampleReadmeButton"), t("start.exampleReadme")],
  ] as const;
  return html`<div class="row examples" role="group" aria-label=${t("start.examples")}>
    ${examples.map(([label, task]) => renderButton(label, () => writeInComposer(panel, task), { title: task, disabled: blocked !== undefined }))}
  </div>`;
}

type LastRun = NonNullable<Welcome["lastRuns"]>[number];

/** The last runs, to open them or to reuse their task. */
function renderLastRuns(panel: Panel, { lastRuns = [] }: Welcome): TemplateResult | typeof nothing {
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
  stopped: ["refuse", "", "start.stateStopped"],
  failed: ["warning", "bad", "start.stateFailed"],
  crashed: ["warning", "bad", "start.stateCrashed"],
  exhausted: ["warning", "warn", "start.stateExhausted"],
  stuck: ["warning", "warn", "start.stateStuck"],
};

/** Commands of the repository. Picking one begins the task with it; the text so far follows. */
function renderTemplates(panel: Panel, { templates = [] }: Welcome): TemplateResult | typeof nothing {
  if (templates.length === 0) return nothing;
  const { text } = panel.state.composer;
  return html`<section class="templates" aria-labelledby="templates-heading">
    <h2 id="templates-heading">${t("start.templates")}</h2>
    <div class="row">
      ${templates.map(({ name, file, description }) =>
        renderButton(
          description || name,
          () => writeInComposer(panel, `/${name} ${text.trimStart().replace(/^\/\S+\s*/, "")}`),
          { icon: "file", title: t("start.templateHint", { file }) },
        ),
      )}
    </div>
  </section>`;
}
