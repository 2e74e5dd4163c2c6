import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { waitOrAbort } from "../../core/base/async.ts";
import type { TestExplorer } from "../../core/ports/tests.ts";
import type { ResolvedPath } from "../../core/ports/workspace.ts";
import type { EditorTools } from "../host/editor-tools.ts";
import { convertPathToUri } from "../workspace/places.ts";

/** VS Code's tool that reports failed tests, which no API does. */
const FAILURES = "testFailure";
/** Time limit for the tool's answer, and for a canceled run to end, in milliseconds. */
const ANSWER_MS = 5_000;
/** A run that ends sooner may have run nothing; after the second time, VS Code has collected the tests. */
const RUNS_NOTHING_MS = 500;
const COLLECTS_MS = 1_500;

/** VS Code's Test Explorer, by its commands and its tool. */
export function createTestExplorer(tools: EditorTools): TestExplorer {
  return {
    async listControllers(file) {
      if (!tools.list().some(({ name }) => name === FAILURES)) return [];
      const found = await (file
        ? ask("vscode.testing.getTestsInFile", convertPathToUri(file.path))
        : ask("vscode.testing.getControllersWithTests"));
      return [...new Set(found.map((one) => String(Array.isArray(one) ? one[0] : one)))];
    },
    async run({ file, timeoutSeconds, signal }) {
      const timeout = AbortSignal.timeout(Math.round(timeoutSeconds * 1000));
      const cut = AbortSignal.any([signal, timeout]);
      const before = await fetchFailures(tools);
      const running = runAndLook(file, before, tools).then(() => "exit" as const);
      const end = await waitOrAbort(running, cut);
      if (end === "aborted") {
        await vscode.commands.executeCommand("testing.cancelRun");
        await Promise.race([running.catch(() => undefined), wait(ANSWER_MS)]);
      }
      const ended = end === "exit" ? "exit" : signal.aborted ? "stopped" : "timeout";
      const now = await fetchFailures(tools);
      return { ended, failures: now, isSame: now === before };
    },
  };
}

/** Starts tests. VS Code runs nothing while it collects them, so a run that changes nothing immediately is started again. */
async function runAndLook(file: ResolvedPath | undefined, before: string, tools: EditorTools): Promise<void> {
  const startedAt = performance.now();
  await start(file);
  if (performance.now() - startedAt > RUNS_NOTHING_MS || (await fetchFailures(tools)) !== before) return;
  await wait(COLLECTS_MS);
  await start(file);
}

async function start(file: ResolvedPath | undefined): Promise<void> {
  if (!file) return void (await vscode.commands.executeCommand("testing.runAll"));
  // The command takes the file of the active editor; the focus stays where it is.
  await vscode.window.showTextDocument(convertPathToUri(file.path), { preserveFocus: true, preview: true });
  await vscode.commands.executeCommand("testing.runCurrentFile");
}

/** The list that a command of VS Code returns; empty if there is no such command. */
async function ask(command: string, ...args: readonly unknown[]): Promise<readonly unknown[]> {
  const answer: unknown = await Promise.resolve(vscode.commands.executeCommand(command, ...args)).catch(
    () => undefined,
  );
  return Array.isArray(answer) ? answer : [];
}

async function fetchFailures(tools: EditorTools): Promise<string> {
  const timeout = AbortSignal.timeout(ANSWER_MS);
  return tools.readToolText(FAILURES, timeout).catch((error: unknown) => {
    if (!timeout.aborted) throw error;
    throw new Error('VS Code didn\'t report the failed tests. Run them with runner "script".');
  });
}
