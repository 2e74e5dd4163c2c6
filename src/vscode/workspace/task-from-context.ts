import * as vscode from "vscode";
import { fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { demandInBounds } from "./mentions.ts";

const MAX_SELECTION = 8_000;

/** A task from the user's context: a problem in an editor, files in the explorer, or the selection with a request. */
export async function createTaskFromContext(
  target: unknown,
  second: unknown,
  third: unknown,
): Promise<string | undefined> {
  if (target instanceof vscode.Uri && second instanceof vscode.Range && isDiagnostics(third)) {
    await demandInBounds([target]);
    return fixTask(target, third);
  }
  return askForWish(await findUserContext(target, second));
}

/** Subject of a request: a text for its task, and what to ask the user. */
interface About {
  /** Placed before the request, or after it if long. */
  readonly context: string;
  readonly isLong?: boolean;
  readonly question: "start.askAboutFile" | "start.askAboutFiles" | "start.askAboutSelection";
}

/** Files from the explorer, which passes all selected ones; otherwise the selection in the editor, whose menu passes the editor's file. */
export async function findUserContext(target: unknown, chosen: unknown): Promise<About> {
  const editor = vscode.window.activeTextEditor;
  const isEditors = !Array.isArray(chosen) && String(target) === String(editor?.document.uri);
  const files = isEditors ? [] : selectFiles(target, chosen);
  if (files.length > 0) return describeFiles(files);
  if (!editor) fail("start.noContext");
  return describeSelection(editor);
}

async function describeFiles(files: readonly vscode.Uri[]): Promise<About> {
  await demandInBounds(files);
  return {
    context: `In ${files.map((file) => getRelativePath(file)).join(", ")}:`,
    question: files.length === 1 ? "start.askAboutFile" : "start.askAboutFiles",
  };
}

async function describeSelection({ document, selection }: vscode.TextEditor): Promise<About> {
  await demandInBounds([document.uri]);
  const text = document.getText(selection).slice(0, MAX_SELECTION);
  const lines = `${getRelativePath(document.uri)}, lines ${selection.start.line + 1} to ${selection.end.line + 1}`;
  return text === ""
    ? { context: `In ${getRelativePath(document.uri)}:`, question: "start.askAboutFile" }
    : {
        context: `This is about ${lines}:\n\`\`\`\n${text}\n\`\`\``,
        isLong: true,
        question: "start.askAboutSelection",
      };
}

function fixTask(uri: vscode.Uri, diagnostics: readonly vscode.Diagnostic[]): string {
  const problems = diagnostics.map((found) => `- line ${found.range.start.line + 1}: ${found.message}`).join("\n");
  return `Fix these problems in ${getRelativePath(uri)} and check that they are gone:\n${problems}`;
}

async function askForWish({ context, isLong, question }: About): Promise<string | undefined> {
  const wish = await vscode.window.showInputBox({
    title: t("start.startOnSelection"),
    prompt: t(question),
    placeHolder: t("start.askWishPlaceholder"),
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? t("start.emptyTask") : undefined),
  });
  if (wish === undefined) return undefined;
  return isLong ? `${wish.trim()}\n\n${context}` : `${context} ${wish.trim()}`;
}

function getRelativePath(uri: vscode.Uri): string {
  return vscode.workspace.asRelativePath(uri);
}

/** The explorer passes the clicked file and all selected ones. */
function selectFiles(target: unknown, selected: unknown): readonly vscode.Uri[] {
  const all = Array.isArray(selected) ? selected.filter((item) => item instanceof vscode.Uri) : [];
  if (all.length > 0) return all;
  return target instanceof vscode.Uri ? [target] : [];
}

function isDiagnostics(value: unknown): value is readonly vscode.Diagnostic[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => item instanceof vscode.Diagnostic);
}
