import { html, nothing, type TemplateResult } from "lit/html.js";
import { omitUndefined } from "../../core/base/objects.ts";
import {
  formatSourceName,
  getOutcomeText,
  hasProgramFailed,
  listOutcomeRules,
  type Outcome,
} from "../../core/commands/outcome.ts";
import type { StepView } from "../../core/events/run-state.ts";
import { listStepCalls } from "../../core/reply/further-calls.ts";
import { SHOWN_TEXT_CHARS } from "../../schema/formats.ts";
import type { ShownTest } from "../../schema/run-values.ts";
import { t } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { renderActionButton, renderButton, renderFileButton, renderLinkButton } from "../ui/buttons.ts";
import { renderIcon } from "../ui/icons.ts";
import { cutEndExcerpt } from "../ui/long-text.ts";
import { renderLongText } from "../ui/long-text-view.ts";
import { renderMarkdownText } from "../ui/text-view.ts";
import { renderStepPictures } from "./pictures-view.ts";
import type { RunView } from "./run-view.ts";

/** The results of a step's calls as the agent got them. */
export function renderOutcomes(panel: Panel, view: RunView, step: StepView): unknown {
  const called = listStepCalls(step);
  if (called.length === 0)
    return step.outcome ? renderOutcome(panel, view, step.step, { outcome: step.outcome }) : nothing;
  return called.map(({ call, outcome }, index) =>
    renderOutcome(panel, view, step.step, {
      outcome,
      ...(called.length > 1 ? { further: { index, tool: call.name } } : {}),
    }),
  );
}

interface ShownOutcome {
  readonly outcome: Outcome;
  /** Set for one of several calls of the step. */
  readonly further?: { readonly index: number; readonly tool: string };
}

function renderOutcome(
  panel: Panel,
  view: RunView,
  step: number,
  { outcome, further }: ShownOutcome,
): TemplateResult | typeof nothing {
  const text = getOutcomeText(outcome);
  if (text === "") return nothing;
  const label = further ? t("timeline.outcomeOf", { tool: further.tool, step }) : t("timeline.outcomeLabel", { step });
  const isFirst = !further || further.index === 0;
  const whole = renderButton(
    t("actions.openInEditorButton"),
    () => panel.send({ type: "showOutcome", run: view.state.id, step }),
    { kind: "quiet", title: t("timeline.openOutcome", { step }) },
  );
  return html`<div class="outcome ${outcome.status}">
    <h4>${further ? further.tool : t("timeline.outcome")}</h4>
    ${
      outcome.status === "finished"
        ? renderMarkdownText(panel, text)
        : renderLongText(panel, view, {
            name: `outcome-${step}${isFirst ? "" : `-${further.index}`}`,
            label,
            text,
            ...omitUndefined({ fromEnd: hasProgramFailed(outcome) || undefined }),
            ...(text.length > SHOWN_TEXT_CHARS && isFirst ? { isPart: true, buttons: whole } : {}),
          })
    }
    ${renderOutcomeSource(outcome)} ${renderRules(panel, outcome)}
  </div>`;
}

function renderOutcomeSource(outcome: Outcome): TemplateResult | typeof nothing {
  const found = "source" in outcome ? outcome.source : undefined;
  if (!found) return nothing;
  const source = formatSourceName(found);
  return html`<p class="hint" dir="auto">${found.isClean ? t("timeline.from", { source }) : t("timeline.unverified", { source })}</p>`;
}

/** The files whose instructions were added to the outcome. */
function renderRules(panel: Panel, outcome: Outcome): TemplateResult | typeof nothing {
  const rules = listOutcomeRules(outcome);
  return rules.length === 0
    ? nothing
    : html`<p class="hint">${t("timeline.applyingNotes")} ${rules.map(({ file }) => renderFileButton(panel, file))}</p>`;
}

/** Lines of a failed program that are shown without its details. */
const LAST_LINES = 4;

/** The most failed tests that are shown without the step's details. */
const MOST_TESTS = 5;

/** The signs that programs draw in turn while they wait. */
const SPINNER = /[\u2800-\u28ff]/g;

/** The tests that failed; if none are known, the last lines of a program that failed. */
export function renderFailure(panel: Panel, outcome: Outcome): TemplateResult | typeof nothing {
  const tests = outcome.status === "done" ? (outcome.failedTests ?? []) : [];
  if (tests.length > 0) return renderFailedTests(panel, tests);
  const whole = getOutcomeText(outcome)
    .replace(/^Exit code .*\n/, "")
    .replace(SPINNER, "");
  const { text } = cutEndExcerpt(whole, LAST_LINES, 600);
  if (text.trim() === "") return nothing;
  return html`<pre class="last-lines" role="group" aria-label=${t("timeline.lastLines")} dir="auto">${text}</pre>`;
}

