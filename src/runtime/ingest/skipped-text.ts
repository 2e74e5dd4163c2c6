import type { SkippedFile } from "../../memory/recall/ingest-folder.ts";
import type { SkipReason } from "../../memory/recall/ingest-manifest.ts";
import { type DisplayText, displayText, type TextCode } from "../../texts/display-text.ts";

const REASONS = {
  protected: "runs.memory.skipped.protected",
  large: "runs.memory.skipped.large",
  binary: "runs.memory.skipped.binary",
  unreadable: "runs.memory.skipped.unreadable",
  empty: "runs.memory.skipped.empty",
  link: "runs.memory.skipped.link",
  full: "runs.memory.skipped.full",
} as const satisfies Readonly<Record<SkipReason, TextCode>>;

/** Groups files that weren't added by reason, for people. */
export function groupSkippedByReason(
  skipped: readonly SkippedFile[],
): readonly { readonly reason: DisplayText; readonly files: readonly SkippedFile[] }[] {
  const groups = Map.groupBy(skipped, ({ reason }) => reason);
  return [...groups].map(([reason, files]) => ({ reason: displayText(REASONS[reason]), files }));
}
