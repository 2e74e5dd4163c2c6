import { relative } from "node:path";
import * as vscode from "vscode";
import { findRunByArgument, type HostedRun, type HostedRuns } from "../../editor/panel/hosted-runs.ts";
import type { IsolatedReviews } from "../../editor/panel/isolated-reviews.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { commitFiles, listCommittableFiles } from "../../node/git/commit.ts";
import { composeCommitMessage } from "../../runs/export/commit-message.ts";
import { requireUndo } from "../../runtime/run-undo.ts";
import { DisplayError, displayText, fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { type FleetRuns, getMachineName, type SentRun } from "../fleet/fleet-runs.ts";
import { showProgress } from "../host/notifications.ts";
import type { StoredRuns } from "../host/stored-runs.ts";
import { reviewAll } from "../review/before-documents.ts";
import { RunItem } from "../views/runs-tree.ts";

/** Dependencies of the actions on a run's changes. */
export interface FinishDependencies {
  readonly runs: HostedRuns;
  readonly stored: StoredRuns;
  readonly fleet: FleetRuns;
  readonly reviews: Pick<IsolatedReviews, "showAll">;
  /** A run in another place; undefined for any other. */
  takeUp(id: string): Promise<SentRun | undefined>;
}

/** Actions on all changes of a run. */
export function finishActions(parts: FinishDependencies) {
  return {
    reviewChanges: async (given?: unknown) => {
      const id = given instanceof RunItem ? given.runId : "";
      const sent = await parts.takeUp(id);
      if (sent) return fetchChanges(parts, sent.id, getMachineName(sent.place));
      const hosted = await openGivenRun(parts, given);
      if (hosted.place) return fetchChanges(parts, hosted.id, hosted.place.machine);
      if (hosted.isolation) return parts.reviews.showAll(hosted);
      if (!hosted.undo) throw new DisplayError(hosted.readOnly ?? displayText("actions.readOnly"));
      await reviewAll(hosted, await hosted.undo.listEarlierContents());
    },
    commitChanges: async (given?: unknown) => commitRunFiles(await openGivenRun(parts, given)),
  };
}

/** Brings a run and its copy from another machine here, and shows the ordinary review. */
async function fetchChanges({ fleet, stored }: FinishDependencies, id: string, machine: string): Promise<void> {
  await showProgress(t("fleet.fetching", { machine }), (signal) => fleet.fetch(id, signal));
  await stored.openFetched(id);
}

async function openGivenRun({ runs, stored }: FinishDependencies, given: unknown): Promise<HostedRun> {
  if (typeof given === "object" && given !== null && "runId" in given) return stored.open(String(given.runId));
  const hosted = findRunByArgument(runs, given) ?? runs.shown ?? runs.all.at(-1);
  if (!hosted) fail("actions.finish.noRun");
  return hosted;
}

/** Commits the files that the run has changed, with a message that the user reviews. Other staged files stay staged. */
async function commitRunFiles(hosted: HostedRun): Promise<void> {
  const before = await requireUndo(hosted).listEarlierContents();
  const files = before.map(({ path }) => relative(hosted.folder, path)).filter((file) => !file.startsWith(".."));
  const changed = await listCommittableFiles(hosted.folder, files);
  if (changed.length === 0) fail("actions.finish.nothing");
  const { subject, body } = composeCommitMessage(hosted.run.state);
  const answer = await vscode.window.showInputBox({
    title: t("review.commitFiles", { count: changed.length }),
    prompt: formatDisplayLine(changed.join(", ")),
    value: subject,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? t("review.noCommitMessage") : undefined),
  });
  if (answer === undefined) return;
  const name = await commitFiles(hosted.folder, changed, body === "" ? answer : `${answer}\n\n${body}`);
  void vscode.window.showInformationMessage(t("review.committed", { name }));
}
