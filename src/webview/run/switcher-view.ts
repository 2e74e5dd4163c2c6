import { html, nothing, type TemplateResult } from "lit/html.js";
import { removeMentionedTexts } from "../../core/base/mentioned-texts.ts";
import type { OpenRun } from "../../schema/panel-values.ts";
import { t } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { renderButton } from "../ui/buttons.ts";
import { type IconName, renderIcon } from "../ui/icons.ts";
import { type MenuItem, renderMenu } from "../ui/menu.ts";
import type { RunView } from "./run-view.ts";

/** The user's own name for the run, or its task. */
export function getHeaderTitle({ state: { runs } }: Panel, { state: { id, task } }: RunView): string {
  return runs.find((run) => run.run === id)?.title ?? removeMentionedTexts(task);
}

/** Switches between the open runs, starts another one, or shows all. Its badge counts those that need attention. */
export function renderRunSwitcher(panel: Panel, view: RunView): TemplateResult {
  const { runs } = panel.state;
  const count = runs.filter((run) => run.attention && run.run !== view.state.id).length;
  return html`${renderMenu(panel, {
    name: "runs",
    label: count === 0 ? t("header.switchRunButton") : t("header.switchRunAttention", { count }),
    look: { kind: "quiet", icon: "chevron", iconOnly: true },
    listItems: () => listSwitcherItems(panel, view),
  })}${count === 0 ? nothing : html`<span class="badge count" aria-hidden="true">${count}</span>`}`;
}

function listSwitcherItems(panel: Panel, { state: { id } }: RunView): readonly MenuItem[] {
  const { runs } = panel.state;
  const open = runs.map((run) => ({
    label: run.title,
    icon: STATE_ICONS[run.state],
    hint: t(`header.state.${run.state}`),
    checked: run.run === id,
    oneOfMany: true,
    choose: () => panel.send({ type: "openRun", run: run.run }),
  }));
  return [
    ...open,
    ...(open.length > 0 ? (["separator"] as const) : []),
    {
      label: t("actions.newRunButton"),
      icon: "add",
      choose: () => panel.send({ type: "act", action: "newRun" }),
    },
    {
      label: t("header.allRuns"),
      icon: "list",
      choose: () => panel.send({ type: "act", action: "showRuns" }),
    },
  ];
}

/** The running runs, above a page that doesn't show them, so that each is one click away. */
export function openRunsView(panel: Panel): TemplateResult | typeof nothing {
  const { runs } = panel.state;
  const busy = runs.filter((run) => run.attention || run.state === "thinking" || run.state === "acting");
  if (busy.length === 0) return nothing;
  const more = busy.length - MAX_ROWS;
  return html`<nav class="open-runs" aria-label=${t("header.openRuns")}>
    ${busy.slice(0, MAX_ROWS).map((run) => openRunView(panel, run))}
    ${more > 0 ? renderButton(t("header.allRuns"), () => panel.send({ type: "act", action: "showRuns" }), { kind: "quiet", icon: "list" }) : nothing}
  </nav>`;
}

const MAX_ROWS = 3;

function openRunView(panel: Panel, { run, title, state, attention }: OpenRun): TemplateResult {
  const open = (): void => panel.send({ type: "openRun", run });
  return html`<button class="open-run" type="button" title=${title} @click=${open}>
    ${renderIcon(STATE_ICONS[state], attention ? "warn" : "info")}
    <span class="open-run-title" dir="auto">${title}</span>
    <span class="hint">${t(`header.state.${state}`)}</span>
  </button>`;
}

const STATE_ICONS: Readonly<Record<OpenRun["state"], IconName>> = {
  thinking: "working",
  acting: "working",
  approval: "ask",
  question: "ask",
  disk: "warning",
  paused: "pause",
  interrupted: "pause",
  elsewhere: "working",
  finished: "flag",
  exhausted: "flag",
  stuck: "warning",
  failed: "warning",
  stopped: "refuse",
  crashed: "warning",
};
