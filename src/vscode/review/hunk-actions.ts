import * as vscode from "vscode";
import { assertNever } from "../../core/base/errors.ts";
import {
  dropHunk,
  findDroppedHunks,
  findHunks,
  findLineBeside,
  keepHunk,
  restoreHunk,
} from "../../editor/review/hunks.ts";
import { t } from "../../texts/language.ts";
import { createSmallestEdit } from "../workspace/text-edits.ts";
import { type OfferedDiff, PROPOSAL_SCHEME } from "./proposal-uri.ts";

/** A choice for one hunk: remove it, restore it, or remove all others. */
export type HunkAction = "drop" | "restore" | "keep";

/** Changes the hunk at a line of a diff, or at its cursor, as a single edit that can be undone. */
export async function applyHunkAction(
  proposal: OfferedDiff | undefined,
  action: HunkAction,
  line?: number,
): Promise<void> {
  const editor = proposal && findEditor(proposal);
  if (!editor) {
    void vscode.window.showInformationMessage(proposal?.notebook ? t("review.notebookHunks") : t("review.noProposal"));
    return;
  }
  const { document } = editor;
  const { before = "", after } = proposal;
  const at = line ?? findCursorLine(editor, before);
  const wanted = computeTextAfter(action, { before, after, current: document.getText() }, at);
  if (wanted === undefined) {
    void vscode.window.showInformationMessage(action === "restore" ? t("review.nothingToRestore") : t("review.noHunk"));
    return;
  }
  const { range, newText } = createSmallestEdit(document, wanted);
  await editor.edit((builder) => builder.replace(range, newText));
}

function computeTextAfter(
  action: HunkAction,
  { before, after, current }: { readonly before: string; readonly after: string; readonly current: string },
  line: number,
): string | undefined {
  switch (action) {
    case "drop":
      return dropHunk(before, current, line);
    case "keep":
      return keepHunk(before, current, line);
    case "restore":
      return restoreHunk(after, current, line);
    default:
      return assertNever(action);
  }
}

function findEditor({ uri }: OfferedDiff): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
}

/** The line of the cursor in the proposal, even if the cursor is on the left side. */
function findCursorLine(editor: vscode.TextEditor, before: string): number {
  const focused = vscode.window.activeTextEditor;
  if (!focused || focused.document === editor.document) return editor.selection.active.line;
  return findLineBeside(before, editor.document.getText(), focused.selection.active.line);
}

/** An action at a hunk's own lines. */
interface HunkButton {
  readonly title: string;
  readonly command: string;
  readonly action: HunkAction;
  /** The first line of the hunk, from 0, and the line after its last. */
  readonly start: number;
  readonly end: number;
}

function listHunkButtons({ before = "", after, notebook }: OfferedDiff, current: string): readonly HunkButton[] {
  if (notebook) return [];
  const own = findHunks(before, current);
  const standing = own.flatMap(({ right: { start, end } }): HunkButton[] => [
    { title: t("review.dropHunkButton"), command: "autogpt.dropHunk", action: "drop", start, end },
    ...(own.length > 1
      ? [
          {
            title: t("review.keepHunkButton"),
            command: "autogpt.keepHunk",
            action: "keep",
            start,
            end,
          } as const,
        ]
      : []),
  ]);
  const gone = findDroppedHunks(before, after, current).map(
    ({ start, end }): HunkButton => ({
      title: t("review.restoreHunkButton"),
      command: "autogpt.restoreHunk",
      action: "restore",
      start,
      end,
    }),
  );
  return [...standing, ...gone];
}

/**
 * Offers to drop, keep or restore each hunk of a proposal in place: as code actions (light bulb, Ctrl+.), and as code lenses where
 * `diffEditor.codeLens` is on.
 */
export function offerHunkButtons(
  find: (uri: vscode.Uri) => OfferedDiff | undefined,
  changed: vscode.Event<void>,
): vscode.Disposable {
  const scheme = { scheme: PROPOSAL_SCHEME };
  const listButtonsForDocument = (document: vscode.TextDocument): readonly HunkButton[] => {
    const proposal = find(document.uri);
    return proposal ? listHunkButtons(proposal, document.getText()) : [];
  };
  const createCommand = ({ title, command, start }: HunkButton): vscode.Command => ({
    title,
    command,
    arguments: [{ line: start }],
  });
  const lenses: vscode.CodeLensProvider = {
    onDidChangeCodeLenses: changed,
    provideCodeLenses: (document) =>
      listButtonsForDocument(document).map(
        (button) => new vscode.CodeLens(new vscode.Range(button.start, 0, button.start, 0), createCommand(button)),
      ),
  };
  const actions: vscode.CodeActionProvider = {
    provideCodeActions: (document, range) =>
      listButtonsForDocument(document)
        .filter(({ start, end }) => range.start.line < Math.max(end, start + 1) && range.end.line >= start)
        .map((button) => ({
          title: button.title,
          kind: vscode.CodeActionKind.QuickFix,
          command: createCommand(button),
        })),
  };
  return vscode.Disposable.from(
    vscode.languages.registerCodeLensProvider(scheme, lenses),
    vscode.languages.registerCodeActionsProvider(scheme, actions, {
      providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
    }),
  );
}

/** The line that a hunk's button passed to an action. */
export function findHunkLine(given: unknown): number | undefined {
  if (typeof given !== "object" || given === null || !("line" in given)) return undefined;
  return typeof given.line === "number" ? given.line : undefined;
}
