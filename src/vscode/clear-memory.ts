import * as vscode from "vscode";
import type { MemoryStore } from "../memory/memory-store.ts";

/** Forgets what is remembered once the user has confirmed it, and offers to undo that. */
export async function clearMemory(store: MemoryStore): Promise<void> {
  const { count } = store.state;
  if (count === 0) {
    void vscode.window.showInformationMessage("Nothing is remembered here.");
    return;
  }
  const clear = "Clear";
  const answer = await vscode.window.showWarningMessage(
    "Clear the memory of this folder?",
    {
      modal: true,
      detail: `${count} memories of runs, notes, pages and files are forgotten. It can be undone as long as this window is open. Runs and files stay.`,
    },
    clear,
  );
  if (answer !== clear) return;
  const undo = await store.clear();
  void vscode.window
    .showInformationMessage(`${count} memories are forgotten.`, "Undo")
    .then(async (pressed) => {
      if (pressed !== "Undo") return;
      await undo();
      void vscode.window.showInformationMessage("The memories are there again.");
    });
}
