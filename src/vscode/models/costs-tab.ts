import * as vscode from "vscode";
import { buildCostsPage } from "../../editor/panel/costs-page.ts";
import type { HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { t } from "../../texts/language.ts";
import type { RunLibrary } from "../host/run-library.ts";
import { readSettings } from "../host/settings.ts";
import { PageTab, type PageTabOptions } from "../panel/page-tab.ts";

/** Dependencies of the page of costs. */
interface CostsDependencies extends Pick<PageTabOptions, "extensionUri"> {
  readonly library: Pick<RunLibrary, "costs">;
  readonly handleOtherRequest: PageTabOptions["receive"];
}

/** The costs over all folders, in an editor tab. */
export function createCostsTab({ extensionUri, library, handleOtherRequest }: CostsDependencies): PageTab {
  return new PageTab({
    extensionUri,
    viewType: "autogpt.costs",
    getTitle: () => t("models.costs"),
    sendContent: async (send) =>
      send({ type: "costs", costs: await buildCostsPage(library.costs, readSettings().run, new Date()) }),
    receive: handleOtherRequest,
  });
}

/** Refreshes the page while runs of this window spend money, and closes it on disposal. */
export function followCosts(tab: PageTab, runs: HostedRuns): vscode.Disposable {
  let soon: NodeJS.Timeout | undefined;
  const refreshSoon = (): void => {
    clearTimeout(soon);
    soon = setTimeout(() => tab.visible && tab.refresh(), REFRESH_MS).unref();
  };
  return vscode.Disposable.from(
    tab,
    runs.onEvent(({ event }) => (event.type === "replied" || event.type === "spent") && refreshSoon()),
    vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration("autogpt.run") && refreshSoon()),
  );
}

const REFRESH_MS = 1_000;
