import { html, nothing, type TemplateResult } from "lit/html.js";
import { sourceSentence, sourceSteps } from "../../core/ports/model-source.ts";
import type { Welcome } from "../../schema/panel-values.ts";
import type { ProfileForm } from "../../schema/saved-panel.ts";
import { write } from "../../texts/language.ts";
import { type Panel, type PanelChange, withoutDraft, withoutNotice } from "../app/panel-state.ts";
import { actionButton, type ButtonOptions, button, noticeView, remedyButton } from "../ui/buttons.ts";
import { EMPTY_COMPOSER } from "../ui/composer.ts";
import { composerView } from "../ui/composer-view.ts";
import { icon } from "../ui/icons.ts";
import { blankForm, profileForm } from "./profile-form.ts";
import { FIRST_FIELD_ID, repositoryNotesView } from "./profile-view.ts";

/** The start page: enter a task, choose a model, or try the demo. */
export function startView(panel: Panel, welcome: Welcome): TemplateResult {
  const blocked = welcome.blocked !== undefined;
  return html`<main class="start">
    <header>
      <h1>AutoGPT</h1>
      <p class="lead">Say what you want. You see every thought and decide what is done.</p>
    </header>
    ${blocked ? blockedView(panel, welcome) : nothing}
    ${composerView(panel, {
      label: "What should the agent do?",
      labelShown: true,
      placeholder: "Find out why the tests fail and fix them. Type @ to mention a file.",
      submit: "Start…",
      rows: 4,
      disabled: blocked,
      busy: panel.state.drafting !== undefined,
      send: (task) => draft(panel, task),
    })}
    ${panel.state.drafting === undefined ? waysView(panel, welcome) : draftingView(panel)}
    ${noticeView(panel)}
    ${modelView(panel, welcome)} ${repositoryNotesView(panel)}
    <section class="demo" aria-labelledby="demo-heading">
      <h2 id="demo-heading">New here?</h2>
      <p>The demo fixes a failing test in a scratch folder. It needs no key and no network; its replies are scripted.</p>
      ${actionButton(panel, "tryDemo")}
    </section>
  </main>`;
}

function draft(panel: Panel, task: string, again = false): void {
  panel.update((state) => ({ ...withoutNotice(state), drafting: task }));
  panel.focus(FIRST_FIELD_ID);
  panel.send({ type: "draft", task, ...(again ? { again } : {}) });
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
    ${icon("working")}<span>Drafting a profile for you to review…</span>${button("Cancel", cancel, { kind: "quiet" })}
  </div>`;
}

/** Other ways to a profile than drafting all of it. */
function waysView(panel: Panel, { blocked, lastProfile }: Welcome): TemplateResult {
  const task = panel.state.composer.text.trim();
  const disabled = blocked !== undefined;
  const form = (make: () => ProfileForm) => (): void => {
    panel.update(openForm(make()));
    panel.focus(FIRST_FIELD_ID);
  };
  return html`<div class="row ways">
    ${button(
      "Edit Profile First",
      form(() => blankForm(task)),
      { kind: "quiet", icon: "edit", disabled },
    )}
    ${
      lastProfile
        ? button(
            `Use last profile (${lastProfile.name})`,
            task === ""
              ? form(() => profileForm(task, { ...lastProfile, goals: [""] }))
              : () => draft(panel, task, true),
            { kind: "quiet", icon: "user", disabled, title: lastProfile.role },
          )
        : nothing
    }
  </div>`;
}

function openForm(form: ProfileForm): PanelChange {
  return (state) => ({ ...withoutNotice(state), form, composer: EMPTY_COMPOSER });
}

const NO_MODEL = "No model was found.";

function modelView(panel: Panel, welcome: Welcome): TemplateResult {
  const { models, looking } = welcome;
  const chosen = models.find((model) => model.chosen);
  const choose = ({ target }: Event): void => {
    if (target instanceof HTMLSelectElement && target.value !== "")
      panel.send({ type: "chooseModel", id: target.value });
  };
  return html`<section class="models" aria-labelledby="model-heading">
    <h2 id="model-heading">Model</h2>
    ${
      models.length === 0
        ? nothing
        : html`<select aria-labelledby="model-heading" @change=${choose}>
            ${chosen ? nothing : html`<option value="" selected>Choose a model…</option>`}
            ${models.map(
              ({ id, label, detail, chosen: isChosen }) =>
                html`<option value=${id} ?selected=${isChosen}>${detail === "" ? label : `${label} (${detail})`}</option>`,
            )}
          </select>`
    }
    ${looking ? html`<p>Looking for models…</p>` : sourceView(welcome)}
    ${setupRow(panel, welcome)}
  </section>`;
}

/** The state of the configured source. A missing key isn't worth mentioning while there are models from elsewhere. */
function sourceView({ source, models }: Welcome): TemplateResult | typeof nothing {
  if (!source) return models.length === 0 ? html`<p>${NO_MODEL}</p>` : nothing;
  const { kind } = source.state;
  if (models.length > 0 && kind === "noKey") return nothing;
  const works = kind === "connected" && source.state.models > 0;
  return html`<p class="source ${works ? "hint" : ""}" dir="auto">${works ? nothing : icon("warning", "warn")}<span>${write(sourceSentence(source))}</span></p>`;
}

/** Buttons for another key, server or model. The most urgent one is primary while no model can be used. */
function setupRow(panel: Panel, { source, models, hasKey }: Welcome): TemplateResult {
  const steps: readonly string[] = source ? sourceSteps(source) : ["setApiKey"];
  const look = (action: string): ButtonOptions =>
    steps[0] === action && !models.some(({ chosen }) => chosen) ? { kind: "primary" } : {};
  const { state } = source ?? {};
  const setting = state?.kind === "incomplete" ? state.setting : undefined;
  return html`<div class="row">
    ${setting === undefined ? nothing : remedyButton(panel, { kind: "setting", setting }, look("openSettings"))}
    ${actionButton(panel, "setApiKey", look("setApiKey"), hasKey ? "Change Key…" : undefined)}
    ${actionButton(panel, "selectModel", look("selectModel"))}
    ${actionButton(panel, "useServer", look("useServer"))}
  </div>`;
}
