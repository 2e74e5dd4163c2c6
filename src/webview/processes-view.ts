import { html, nothing, type TemplateResult } from "lit/html.js";
import type { ShownProcess } from "../protocol.ts";
import { button } from "./buttons.ts";
import { foldView } from "./fold-view.ts";
import type { Panel } from "./panel-state.ts";
import type { RunView } from "./run-view.ts";

/** The run's background processes: what each is, and how to stop it or keep it when the run ends. */
export function processesView(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { processes = [] } = view;
  if (processes.length === 0) return nothing;
  const running = processes.filter(({ state }) => state === "running").length;
  const summary = html`<h2>Processes</h2><span class="count">${running === 0 ? "none" : running} running</span>`;
  return foldView(
    panel,
    view,
    { name: "processes", summary, openAtFirst: running > 0, look: "processes" },
    () => html`<ul role="list">${processes.map((process) => processView(panel, process))}</ul>`,
  );
}

function processView(panel: Panel, { id, commandLine, state, code, kept }: ShownProcess): TemplateResult {
  const how = state === "ended" && code !== undefined ? `ended with ${code}` : state;
  const stop = (): void => panel.send({ type: "stopProcess", id });
  const keep = (): void => panel.send({ type: "keepProcess", id, kept: !kept });
  return html`<li>
    <code dir="auto" title=${commandLine}>${commandLine}</code>
    ${state === "running" ? nothing : html`<span class="hint">${how}</span>`}
    ${
      state === "running"
        ? html`${button("Stop", stop, { icon: "stop", shrinks: true, title: `Stop process ${id}` })}
          ${button("Keep", keep, { pressed: kept, title: `Let process ${id} run on when the run ends` })}`
        : nothing
    }
  </li>`;
}
