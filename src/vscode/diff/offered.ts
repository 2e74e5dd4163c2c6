import path from "node:path";
import * as vscode from "vscode";
import { visible } from "../../core/visible.ts";
import { withOwnLineEnds } from "./line-ends.ts";
import { withLineEnd } from "./lines.ts";
import { originalUri, type ProposalKey, proposalUri } from "./proposal-uri.ts";

/** A change of one file, up for review. */
export interface Offered extends ProposalKey {
  readonly uri: vscode.Uri;
  /** Path for people. */
  readonly file: string;
  /** Real path of the file. */
  readonly target: string;
  /** Absent: a new file. */
  readonly before?: string;
  readonly after: string;
}

/** What is offered of a change's preview. */
export interface Change {
  readonly file: string;
  readonly target: string;
  readonly before?: string;
  readonly after: string;
}

export function offered(key: ProposalKey, { file, target, before, after }: Change): Offered {
  const { run, step, hash } = key;
  const uri = proposalUri(key, file);
  return { run, step, hash, uri, file, target, after, ...(before === undefined ? {} : { before }) };
}

/** The title of the diff's tab. */
export function titleOf({ file, step, before }: Offered): string {
  const what = before === undefined ? "new file proposed" : "proposed";
  return `${visible(path.basename(file))}: ${what} by AutoGPT (step ${step})`;
}

/** Left stands the file itself, or the text as it was read where the editor has no such file or reads it otherwise. */
export async function leftOf({ uri, target, before }: Offered): Promise<vscode.Uri> {
  if (before === undefined) return originalUri(uri);
  const file = vscode.Uri.file(target);
  try {
    const document = await vscode.workspace.openTextDocument(file);
    return withLineEnd(document.getText(), "\n") === withLineEnd(before, "\n") ? file : originalUri(uri);
  } catch {
    return originalUri(uri);
  }
}

/** What the user made of a proposal, as it would be written; undefined when it stands as proposed. */
export function editedText(
  { before = "", after }: Offered,
  standing: string,
  lineEnd: "\n" | "\r\n",
): string | undefined {
  const text = withOwnLineEnds({ text: standing, lineEnd }, after, before);
  return text === after.toWellFormed() ? undefined : text;
}
