import { join } from "node:path";
import * as vscode from "vscode";
import { type BoardQuestion, QuestionBoard } from "../../editor/panel/question-board.ts";
import { isProcessAlive } from "../../node/processes/process-tree.ts";
import { t } from "../../texts/language.ts";
import type { RunLibrary } from "../host/run-library.ts";

/** How often the other windows' questions are read. */
const LOOK_MS = 1_000;

/** The questions of all windows of the user. */
export function createQuestionBoard(library: RunLibrary, storage: string): QuestionBoard {
  const seal = (run: string) => library.seal(run);
  return new QuestionBoard(join(storage, "waiting"), { seal, isAlive: isProcessAlive });
}

/** An address by which this window is found: of its workspace file, or of its first folder. */
export function getWindowAddress(): string {
  const { workspaceFile, workspaceFolders } = vscode.workspace;
  const own = workspaceFile?.scheme === "untitled" ? undefined : workspaceFile;
  return (own ?? workspaceFolders?.[0]?.uri)?.toString() ?? "";
}

/** Follows the other windows' questions, and notifies of those that no other window has shown, while this one has the focus. */
export function watchOtherWindows(board: QuestionBoard, isFocused: () => boolean): vscode.Disposable {
  const timer = setInterval(() => void board.look().catch(() => undefined), LOOK_MS);
  timer.unref();
  const offered = new Set<string>();
  const offer = (): void => {
    if (!isFocused()) return;
    for (const question of board.others) {
      if (offered.has(question.id)) continue;
      offered.add(question.id);
      void board.claim(question).then((isFirst) => (isFirst ? askHere(board, question) : undefined));
    }
  };
  return vscode.Disposable.from(
    board.onChange(offer),
    vscode.window.onDidChangeWindowState(offer),
    new vscode.Disposable(() => clearInterval(timer)),
  );
}

/** Asks for the answer to another window's question, and passes it on. */
async function askHere(board: QuestionBoard, question: BoardQuestion): Promise<void> {
  const { run, id, kind, approvable, text } = question;
  const [review, approve, answer] = [
    t("review.reviewButton"),
    t("approval.approveButton"),
    t("approval.answerButton"),
  ] as const;
  const buttons = kind === "question" ? [answer, review] : approvable ? [review, approve] : [review];
  const picked = await vscode.window.showInformationMessage(text, ...buttons);
  if (picked === undefined) return;
  if (picked === review) return void (await revealElsewhere(board, run));
  const words =
    picked === answer
      ? await vscode.window.showInputBox({ title: t("review.answerTitle"), prompt: text, ignoreFocusOut: true })
      : undefined;
  if (picked === answer && !words?.trim()) return;
  if (!board.others.some((other) => other.id === id))
    return void vscode.window.showInformationMessage(t("review.alreadyDecided"));
  await board.answer({ run, id, ...(words === undefined ? { act: "approve" } : { act: "say", text: words.trim() }) });
}

/** Brings the window of a waiting run to the front, with the run in view. False if no other window asks for that run. */
export async function revealElsewhere(board: QuestionBoard, run: string): Promise<boolean> {
  const question = board.others.find((other) => other.run === run);
  if (!question) return false;
  await board.answer({ run, id: question.id, act: "show" });
  if (question.window !== "")
    await vscode.commands.executeCommand("vscode.openFolder", vscode.Uri.parse(question.window), {
      forceNewWindow: true,
    });
  return true;
}
