import * as vscode from "vscode";
import { omitUndefined } from "../../core/base/objects.ts";
import { isUriPath } from "../../core/base/uri-path.ts";
import { findUnsavedFileText } from "../../core/ports/unsaved-texts.ts";
import { readFileBytes } from "../../disk/plain-file.ts";
import { sha256 } from "../../disk/sha256.ts";
import type { HostedRun } from "../../editor/panel/hosted-runs.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { createPreImages } from "../../runs/undo/pre-images.ts";
import type { Conflict } from "../../runs/undo/undo.ts";
import { settleConflict } from "../../runtime/run-undo.ts";
import { t } from "../../texts/language.ts";
import { unsavedTexts } from "../workspace/unsaved-texts.ts";
import { editorFiles } from "../workspace/virtual-files.ts";
import type { DiffReview } from "./diff-review.ts";
import { createChangeRequest } from "./offered-change.ts";

/**
 * Shows each conflict of an undo as a diff: the file on the left, the undone version on the right. The user edits and applies that version,
 * or keeps the file.
 */
export async function reviewConflicts(
  diff: DiffReview,
  hosted: HostedRun,
  conflicts: readonly Conflict[],
): Promise<void> {
  for (const conflict of conflicts) {
    const texts = await loadConflictTexts(hosted, conflict);
    if (texts) await reviewConflict(diff, hosted, conflict, texts);
  }
}

interface Texts {
  /** Undefined for no file. */
  readonly now?: string;
  readonly target?: string;
}

async function reviewConflict(
  diff: DiffReview,
  hosted: HostedRun,
  conflict: Conflict,
  { now, target }: Texts,
): Promise<void> {
  const place = `${hosted.id}/undo/${sha256(conflict.path).slice(0, 12)}`;
  const after = target ?? "";
  const change = {
    file: conflict.file,
    target: conflict.path,
    ...omitUndefined({ before: now }),
    after,
  };
  await diff.offer(place, createChangeRequest(conflict.step, change), { auto: false });
  await diff.reveal(place, conflict.step);
  const take = t(target === undefined ? "review.deleteFileButton" : "review.useRightSideButton");
  const answer = await vscode.window.showWarningMessage(
    formatDisplayLine(t("review.notUndone", { file: conflict.file, why: conflict.why, step: conflict.step })),
    take,
    t("review.keepCurrentButton"),
  );
  const accepted = diff.findAcceptedText(place, conflict.step);
  try {
    if (answer === take)
      await settleConflict(hosted, conflict, accepted === undefined ? encodeText(target) : encodeText(accepted));
  } finally {
    await diff.withdraw(place, conflict.step);
  }
}

function encodeText(text: string | undefined): Buffer | undefined {
  return text === undefined ? undefined : Buffer.from(text);
}

/** Both texts of a conflict; undefined when one of them isn't available or isn't text. */
async function loadConflictTexts(hosted: HostedRun, { path, now, target }: Conflict): Promise<Texts | undefined> {
  const isText = (state: Conflict["now"]): boolean => state.kind === "file" || state.kind === "missing";
  if (!isText(now) || !isText(target)) return undefined;
  try {
    const edited = findUnsavedFileText(unsavedTexts, path)?.read().file.text;
    const left = now.kind === "file" ? (edited ?? decodeUtf8(await loadBytes(path))) : undefined;
    const right = target.kind === "file" ? decodeUtf8(await createPreImages(hosted.home).read(target.hash)) : undefined;
    const texts = {
      ...omitUndefined({ now: left, target: right }),
    };
    return [left, right].some((text) => text?.includes("\0")) ? undefined : texts;
  } catch {
    return undefined;
  }
}

async function loadBytes(path: string): Promise<Uint8Array> {
  return isUriPath(path) ? editorFiles.read(path) : readFileBytes(path);
}

/** Throws for bytes that aren't UTF-8, because they would change when written back. */
function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}
