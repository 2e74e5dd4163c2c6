import { live } from "lit/directives/live.js";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { describeModelSource, listSourceSteps } from "../../core/ports/model-source.ts";
import type { Welcome } from "../../schema/panel-values.ts";
import { t, write } from "../../texts/language.ts";
import { omitStartAgent, type Panel, type StartKind } from "../app/panel-state.ts";
import { describeReachableHosts } from "../run/sandbox-view.ts";
import {
  type ButtonOptions,
  renderActionButton,
  renderButton,
  renderRemedyButton,
  renderRemedyRow,
} from "../ui/buttons.ts";
import { renderIcon } from "../ui/icons.ts";

/** The pickers in the text box's foot: model and mode. */
export function renderPickers(panel: Panel, welcome: Welcome): TemplateResult {
  return html`${renderModelPicker(panel, welcome)} ${renderModePicker(panel, welcome)}`;
}

/** The mode of the next run. The review setting requires that every profile is reviewed first. */
export function getStartMode({ state: { startMode, welcome } }: Panel): StartKind {
  if (welcome?.reviewProfile) return "review";
  return startMode ?? "agent";
}

/** The chosen agent that a file describes; undefined for the usual one. */
export function findStartAgent({
  startAgent,
  welcome,
}: Panel["state"]): NonNullable<Welcome["agents"]>[number] | undefined {
  return welcome?.agents?.find(({ name }) => name === startAgent);
}

/** The option that opens the list of all models. */
const MORE = "more";

function renderModelPicker(panel: Panel, { models, looking }: Welcome): TemplateResult {
  if (models.length === 0) return looking ? html`<span class="hint">${t("start.lookingForModels")}</span>` : html``;
  const chosen = models.find((model) => model.chosen);
  const choose = ({ target }: Event): void => {
    if (!(target instanceof HTMLSelectElement)) return;
    const { value } = target;
    target.value = chosen?.id ?? "";
    if (value === MORE) panel.send({ type: "act", action: "selectModel" });
    else if (value !== "") panel.send({ type: "chooseModel", id: value });
  };
  return html`<select
    class="picker model-picker"
    aria-label=${t("start.model")}
    title=${chosen ? t("start.chosenModel", { model: chosen.label }) : t("start.model")}
    .value=${live(chosen?.id ?? "")}
    @change=${choose}
  >
    ${chosen ? nothing : html`<option value="" selected>${t("start.chooseModel")}</option>`}
    ${models.map(({ id, label, detail, chosen: isChosen }) => html`<option value=${id} label=${label} title=${detail} ?selected=${isChosen}>${label}</option>`)}
    <option value=${MORE}>${t("start.moreModels")}</option>
  </select>`;
}

function renderModePicker(
  panel: Panel,
  { reviewProfile, isolation, agents = [] }: Welcome,
): TemplateResult | typeof nothing {
  if (reviewProfile && agents.length === 0) return nothing;
  const modes = MODES.filter((one) =>
    reviewProfile ? one === "review" : !IN_COPY.has(one) || isolation !== undefined,
  );
  const mode = getStartMode(panel);
  const hints = {
    agent: t("start.modeAgentHint"),
    plan: t("start.modePlanHint"),
    isolated: t("isolation.modeHint"),
    remote: t("fleet.modeHint"),
    review: t("start.modeReviewHint"),
  };
  const names = {
    agent: t("start.modeAgent"),
    plan: t("start.modePlan"),
    isolated: t("isolation.mode"),
    remote: t("fleet.mode"),
    review: t("start.modeReview"),
  };
  const agent = findStartAgent(panel.state);
  const choose = ({ target }: Event): void => {
    const value = target instanceof HTMLSelectElement ? target.value : "";
    const startMode = MODES.find((one) => one === value);
    const named = agents.find(({ name }) => AGENT + name === value);
    if (startMode) panel.update((state) => ({ ...omitStartAgent(state), startMode }));
    if (named) panel.update((state) => ({ ...state, startMode: "agent", startAgent: named.name }));
  };
  return html`<select
    class="picker"
    aria-label=${t("start.mode")}
    title=${agent ? describeAgent(agent) : hints[mode]}
    .value=${live(agent ? AGENT + agent.name : mode)}
    @change=${choose}
  >
    ${modes.map((one) => html`<option value=${one} title=${hints[one]} ?selected=${!agent && one === mode}>${names[one]}</option>`)}
    ${agents.length === 0 ? nothing : renderAgentOptions(agents, agent?.name)}
  </select>`;
}

/** The beginning of the values of agents, which no mode has. */
const AGENT = "agent:";

type ShownAgent = NonNullable<Welcome["agents"]>[number];

