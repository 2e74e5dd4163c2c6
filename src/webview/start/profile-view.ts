import { live } from "lit/directives/live.js";
import { repeat } from "lit/directives/repeat.js";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { MAX_GOALS } from "../../core/prompt/profile.ts";
import type { GoalField, ProfileForm } from "../../schema/saved-panel.ts";
import { type Panel, withoutForm } from "../app/panel-state.ts";
import { DOCK_ID } from "../approval/card-actions.ts";
import { button, fileButton, noticeView, remedyRow } from "../ui/buttons.ts";
import { COMPOSER_ID } from "../ui/composer-view.ts";
import { icon } from "../ui/icons.ts";
import { dollars, profileOf, withGoal, withGoalMoved, withNewGoal, withoutGoal } from "./profile-form.ts";

export const FIRST_FIELD_ID = "profile-name";

/** The drafted profile, to review and edit before the run starts. */
export function profileView(panel: Panel, form: ProfileForm): TemplateResult {
  const wrongBudget = dollars(form.budget) === undefined;
  const disabled = wrongBudget || panel.state.starting === true;
  return html`<main class="profile">
    <h1>Review the profile</h1>
    <p class="lead" dir="auto">${form.task}</p>
    ${form.notice ? html`<div class="notice info">${icon("ask")}<p>${form.notice}</p>${remedyRow(panel, form.notice)}</div>` : nothing}
    ${noticeView(panel)} ${repositoryNotesView(panel)}
    <form @submit=${(event: Event) => start(panel, form, event)}>
      ${field(panel, FIRST_FIELD_ID, "Name", form.name, (name) => ({ name }))}
      ${field(panel, "profile-role", "Role", form.role, (role) => ({ role }), { wraps: true })}
      ${goalsView(panel, form)}
      ${field(panel, "profile-budget", "Budget in US dollars", form.budget, (budget) => ({ budget }), {
        placeholder: "Default from your settings",
        ...(wrongBudget ? { problem: "Enter an amount such as 1.50, or leave it empty." } : {}),
      })}
      <div class="row">
        ${button("Start", undefined, { kind: "primary", icon: "play", submits: true, disabled })}
        ${button("Plan First", () => begin(panel, form, true), {
          disabled,
          title: "The agent only reads at first and shows you a plan. It acts once you agree.",
        })}
        ${button("Back", () => back(panel, form), { icon: "back" })}
      </div>
    </form>
  </main>`;
}

function edit(panel: Panel, change: (form: ProfileForm) => ProfileForm): void {
  panel.update((state) => (state.form ? { ...state, form: change(state.form) } : state));
}

function start(panel: Panel, form: ProfileForm, event: Event): void {
  event.preventDefault();
  begin(panel, form, false);
}

function begin(panel: Panel, form: ProfileForm, planFirst: boolean): void {
  const profile = profileOf(form);
  if (!profile || panel.state.starting) return;
  const task = form.task || profile.goals.join("\n");
  panel.update((state) => ({ ...state, starting: true }));
  panel.focus(DOCK_ID);
  panel.send({ type: "start", task, profile, ...(planFirst ? { planFirst } : {}) });
}

/** Returns to the start page with the task in its box. */
function back(panel: Panel, form: ProfileForm): void {
  panel.update((state) => ({ ...withoutForm(state), composer: { text: form.task } }));
  panel.focus(COMPOSER_ID);
}

interface FieldLook {
  readonly placeholder?: string;
  readonly problem?: string;
  /** Shows all of a long text; Enter still submits. */
  readonly wraps?: boolean;
}

