import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Welcome } from "../../schema/panel-values.ts";
import { t } from "../../texts/language.ts";
import { type Panel, withoutDraft, withoutNotice } from "../app/panel-state.ts";
import { DOCK_ID } from "../approval/card-actions.ts";
import { actionButton, button, noticeView, PAGE_HEADING_ID } from "../ui/buttons.ts";
import { composerView, givenPictures, writeInComposer } from "../ui/composer-view.ts";
import { icon } from "../ui/icons.ts";
import { isModeBlocked, isolationView, modelTroubleView, pickersView, startModeOf } from "./pickers-view.ts";
import { START_BUTTON_ID } from "./profile-view.ts";
import { repositoryNotesView } from "./repository-notes-view.ts";
import { lastRunsView, templatesView } from "./reuse-view.ts";

/** The start page: one text box with model and mode, examples, the last runs, and the demo. */
export function startView(panel: Panel, welcome: Welcome): TemplateResult {
  const { drafting, starting } = panel.state;
  return html`<main class="start">
    <header>
      <h1 id=${PAGE_HEADING_ID} tabindex="-1">${t("start.heading")}</h1>
      <p class="lead">${startModeOf(panel) === "isolated" ? t("isolation.startHint") : t("start.lead")}</p>
    </header>
    ${welcome.blocked === undefined ? nothing : blockedView(panel, welcome)}
    ${composerView(panel, {
      label: t("start.task"),
      placeholder: t("start.taskPlaceholder"),
      submit: t("start.sendButton"),
      rows: 3,
      disabled: welcome.blocked !== undefined,
      unsendable: isModeBlocked(panel, welcome),
      busy: drafting !== undefined || starting === true,
      foot: pickersView(panel, welcome),
      send: (task) => begin(panel, task),
    })}
    ${isolationView(panel, welcome)} ${drafting === undefined ? nothing : draftingView(panel)}
    ${drafting === undefined && starting ? html`<p class="hint" role="status">${icon("working")} ${t("start.starting")}</p>` : nothing}
    ${noticeView(panel)} ${modelTroubleView(panel, welcome)}
    ${panel.state.composer.text.trim() === "" ? examplesView(panel, welcome) : nothing}
    ${templatesView(panel, welcome)} ${lastRunsView(panel, welcome)} ${repositoryNotesView(panel)}
    <section class="demo">
      <p class="hint">${t("start.demo")}</p>
      ${actionButton(panel, "tryDemo")}
    </section>
  </main>`;
}

/** Starts the task, or drafts its profile first if that is reviewed. */
function begin(panel: Panel, task: string): void {
  const mode = startModeOf(panel);
  if (mode === "review") {
    panel.update((state) => ({ ...withoutNotice(state), drafting: task }));
    panel.focus(START_BUTTON_ID);
    panel.send({ type: "draft", task });
    return;
  }
  panel.update((state) => ({ ...withoutNotice(state), starting: true }));
  panel.focus(DOCK_ID);
  panel.send({
    type: "start",
    task,
    ...givenPictures(panel.state),
    ...(mode === "plan" ? { planFirst: true } : {}),
    ...(mode === "isolated" ? { isolated: true } : {}),
  });
}

function blockedView(panel: Panel, { blocked, unblock }: Welcome): TemplateResult {
  return html`<div class="notice warning">
    ${icon("warning", "warn")}
    <p>${blocked}</p>
    ${unblock ? html`<div class="row">${actionButton(panel, unblock, { kind: "primary" })}</div>` : nothing}
  </div>`;
}

function draftingView(panel: Panel): TemplateResult {
  const cancel = (): void => {
    panel.update(withoutDraft);
    panel.send({ type: "act", action: "stop" });
  };
  return html`<div class="row drafting">
    ${icon("working")}<span>${t("start.drafting")}</span>${button(t("common.cancel"), cancel, { kind: "quiet" })}
  </div>`;
}

/** Tasks that work in any project; a click writes one into the text box. */
function examplesView(panel: Panel, { blocked }: Welcome): TemplateResult {
  const examples = [
    [t("start.exampleTestsButton"), t("start.exampleTests")],
    [t("start.exampleReviewButton"), t("start.exampleReview")],
    [t("start.exampleReadmeButton"), t("start.exampleReadme")],
  ] as const;
  return html`<div class="row examples" role="group" aria-label=${t("start.examples")}>
    ${examples.map(([label, task]) => button(label, () => writeInComposer(panel, task), { title: task, disabled: blocked !== undefined }))}
  </div>`;
}
