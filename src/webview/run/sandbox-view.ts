import { html, nothing, type TemplateResult } from "lit/html.js";
import { SANDBOX_LIMITS } from "../../schema/run-values.ts";
import { t } from "../../texts/language.ts";
import { renderIcon } from "../ui/icons.ts";
import type { RunView } from "./run-view.ts";

/** The hosts that the programs of an isolated run can reach, as a sentence. */
export function describeReachableHosts(hosts: readonly string[] = []): string {
  return hosts.length === 0 ? t("isolation.networkOff") : t("isolation.networkOn", { hosts: [...hosts] });
}

/** The sandbox of an isolated run: its network, and the limits that hold on this system. */
export function renderSandbox({ state, facts }: RunView): TemplateResult | typeof nothing {
  const { isolated } = state;
  if (!isolated) return nothing;
  const { sandbox } = facts;
  return html`<section class="sandbox">
    <h2>${t("isolation.sandbox")}</h2>
    <p dir="auto">${t("isolation.engine", { engine: isolated.engine })} ${describeReachableHosts(isolated.hosts)}</p>
    ${
      sandbox
        ? html`<ul role="list">${SANDBOX_LIMITS.map((name) => renderLimit(name, sandbox.limits.includes(name)))}</ul>`
        : nothing
    }
    <p class="hint" dir="auto">${t("isolation.copyAt", { path: isolated.home })}</p>
  </section>`;
}

function renderLimit(name: (typeof SANDBOX_LIMITS)[number], holds: boolean): TemplateResult {
  return html`<li>
    ${renderIcon(holds ? "accept" : "refuse", holds ? "good" : "")}<span>${t(holds ? `isolation.limited.${name}` : `isolation.unlimited.${name}`)}</span>
  </li>`;
}
