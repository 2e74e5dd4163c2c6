import { html, nothing, type TemplateResult } from "lit/html.js";
import { omitUndefined } from "../../core/base/objects.ts";
import type { ProfileForm } from "../../schema/saved-panel.ts";
import { t, write } from "../../texts/language.ts";
import { omitForm, type Panel } from "../app/panel-state.ts";
import { DOCK_ID } from "../approval/card-actions.ts";
import { arePicturesUnseen, renderComposerPictures } from "../ui/attached-pictures-view.ts";
import { noticeView, renderButton, renderRemedyRow } from "../ui/buttons.ts";
import { COMPOSER_ID, getComposerPictures } from "../ui/composer-view.ts";
import { renderIcon } from "../ui/icons.ts";
import { type ProfileEditing, renderProfileFields, renderWorkingFields } from "./profile-fields-view.ts";
import { chooseStartHint, parseProfileForm } from "./profile-form.ts";
import { renderRepositoryNotes } from "./repository-notes-view.ts";

export const START_BUTTON_ID = "profile-start";

/** The drafted profile, to review and edit before the run starts. */
export function renderProfile(panel: Panel, form: ProfileForm): TemplateResult {
  const disabled =
    parseProfileForm(form) === undefined || panel.state.starting === true || arePicturesUnseen(panel.state);
  const editing: ProfileEditing = { form, prefix: "profile", edit: (change) => edit(panel, change) };
  const submit = (event: Event): void => {
    event.preventDefault();
    begin(panel, form, false);
  };
  return html`<main class="profile">
    <form @submit=${submit}>
      <div class="profile-fields">
        <h1>${t("start.reviewHeading")}</h1>
        <p class="lead" dir="auto">${form.task}</p>
        ${renderComposerPictures(panel, START_BUTTON_ID)}
        ${form.notice ? html`<div class="notice info">${renderIcon("ask")}<p>${write(form.notice)}</p>${renderRemedyRow(panel, form.notice)}</div>` : nothing}
        ${noticeView(panel)}
        ${renderProfileFields(editing)}
        ${renderWorkingFields(editing)}
        ${renderRepositoryNotes(panel)}
      </div>
      <div class="row profile-buttons">
        ${renderButton(t("start.startButton"), undefined, {
          id: START_BUTTON_ID,
          kind: "primary",
          icon: "play",
          submits: true,
          disabled,
          title: t(chooseStartHint(navigator.platform)),
        })}
        ${renderButton(t("start.planFirstButton"), () => begin(panel, form, true), {
          disabled,
          title: t("start.planFirstHint"),
        })}
        ${renderButton(t("start.backButton"), () => returnToStart(panel, form), { kind: "quiet", icon: "back" })}
      </div>
    </form>
  </main>`;
}

function edit(panel: Panel, change: (form: ProfileForm) => ProfileForm): void {
  panel.update((state) => (state.form ? { ...state, form: change(state.form) } : state));
}

function begin(panel: Panel, form: ProfileForm, planFirst: boolean): void {
  const profile = parseProfileForm(form);
  if (!profile || panel.state.starting) return;
  const task = form.task || profile.goals.join("\n");
  panel.update((state) => ({ ...state, starting: true }));
  panel.focus(DOCK_ID);
  panel.send({
    type: "start",
    task,
    profile,
    ...getComposerPictures(panel.state),
    ...omitUndefined({ planFirst: planFirst || undefined, agent: form.agent }),
  });
}

/** Returns to the start page with the task in its box. */
function returnToStart(panel: Panel, form: ProfileForm): void {
  panel.update((state) => ({ ...omitForm(state), composer: { ...state.composer, text: form.task } }));
  panel.focus(COMPOSER_ID);
}
