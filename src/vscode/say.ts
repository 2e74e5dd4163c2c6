import * as vscode from "vscode";
import type { Log } from "./log.ts";

/** Runs an action and shows what went wrong as a sentence, once. Cancelling is no error. */
export async function telling(log: Log, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (error instanceof vscode.CancellationError) return;
    const message = error instanceof Error ? error.message : String(error);
    log.error(error instanceof Error ? error : message);
    void vscode.window.showErrorMessage(plain(message));
  }
}

/** Text for notifications, tooltips and quick picks: one line, no links, not too long for VS Code to show whole. */
export function plain(text: string): string {
  const line = text
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .replace(/\]\(/g, "] (")
    .trim();
  return line.length <= 600 ? line : `${line.slice(0, 599)}…`;
}

/** A cancellable wait with a progress notification; the signal ends when the user cancels. */
export function withProgress<T>(
  title: string,
  act: (signal: AbortSignal, report: (text: string) => void) => Promise<T>,
): Promise<T> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return Promise.resolve(
    vscode.window.withProgress(options, async (progress, token) => {
      const controller = new AbortController();
      const subscription = token.onCancellationRequested(() =>
        controller.abort(new vscode.CancellationError()),
      );
      try {
        return await act(controller.signal, (message) => progress.report({ message: plain(message) }));
      } finally {
        subscription.dispose();
      }
    }),
  );
}
