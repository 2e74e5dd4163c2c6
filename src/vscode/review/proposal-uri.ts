import * as vscode from "vscode";
import type { NotebookProposal } from "../../core/commands/command.ts";

/** The scheme of proposed texts: the right side of a diff. */
export const PROPOSAL_SCHEME = "autogpt-proposal";

/** The scheme of texts as they were read: the left side of a diff, if the file itself can't be used. */
export const ORIGINAL_SCHEME = "autogpt-original";

/** The scheme of files as they were before a run. */
export const BEFORE_SCHEME = "autogpt-before";

/** The scheme of results that accepting an isolated run's change would write. */
export const RESULT_SCHEME = "autogpt-result";

/** Identifies a proposal of a run. `hash` covers the displayed content, so another proposal of the same step has another address. */
export interface ProposalKey {
  readonly run: string;
  readonly step: number;
  readonly hash: string;
}

/** A change of one file that is offered for review. */
export interface OfferedDiff extends ProposalKey {
  readonly uri: vscode.Uri;
  /** Path to display. */
  readonly file: string;
  /** Real path of the file. */
  readonly target: string;
  /** Absent for a new file. */
  readonly before?: string;
  readonly after: string;
  /** Title of its tab; absent for the usual one. */
  readonly title?: string;
  /** The run's title. */
  readonly name?: string;
  /** The usual title has the run's, since other runs have diffs, too. */
  readonly isNamed?: boolean;
  /** It's shown as a notebook. */
  readonly notebook?: NotebookProposal;
}

/**
 * The address of a proposed text. It uses the file's path, so that language, icon and breadcrumbs match. The same proposal always has the
 * same address.
 */
export function createProposalUri({ run, step, hash }: ProposalKey, file: string): vscode.Uri {
  const authority = `${run}.${step}.${hash.slice(0, 12)}`;
  const path = file.split(/[\\/]/).filter((part) => part !== "" && part !== "." && part !== "..");
  return vscode.Uri.from({ scheme: PROPOSAL_SCHEME, authority, path: `/${path.join("/")}` });
}

/** The address of the notebook before the change. The notebook editor needs a file, so this is one next to the proposal. */
export function createBeforeUri(proposal: vscode.Uri): vscode.Uri {
  return proposal.with({ authority: `${proposal.authority}.before` });
}

/** The address of the text before the change. */
export function createOriginalUri(proposal: vscode.Uri): vscode.Uri {
  return proposal.with({ scheme: ORIGINAL_SCHEME });
}
