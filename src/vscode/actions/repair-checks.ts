import * as vscode from "vscode";
import type { CodeHost, FailedCheck } from "../../code-host/code-host.ts";
import { type CheckFailure, composeRepairTask, readCheckFailure } from "../../code-host/failed-checks.ts";
import type { LocalRepository } from "../../code-host/local-repository.ts";
import { cutText } from "../../core/base/text.ts";
import type { HostedRun } from "../../editor/panel/hosted-runs.ts";
import { formatDisplayLine, pickLine } from "../../editor/panel/notification-text.ts";
import { fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import type { CodeSessions } from "../code-host/sessions.ts";
import { retrySignedOut } from "../code-host/sign-in-again.ts";
import { showError, showProgress } from "../host/notifications.ts";
import type { Starter } from "../host/starter.ts";
import { findLikelyFolder } from "../workspace/folders.ts";

/** Dependencies of repairing checks. */
export interface RepairDependencies {
  readonly starter: Starter;
  readonly codeSessions: CodeSessions;
}

/** The failed checks of the last commit, and where they are. */
interface FoundChecks {
  readonly local: LocalRepository;
  readonly host: CodeHost;
  readonly checks: readonly FailedCheck[];
}

/** Starts an isolated run that makes the commands of failed checks pass. Nothing is pushed before its changes were reviewed. */
export async function repairChecks({ starter, codeSessions }: RepairDependencies): Promise<void> {
  await starter.demandStart();
  await starter.demandIsolation();
  const found = await retrySignedOut((signIn) =>
    showProgress(t("codehost.readingChecks"), (signal) => findFailedChecks(codeSessions, signIn, signal)),
  );
  const checks = await pickChecks(found.checks);
  if (checks.length === 0) return;
  const failures = await showProgress(t("codehost.readingChecks"), (signal) =>
    Promise.all(checks.map((check) => readCheckFailure(found.host, found.local.repository.root, check, signal))),
  );
  const run = await starter.startTask({ task: composeRepairTask(failures), mode: "isolated" });
  await starter.nameRun(run.id, nameRepair(checks));
  await vscode.commands.executeCommand("autogpt.panel.focus");
  confirmRepair(run, failures).catch(showError);
}

/** Looks through the remotes: a fork's checks are in the repository that its pull request is for. */
async function findFailedChecks(
  sessions: CodeSessions,
  signIn: "ask" | "again",
  signal: AbortSignal,
): Promise<FoundChecks> {
  const local = await sessions.readLocal(findLikelyFolder(), signal);
  const [first] = local.remotes;
  if (first) await sessions.findToken(first.repository.server, signIn);
  for (const { repository } of local.remotes) {
    const host = await sessions.open(repository, "quietly");
    const checks = await host.listFailedChecks(local.head, signal);
    if (checks.length > 0) return { local, host, checks };
  }
  const host = first ? new URL(first.repository.server.web).host : "";
  return fail("codehost.noFailedChecks", { commit: local.head.slice(0, 8), host });
}

/** All of them at first, if there are several. */
async function pickChecks(checks: readonly FailedCheck[]): Promise<readonly FailedCheck[]> {
  if (checks.length === 1) return checks;
  const items = checks.map((check) => ({
    label: pickLine(check.name),
    description: check.job === undefined ? t("codehost.withoutLog") : "",
    picked: true,
    check,
  }));
  const options = {
    title: t("codehost.repairAction"),
    placeHolder: t("codehost.whichChecks"),
    canPickMany: true,
  } as const;
  return ((await vscode.window.showQuickPick(items, options)) ?? []).map(({ check }) => check);
}

function nameRepair(checks: readonly FailedCheck[]): string {
  return t("codehost.repairTitle", { names: checks.map(({ name }) => cutText(name, 60)) });
}

const CHECK_SECONDS = 900;
const SERVER_VALUE = /\$\{\{|\$\{?CI_/;

/** Runs the commands that failed on the server once more in the copy at the end, and says whether they pass now. */
async function confirmRepair({ id, live, isolation }: HostedRun, failures: readonly CheckFailure[]): Promise<void> {
  const end = await live?.end.catch(() => undefined);
  // A value that only the server has can't be given here.
  const commands = [...new Set(failures.flatMap((failure) => failure.commands))].filter(
    (one) => !SERVER_VALUE.test(one),
  );
  if (end?.reason !== "finished" || !isolation || commands.length === 0) return;
  const failing = await showProgress(nameRepair(failures.map(({ check }) => check)), async (signal) => {
    for (const command of commands) {
      const { code } = await isolation.runLine(`set -e\n${command}`, CHECK_SECONDS, signal);
      signal.throwIfAborted();
      if (code !== 0) return command;
    }
    return undefined;
  });
  if (failing !== undefined) return askAboutRepair(id, t("codehost.stillFails", { command: cutText(failing, 80) }), []);
  await askAboutRepair(id, t("codehost.passesNow", { command: cutText(commands.join("; "), 80) }), [
    t("codehost.pushButton"),
  ]);
}

async function askAboutRepair(runId: string, text: string, more: readonly string[]): Promise<void> {
  const review = t("codehost.reviewButton");
  const answer = await vscode.window.showInformationMessage(formatDisplayLine(text), review, ...more);
  if (answer === review) await vscode.commands.executeCommand("autogpt.openRun", runId);
  else if (answer !== undefined) await vscode.commands.executeCommand("autogpt.createPullRequest", { runId });
}
