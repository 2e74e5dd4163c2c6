import { html, nothing, type TemplateResult } from "lit/html.js";
import { omitUndefined } from "../../core/base/objects.ts";
import type { Profile } from "../../core/prompt/profile.ts";
import type { ProfileForm } from "../../schema/saved-panel.ts";
import { t } from "../../texts/language.ts";
import { omitEditedProfile, type Panel } from "../app/panel-state.ts";
import type { RunView } from "../run/run-view.ts";
import { renderButton } from "../ui/buttons.ts";
import { foldView } from "../ui/fold-view.ts";
import { renderIcon } from "../ui/icons.ts";
import { listStrategyNames, renderProfileFields } from "./profile-fields-view.ts";
import { createProfileForm, parseProfileForm } from "./profile-form.ts";

const PREFIX = "run-profile";
const EDIT_ID = "run-profile-edit";

/** The run's profile: one line above the steps, which unfolds for reading and editing. */
export function renderRunProfile(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { profile, task } = view.state;
  if (profile.name === "") return nothing;
  const { editedProfile } = panel.state;
  const form = editedProfile?.run === view.state.id ? editedProfile.form : undefined;
  const line = view.facts.drafting
    ? t("start.profileDrafting")
    : t("start.profileLine", { name: profile.name, role: profile.role });
  const summary = html`${renderIcon("user")}<span class="run-profile-line" dir="auto">${line}</span>`;
  const fold = { name: "profile", summary, look: "run-profile" };
  return foldView(panel, view, fold, () =>
    form ? renderForm(panel, form) : readView(panel, view, { ...profile, budgetUsd: 0 }, task),
  );
}

function readView(panel: Panel, view: RunView, profile: Profile, task: string): TemplateResult {
  const { id, limits } = view.state;
  const edit = (): void => {
    const budgetUsd = limits.usd;
    const form = createProfileForm(task, { ...profile, budgetUsd });
    panel.update((state) => ({ ...state, editedProfile: { run: id, form } }));
    panel.focus(`${PREFIX}-name`);
  };
  return html`<div class="run-profile-body">
    <p dir="auto">${profile.role}</p>
    <ol aria-label=${t("start.goals")}>${profile.goals.map((goal) => html`<li dir="auto">${goal}</li>`)}</ol>
    ${renderWorkingPart(profile)}
    ${
      view.facts.readOnly || view.facts.at
        ? nothing
        : html`<div class="row">${renderButton(t("start.editProfileButton"), edit, { kind: "quiet", icon: "edit", id: EDIT_ID })}</div>`
    }
  </div>`;
}

/** How the agent works, according to its profile; fixed for the run. */
function renderWorkingPart({ strategy, commands, model }: Profile): readonly TemplateResult[] {
  const [, name = ""] = listStrategyNames().find(([one]) => one === strategy) ?? [];
  const lines = [
    [t("start.strategy"), name],
    [t("start.profileModel"), model ?? ""],
    [t("start.commands"), commands?.join(", ") ?? ""],
  ] as const;
  return lines
    .filter(([, value]) => value !== "")
    .map(([label, value]) => html`<p dir="auto">${t("start.workingLine", { label, value })}</p>`);
}

function renderForm(panel: Panel, form: ProfileForm): TemplateResult {
  const profile = parseProfileForm(form);
  const close = (): void => {
    panel.update(omitEditedProfile);
    panel.focus(EDIT_ID);
  };
  const save = (keep: boolean): void => {
    if (!profile) return;
    close();
    panel.send({ type: "changeProfile", profile, ...omitUndefined({ keep: keep || undefined }) });
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    save(false);
  };
  const edit = (change: (before: ProfileForm) => ProfileForm): void =>
    panel.update((state) =>
      state.editedProfile
        ? { ...state, editedProfile: { ...state.editedProfile, form: change(state.editedProfile.form) } }
        : state,
    );
  const disabled = profile === undefined;
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    close();
  };
  return html`<form class="run-profile-body" @submit=${submit} @keydown=${handleKey}>
    ${renderProfileFields({ form, prefix: PREFIX, edit })}
    <div class="row">
      ${renderButton(t("start.applyButton"), undefined, { submits: true, disabled })}
      ${renderButton(t("start.keepButton"), () => save(true), { disabled, title: t("start.keepHint") })}
      ${renderButton(t("common.cancel"), close, { kind: "quiet" })}
    </div>
  </form>`;
}
