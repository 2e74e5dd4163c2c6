import { listTouchedNames, type Touch } from "../../core/commands/command.ts";
import type { ApprovalRequest } from "../../core/ports/approver.ts";
import { displayText } from "../../texts/display-text.ts";
import { findInnermostFolder, getPathBelow, isInside } from "../paths/paths.ts";
import { type Consideration, createAllowJudgment, type PolicyContext } from "./verdict.ts";

/** A call that stays in the copy of an isolated run needs no approval: the user reviews the copy before anything leaves it. */
export const judgeIsolatedCall: Consideration = (request, context) =>
  isConfinedToCopy(request, context)
    ? createAllowJudgment("rule", "isolated", displayText("isolation.policy.inside"))
    : undefined;

/** Whether a call only affects the copy of an isolated run. Command lines do, because its sandbox holds all of its programs. */
export function isConfinedToCopy(
  { prepared, proposal }: ApprovalRequest,
  { isolated, platform }: PolicyContext,
): boolean {
  if (!isolated?.commands.has(proposal.call.name)) return false;
  const { effect, hosts = [], publishes = false, onlyByUser, touches } = prepared;
  if (effect === "network" || hosts.length > 0 || publishes || onlyByUser !== undefined) return false;
  return touches.every((touch) => listTouchedNames(touch).every((path) => isInside(path, isolated.places, platform)));
}

/** Adds the names of the workspace's own files to touches, so that rules about those files also apply to their copies. */
export function addOriginNames(
  touches: readonly Touch[],
  { isolated, folders, platform }: PolicyContext,
): readonly Touch[] {
  if (!isolated) return touches;
  return touches.map((touch) => {
    const origins = listTouchedNames(touch).flatMap((path) => {
      const copy = findInnermostFolder(path, folders, platform);
      const origin = isolated.folders.find((folder) => folder.path === copy)?.origin;
      return origin === undefined ? [] : [`${origin}/${getPathBelow(path, folders, platform)}`];
    });
    return { ...touch, via: [...(touch.via ?? []), ...origins] };
  });
}
