import { saveRuleFor } from "../../safety/policy/with-policy.ts";
import type { CardButton } from "../../schema/card-buttons.ts";
import { fail } from "../../texts/display-text.ts";
import { type PendingDecisions, type PendingProposal, showWhole, type WholeViewers } from "./pending-decisions.ts";

/** Input of the user before a button of the card was pressed. */
export interface CardInput {
  /** How many commands to approve, including this one. */
  readonly count?: number;
  /** Why the proposal is rejected. */
  readonly feedback?: string;
  /** The edited arguments. */
  readonly args?: Readonly<Record<string, unknown>>;
}

/** The files of a window with edits that aren't saved. */
export interface UnsavedFiles {
  /** Real paths of unsaved files below folders. */
  listUnsavedBelow(folders: readonly string[]): readonly string[];
  /** Saves a file as the user's own key does; false when that isn't possible. */
  save(path: string): Promise<boolean>;
  /** Saves the editor's text unchanged, without anything that runs on saving. Throws a sentence. */
  saveAsIs(path: string): Promise<void>;
}

/** Real paths of unsaved files, whose edits a proposal's program wouldn't see. */
export function listUnsavedFiles({ hosted, request }: PendingProposal, files: UnsavedFiles): readonly string[] {
  return request.prepared.effect === "run" ? files.listUnsavedBelow(hosted.policy?.listFolders() ?? []) : [];
}

/** Dependencies of the card's buttons. */
export interface CardHandlerDependencies extends WholeViewers {
  readonly files: UnsavedFiles;
  /** Asks a model to review the proposal. */
  criticise(pending: PendingProposal): Promise<void>;
}

type CardHandler = (parts: CardHandlerDependencies, pending: PendingProposal, input: CardInput) => Promise<void>;

/** The effect of each button on the card's proposal. */
export const CARD_HANDLERS: Readonly<Record<CardButton, CardHandler>> = {
  saveAndApprove: async ({ waits, files }, pending) => {
    waits.demandSeen(pending.request);
    for (const path of listUnsavedFiles(pending, files)) await files.saveAsIs(path);
    await waits.approve(pending);
  },
  approve: ({ waits }, pending) => waits.approve(pending),
  approveNext: ({ waits }, pending, { count = 1 }) => waits.approve(pending, { count }),
  refuse: ({ waits }, pending, { feedback = "" }) => waits.refuse(pending, feedback),
  editArguments: async (_parts, { live, request }, { args }) => {
    if (args) await live.decide(request.step, { allow: true, args });
  },
  criticise: ({ criticise }, pending) => criticise(pending),
  review: ({ diff }, { hosted, request }) => diff.reveal(hosted.id, request.step),
  openWhole: (parts, pending) => showWhole(parts, pending),
  saveAndReviewAgain: async ({ files }, { live, request }) => {
    const { preview } = request.prepared;
    if (preview.kind === "change" && !(await files.save(preview.target))) fail("approval.saveFailed");
    live.showAgain();
  },
  alwaysAllow: async ({ waits }, pending) => {
    if (!pending.hosted.policy) return;
    waits.demandSeen(pending.request);
    await saveRuleFor(pending.request, pending.hosted.policy);
    await waits.approve(pending);
  },
};

/** Handles a button of a card, only if the proposal that the card shows is still pending. */
export async function pressCardButton(
  parts: CardHandlerDependencies,
  run: PendingProposal["hosted"],
  request: { readonly button: CardButton; readonly step: number; readonly hash: string } & CardInput,
): Promise<void> {
  const waits: PendingDecisions = parts.waits;
  await CARD_HANDLERS[request.button](parts, waits.requireShown(run, request.step, request.hash), request);
}