function renderAgentOptions(agents: readonly ShownAgent[], chosen: string | undefined): TemplateResult {
  return html`<optgroup label=${t("start.agents")}>
    ${agents.map((one) => html`<option value=${AGENT + one.name} title=${describeAgent(one)} ?selected=${one.name === chosen}>${one.name}</option>`)}
  </optgroup>`;
}

function describeAgent({ file, description }: ShownAgent): string {
  return description === "" ? file : t("start.agentHint", { description, file });
}

const MODES: readonly StartKind[] = ["agent", "plan", "isolated", "remote", "review"];

/** Modes for folders of which there can be a copy. */
const IN_COPY: ReadonlySet<StartKind> = new Set(["isolated", "remote"]);

/** True if isolated runs are selected but can't start here. */
export function isModeBlocked(panel: Panel, { isolation }: Welcome): boolean {
  return getStartMode(panel) === "isolated" && isolation?.why !== undefined;
}

/** The hosts and files that an isolated run can reach, or why none can run here. */
export function renderIsolation(panel: Panel, { isolation }: Welcome): TemplateResult | typeof nothing {
  if (getStartMode(panel) !== "isolated" || !isolation) return nothing;
  const { why, hosts, lent } = isolation;
  const createSettingOpener = (name: string) => (): void =>
    panel.send({ type: "openSetting", setting: `autogpt.isolation.${name}` });
  if (why !== undefined)
    return html`<div class="notice warning" role="status">
      ${renderIcon("warning", "warn")}
      <p dir="auto">${t("isolation.unavailable")} ${write(why)}</p>
      <div class="row">
        ${renderButton(t("models.checkAgainButton"), () => panel.send({ type: "ready" }))}
      </div>
      ${renderRemedyRow(panel, why)}
    </div>`;
  return html`<section class="isolation" aria-label=${t("isolation.mode")}>
    <p class="hint" dir="auto">${describeReachableHosts(hosts)} ${lent.length === 0 ? t("isolation.lentNone") : t("isolation.lent", { files: [...lent] })}</p>
    <div class="row">
      ${renderButton(t("isolation.hostsButton"), createSettingOpener("hosts"), { kind: "quiet", title: "autogpt.isolation.hosts" })}
      ${renderButton(t("isolation.lendButton"), createSettingOpener("lend"), { kind: "quiet", title: "autogpt.isolation.lend" })}
    </div>
  </section>`;
}

/** Why no model can be used, with the buttons that help; nothing while one is chosen and its source works. */
export function renderModelTrouble(panel: Panel, welcome: Welcome): TemplateResult | typeof nothing {
  const { models, source, looking } = welcome;
  if (looking) return nothing;
  const isChosen = models.some(({ chosen }) => chosen);
  const kind = source?.state.kind;
  const works = kind === "connected" && source?.state.kind === "connected" && source.state.models > 0;
  if (isChosen && (works || source === undefined)) return nothing;
  // A missing key isn't worth mentioning while there are models from elsewhere.
  const isOther = !isChosen && models.length > 0 && (kind === "noKey" || works);
  const text = source && !isOther ? write(describeModelSource(source)) : undefined;
  if (models.length > 0 && text === undefined) return nothing;
  return html`<section class="models" aria-label=${t("start.model")}>
    <p class="source" dir="auto">${renderIcon("warning", "warn")}<span>${text ?? t("start.noModel")}</span></p>
    ${renderSetupRow(panel, welcome)}
  </section>`;
}

/** Buttons for another key, server or model. While no model can be used, the most urgent button is primary. */
function renderSetupRow(panel: Panel, { source, models, hasKey }: Welcome): TemplateResult {
  const steps: readonly string[] = source ? listSourceSteps(source) : ["setApiKey"];
  const look = (action: string): ButtonOptions => (steps[0] === action ? { kind: "primary" } : {});
  const { state } = source ?? {};
  if (models.length === 0 && (state === undefined || state.kind === "noKey"))
    return html`<div class="row">
      ${renderActionButton(panel, "openModels", { kind: "primary" }, t("actions.setUpModelButton"))}
      ${renderActionButton(panel, "setApiKey", {}, hasKey ? t("models.changeKeyButton") : undefined)}
      ${renderActionButton(panel, "useServer")}
    </div>`;
  const setting = state?.kind === "incomplete" ? state.setting : undefined;
  return html`<div class="row">
    ${setting === undefined ? nothing : renderRemedyButton(panel, { kind: "setting", setting }, look("openSettings"))}
    ${renderActionButton(panel, "setApiKey", look("setApiKey"), hasKey ? t("models.changeKeyButton") : undefined)}
    ${renderActionButton(panel, "selectModel", look("selectModel"))}
    ${renderActionButton(panel, "useServer", look("useServer"))}
    ${renderActionButton(panel, "openModels", { kind: "quiet" })}
  </div>`;
}