function field(
  panel: Panel,
  id: string,
  label: string,
  value: string,
  change: (value: string) => Partial<ProfileForm>,
  { placeholder, problem, wraps }: FieldLook = {},
): TemplateResult {
  const changed = ({ target }: Event): void => {
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)
      edit(panel, (form) => ({ ...form, ...change(target.value) }));
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.isComposing || !(event.target instanceof HTMLTextAreaElement)) return;
    event.preventDefault();
    event.target.form?.requestSubmit();
  };
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${
      wraps
        ? html`<textarea id=${id} rows="1" dir="auto" .value=${live(value)} @input=${changed} @keydown=${keys}></textarea>`
        : html`<input
            id=${id}
            type="text"
            dir="auto"
            autocomplete="off"
            placeholder=${placeholder ?? nothing}
            aria-invalid=${problem ? "true" : nothing}
            aria-describedby=${problem ? `${id}-problem` : nothing}
            .value=${live(value)}
            @input=${changed}
          />`
    }
    ${problem ? html`<p class="problem" id="${id}-problem">${problem}</p>` : nothing}
  </div>`;
}

function goalsView(panel: Panel, form: ProfileForm): TemplateResult {
  const add = (): void => {
    edit(panel, withNewGoal);
    const added = panel.state.form?.goals.at(-1);
    if (added) panel.focus(goalId(added.key));
  };
  return html`<fieldset class="field goals">
    <legend>Goals (max. ${MAX_GOALS})</legend>
    <ol>
      ${repeat(
        form.goals,
        (goal) => goal.key,
        (goal, index) => goalView(panel, goal, index, form.goals.length),
      )}
    </ol>
    ${button("Add a Goal", add, { kind: "quiet", icon: "add", disabled: form.goals.length >= MAX_GOALS })}
  </fieldset>`;
}

function goalView(panel: Panel, { key, text }: GoalField, index: number, count: number): TemplateResult {
  const name = `goal ${index + 1}`;
  const changed = ({ target }: Event): void => {
    if (target instanceof HTMLTextAreaElement) edit(panel, (form) => withGoal(form, key, target.value));
  };
  const move = (by: -1 | 1): void => {
    edit(panel, (form) => withGoalMoved(form, key, by));
    panel.focus(goalId(key));
  };
  const remove = (): void => {
    edit(panel, (form) => withoutGoal(form, key));
    const near = panel.state.form?.goals[Math.max(0, index - 1)];
    if (near) panel.focus(goalId(near.key));
  };
  const keys = (event: KeyboardEvent): void => {
    if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    move(event.key === "ArrowUp" ? -1 : 1);
  };
  const quiet = { kind: "quiet", iconOnly: true } as const;
  return html`<li>
    <textarea
      id=${goalId(key)}
      rows="2"
      dir="auto"
      aria-label="Goal ${index + 1}"
      aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
      .value=${live(text)}
      @input=${changed}
      @keydown=${keys}
    ></textarea>
    <div class="goal-buttons">
      ${button(`Move ${name} up`, () => move(-1), { ...quiet, icon: "up", disabled: index === 0 })}
      ${button(`Move ${name} down`, () => move(1), { ...quiet, icon: "down", disabled: index === count - 1 })}
      ${button(`Remove ${name}`, remove, { ...quiet, icon: "close", disabled: count === 1 })}
    </div>
  </li>`;
}

function goalId(key: number): string {
  return `profile-goal-${key}`;
}

/** The files with the repository's instructions for the agent, before a run reads them. */
export function repositoryNotesView(panel: Panel): TemplateResult | typeof nothing {
  const { words } = panel.state.welcome ?? {};
  if (!words) return nothing;
  const { files, unread } = words;
  return html`<section class="words" aria-labelledby="words-heading">
    <h2 id="words-heading">From this repository</h2>
    ${files.length > 0 ? html`<p>The agent also reads these files. They can add to its constraints, but can't widen what it may do.</p>` : nothing}
    <ul>${files.map((file) => html`<li>${fileButton(panel, file)}</li>`)}</ul>
    ${unread.map((text) => html`<div class="notice info">${icon("warning", "warn")}<p>${text}</p></div>`)}
  </section>`;
}