/** Each test with its name, what it compared, and its place. */
function renderFailedTests(panel: Panel, tests: readonly ShownTest[]): TemplateResult {
  const more = tests.length - MOST_TESTS;
  return html`<ul class="failed-tests" role="list" aria-label=${t("timeline.failedTests")}>
    ${tests.slice(0, MOST_TESTS).map(
      ({ name, expected, actual, message, file, line }) => html`<li>
        ${renderIcon("close", "bad")}
        <div>
          <bdi>${name}</bdi>
          <span class="hint" dir="auto">${expected === undefined || actual === undefined ? message : t("timeline.difference", { expected, actual })}</span>
          ${file === undefined ? nothing : renderPlace(panel, file, line)}
        </div>
      </li>`,
    )}
    ${more > 0 ? html`<li class="hint">${t("approval.moreFiles", { count: more })}</li>` : nothing}
  </ul>`;
}

function renderPlace(panel: Panel, file: string, line: number | undefined): TemplateResult {
  const open = (): void => panel.send({ type: "openFile", label: file, ...omitUndefined({ line }) });
  const place = line === undefined ? file : `${file}:${line}`;
  return renderLinkButton(html`<bdi>${place}</bdi>`, t("actions.openFile", { file }), open);
}

/** Begins a feedback with the user's own words, for the model. */
const USER_SAYS = "The user says: ";

/** The reason that the user gave for rejecting a step. */
export function renderFeedback(panel: Panel, { outcome }: StepView): TemplateResult | typeof nothing {
  const said = outcome?.status === "refused" ? outcome.feedback : "";
  const reason = said.startsWith(USER_SAYS) ? said.slice(USER_SAYS.length) : undefined;
  return reason === undefined ? nothing : html`<div class="feedback">${renderMarkdownText(panel, reason)}</div>`;
}

/** The end of a running program's output. */
export function renderRunningOutput(panel: Panel, step: number, output: string): TemplateResult {
  return html`<div class="outcome running">
    <pre class="verbatim tail" tabindex="0" role="group" aria-label=${t("timeline.outputSoFar", { step })} dir="auto">${output}</pre>
    <div class="row tight">${renderActionButton(panel, "showOutput", { kind: "quiet" })}</div>
  </div>`;
}

/** The parts of a result that are shown without its details: pictures, and a file to be saved. */
export function renderAttachments(panel: Panel, view: RunView, step: StepView): unknown {
  return html`${renderPicture(panel, view, step)} ${renderStepPictures(panel, view, step)} ${renderSaveButton(panel, view, step)}`;
}

/** True while a file that was changed in an editor isn't saved. */
export function isUnsaved({ unsavedFiles = [] }: RunView, outcome: Outcome | undefined): boolean {
  const changed = outcome?.status === "done" ? (outcome.inEditor ?? []) : [];
  return changed.some((path) => unsavedFiles.includes(path));
}

/** A button to save a step's changes in editors, while they are unsaved. */
function renderSaveButton(panel: Panel, view: RunView, { step, outcome }: StepView): TemplateResult | typeof nothing {
  if (!isUnsaved(view, outcome)) return nothing;
  const run = view.state.id;
  return html`<div class="row tight attached">
    <span class="hint">${t("timeline.inEditor")}</span>
    ${renderButton(t("timeline.saveButton"), () => panel.send({ type: "saveChanges", run, step }), {
      kind: "secondary",
      title: t("timeline.saveTooltip"),
    })}
  </div>`;
}

/** The picture that a step produced; an older step's is loaded on request. */
function renderPicture(panel: Panel, view: RunView, { step, outcome }: StepView): TemplateResult | typeof nothing {
  if (outcome?.status !== "done" || outcome.picture === undefined) return nothing;
  const data = view.pictures.get(step);
  if (data !== undefined)
    return html`<img class="picture" src=${data} alt=${t("timeline.picture", { file: outcome.picture })} />`;
  const run = view.state.id;
  return html`<div class="row tight attached">
    ${renderButton(t("timeline.showPictureButton"), () => panel.send({ type: "showPicture", run, step }), { kind: "quiet" })}
  </div>`;
}
