import path from "node:path";
import * as vscode from "vscode";
import { omitUndefined } from "../../core/base/objects.ts";
import { cutText, escapeInvisible } from "../../core/base/text.ts";
import type { NotebookProposal } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { isNotebook } from "../../core/ports/notebooks.ts";
import { NO_THOUGHTS } from "../../core/reply/reply.ts";
import { sha256 } from "../../disk/sha256.ts";
import { restoreLineEnds } from "../../editor/review/hunks.ts";
import { unifyLineEnds } from "../../editor/review/line-ends.ts";
import { t } from "../../texts/language.ts";
import { openNotebooks } from "../workspace/open-notebooks.ts";
import { convertPathToUri } from "../workspace/places.ts";
import {
  createBeforeUri,
  createOriginalUri,
  createProposalUri,
  type OfferedDiff,
  type ProposalKey,
} from "./proposal-uri.ts";

/** Turns the preview of a change into a diff. */
export interface ProposedChange {
  readonly file: string;
  readonly target: string;
  readonly before?: string;
  readonly after: string;
}

/** A request to review a change that no model proposed, for an undo or an isolated run. */
export function createChangeRequest(step: number, change: ProposedChange) {
  return {
    step,
    hash: sha256(JSON.stringify(change)),
    proposal: { kind: "proposal", thoughts: NO_THOUGHTS, call: { name: "undo", args: {} } },
    prepared: {
      effect: "write",
      preview: { kind: "change", ...change },
      touches: [],
      fresh: async () => true,
      run: async (): Promise<Outcome> => ({ status: "done", output: "" }),
    },
  } as const;
}

export function createOfferedDiff(
  key: ProposalKey,
  { file, target, before, after }: ProposedChange,
  notebook?: NotebookProposal,
): OfferedDiff {
  const { run, step, hash } = key;
  // The source of a notebook's file is shown as the text that it is, not in the editor of notebooks.
  const uri = createProposalUri(key, isNotebook(file) && !notebook ? `${file}.json` : file);
  return {
    run,
    step,
    hash,
    uri,
    file,
    target,
    after,
    ...omitUndefined({ before, notebook }),
  };
}

/** Maximum length of a run's title in that of a tab. */
const MAX_NAME = 30;

/** The title of the diff's tab. */
export function formatDiffTitle({ file, step, before, title, name, isNamed }: OfferedDiff): string {
  if (title !== undefined) return title;
  const run = isNamed && name !== undefined ? cutText(escapeInvisible(name), MAX_NAME) : "AutoGPT";
  const about = { file: escapeInvisible(path.basename(file)), run, step };
  return before === undefined ? t("review.proposedNewTitle", about) : t("review.proposedTitle", about);
}

/** Chooses the left side: the file itself, or the text as it was read if the editor lacks the file or reads it differently. */
export async function chooseLeftSide({ uri, file: label, target, before, notebook }: OfferedDiff): Promise<vscode.Uri> {
  if (notebook) return chooseLeftNotebook(uri, target, notebook);
  if (before === undefined || isNotebook(label)) return createOriginalUri(uri);
  const file = convertPathToUri(target);
  try {
    const document = await vscode.workspace.openTextDocument(file);
    return unifyLineEnds(document.getText(), "\n") === unifyLineEnds(before, "\n") ? file : createOriginalUri(uri);
  } catch {
    return createOriginalUri(uri);
  }
}

/** The same for a notebook, whose file the editor can only have as a notebook. */
async function chooseLeftNotebook(uri: vscode.Uri, target: string, { before }: NotebookProposal): Promise<vscode.Uri> {
  const file = convertPathToUri(target);
  if (openNotebooks(target).some(({ isDirty }) => isDirty)) return createBeforeUri(uri);
  const stored = await Promise.resolve(vscode.workspace.fs.readFile(file)).catch(() => undefined);
  return stored && new TextDecoder().decode(stored) === before ? file : createBeforeUri(uri);
}

/** The proposal with the user's edits, as it would be written; undefined when it is unchanged. */
export function findEditedText(
  { before = "", after }: OfferedDiff,
  standing: string,
  lineEnd: "\n" | "\r\n",
): string | undefined {
  const text = restoreLineEnds({ text: standing, lineEnd }, after, before);
  return text === after.toWellFormed() ? undefined : text;
}
