import { live } from "lit/directives/live.js";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { MAX_GOALS } from "../../core/prompt/profile.ts";
import type { StrategyName } from "../../schema/run-values.ts";
import type { ProfileForm } from "../../schema/saved-panel.ts";
import { t } from "../../texts/language.ts";
import { hasTooManyGoals, joinGoals, parseDollars, setGoalText } from "./profile-form.ts";

/** A profile that is being edited. */
export interface ProfileEditing {
  readonly form: ProfileForm;
  /** Distinguishes the fields' ids where several forms are displayed. */
  readonly prefix: string;
  edit(change: (form: ProfileForm) => ProfileForm): void;
}

/** Strategy, model and commands, which stay as they are once the run has started. */
export function renderWorkingFields({ form, prefix, edit }: ProfileEditing): TemplateResult {
  const strategies = listStrategyNames();
  const choose = ({ target }: Event): void => {
    const chosen = target instanceof HTMLSelectElement ? target.value : "";
    const [strategy] = strategies.find(([name]) => name === chosen) ?? [];
    if (strategy) edit((before) => ({ ...before, strategy }));
  };
  const id = `${prefix}-strategy`;
  return html`
    <div class="field">
      <label for=${id}>${t("start.strategy")}</label>
      <select id=${id} .value=${live(form.strategy ?? "autogpt")} @change=${choose}>
        ${strategies.map(([name, label]) => html`<option value=${name} ?selected=${name === (form.strategy ?? "autogpt")}>${label}</option>`)}
      </select>
    </div>
    ${renderField({
      id: `${prefix}-model`,
      label: t("start.profileModel"),
      value: form.model ?? "",
      change: (model) => edit((before) => ({ ...before, model })),
      placeholder: t("start.budgetPlaceholder"),
      hint: t("start.profileModelHint"),
    })}
    ${renderField({
      id: `${prefix}-commands`,
      label: t("start.commands"),
      value: form.commands ?? "",
      change: (commands) => edit((before) => ({ ...before, commands })),
      placeholder: t("start.commandsPlaceholder"),
      hint: t("start.commandsHint"),
    })}
  `;
}

/** The strategies with their display names. */
export function listStrategyNames(): readonly (readonly [StrategyName, string])[] {
  return [
    ["autogpt", t("start.strategyAutogpt")],
    ["react", t("start.strategyReact")],
    ["tasks", t("start.strategyTasks")],
  ];
}

/** Name, role, goals and budget. Enter submits the form in a single-line field, and Ctrl+Enter in any field. */
export function renderProfileFields({ form, prefix, edit }: ProfileEditing): TemplateResult {
  const wrongBudget = parseDollars(form.budget) === undefined;
  const tooMany = hasTooManyGoals(form);
  return html`
    ${renderField({
      id: `${prefix}-name`,
      label: t("start.name"),
      value: form.name,
      change: (name) => edit((before) => ({ ...before, name })),
    })}
    ${renderField({
      id: `${prefix}-role`,
      label: t("start.role"),
      value: form.role,
      change: (role) => edit((before) => ({ ...before, role })),
      lines: "wrapped",
    })}
    ${renderField({
      id: `${prefix}-goals`,
      label: t("start.goals"),
      value: joinGoals(form),
      change: (typed) => edit((before) => setGoalText(before, typed)),
      lines: "several",
      hint: t("start.goalsHint", { count: MAX_GOALS }),
      ...(tooMany ? { problem: t("start.tooManyGoals", { count: MAX_GOALS }) } : {}),
    })}
    ${renderField({
      id: `${prefix}-budget`,
      label: t("start.budget"),
      value: form.budget,
      change: (budget) => edit((before) => ({ ...before, budget })),
      placeholder: t("start.budgetPlaceholder"),
      ...(wrongBudget ? { problem: t("start.wrongBudget") } : {}),
    })}
  `;
}

interface Field {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  change(value: string): void;
  readonly placeholder?: string;
  readonly hint?: string;
  readonly problem?: string;
  /** `wrapped`: a single line of long text, so Enter submits; `several`: Enter starts a new line. */
  readonly lines?: "wrapped" | "several";
}

function renderField(field: Field): TemplateResult {
  const { id, label, hint, problem } = field;
  const more = problem ?? hint;
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${field.lines ? renderTextArea(field) : renderInput(field)}
    ${more === undefined ? nothing : html`<p class=${problem ? "problem" : "hint"} id="${id}-more">${more}</p>`}
  </div>`;
}

function renderInput({ id, value, change, placeholder, hint, problem }: Field): TemplateResult {
  return html`<input
    id=${id}
    type="text"
    dir="auto"
    autocomplete="off"
    placeholder=${placeholder ?? nothing}
    aria-invalid=${problem ? "true" : nothing}
    aria-describedby=${problem || hint ? `${id}-more` : nothing}
    .value=${live(value)}
    @input=${createInputHandler(change)}
    @keydown=${createSubmitHandler("ctrl")}
  />`;
}

function renderTextArea({ id, value, change, lines, hint, problem }: Field): TemplateResult {
  return html`<textarea
    id=${id}
    rows=${lines === "several" ? 3 : 1}
    dir="auto"
    aria-invalid=${problem ? "true" : nothing}
    aria-describedby=${problem || hint ? `${id}-more` : nothing}
    .value=${live(value)}
    @input=${createInputHandler(change)}
    @keydown=${createSubmitHandler(lines === "several" ? "ctrl" : "any")}
  ></textarea>`;
}

function createInputHandler(change: (value: string) => void): (event: Event) => void {
  return ({ target }) => {
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) change(target.value);
  };
}

/** Submits the field's form by Ctrl+Enter, or by any Enter. In an input, the browser submits by Enter. */
function createSubmitHandler(enter: "ctrl" | "any"): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== "Enter") return;
    if (enter === "ctrl" && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { target } = event;
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) target.form?.requestSubmit();
  };
}
