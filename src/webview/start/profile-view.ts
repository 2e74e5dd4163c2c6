import { html, nothing, type TemplateResult } from "lit/html.js";
import type { ProfileForm } from "../../schema/saved-panel.ts";
import { t, write } from "../../texts/language.ts";
import { type Panel, withoutForm } from "../app/panel-state.ts";
import { DOCK_ID } from "../approval/card-actions.ts";
import { arePicturesUnseen, attachedPicturesView } from "../ui/attached-pictures-view.ts";
import { button, noticeView, remedyRow } from "../ui/buttons.ts";
import { COMPOSER_ID, givenPictures } from "../ui/composer-view.ts";
import { icon } from "../ui/icons.ts";
import { type ProfileEditing, profileFieldsView, workingFieldsView } from "./profile-fields-view.ts";
import { profileOf } from "./profile-form.ts";
import { repositoryNotesView } from "./repository-notes-view.ts";

export const START_BUTTON_ID = "profile-start";

/** The drafted profile, to review and edit before the run starts. */
export function profileView(panel: Panel, form: ProfileForm): TemplateResult {
  const disabled =
    profileOf(form) === undefined || panel.state.starting === true || arePicturesUnseen(panel.state);
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
        ${attachedPicturesView(panel, START_BUTTON_ID)}
        ${form.notice ? html`<div class="notice info">${icon("ask")}<p>${write(form.notice)}</p>${remedyRow(panel, form.notice)}</div>` : nothing}
        ${noticeView(panel)}
        ${profileFieldsView(editing)}
        ${workingFieldsView(editing)}
        ${repositoryNotesView(panel)}
      </div>
      <div class="row profile-buttons">
        ${button(t("start.startButton"), undefined, {
          id: START_BUTTON_ID,
          kind: "primary",
          icon: "play",
          submits: true,
          disabled,
          title: t("start.startHint"),
        })}
        ${button(t("start.planFirstButton"), () => begin(panel, form, true), {
          disabled,
          title: t("start.planFirstHint"),
        })}
        ${button(t("start.backButton"), () => back(panel, form), { kind: "quiet", icon: "back" })}
      </div>
    </form>
  </main>`;
}

function edit(panel: Panel, change: (form: ProfileForm) => ProfileForm): void {
  panel.update((state) => (state.form ? { ...state, form: change(state.form) } : state));
}

function begin(panel: Panel, form: ProfileForm, planFirst: boolean): void {
  const profile = profileOf(form);
  if (!profile || panel.state.starting) return;
  const task = form.task || profile.goals.join("\n");
  panel.update((state) => ({ ...state, starting: true }));
  panel.focus(DOCK_ID);
  panel.send({
    type: "start",
    task,
    profile,
    ...givenPictures(panel.state),
    ...(planFirst ? { planFirst } : {}),
  });
}

/** Returns to the start page with the task in its box. */
function back(panel: Panel, form: ProfileForm): void {
  panel.update((state) => ({ ...withoutForm(state), composer: { ...state.composer, text: form.task } }));
  panel.focus(COMPOSER_ID);
}
