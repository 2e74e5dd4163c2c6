import { dirname, isAbsolute, resolve } from "node:path";
import { isAtOrBelow } from "../../disk/below.ts";
import { findSpellingProblem } from "../../node/files/path-resolution.ts";
import { listSegmentsBelow, type Platform, splitPathSegments } from "../../safety/paths/paths.ts";
import { findProtection, findSteeringReason } from "../../safety/paths/sensitive.ts";
import type { ReviewRow } from "../../schema/review-page.ts";
import { listAddedManifestLines } from "./manifests.ts";
import { hasExecutableBit, type ThreeVersions } from "./merge-versions.ts";
import { isOddName } from "./odd-names.ts";
import { isSelfRunningChange } from "./self-running.ts";
import { isBinary } from "./three-way.ts";
import { HUGE_BYTES } from "./versions.ts";

/** Why a change needs the user's separate approval: it controls programs, isn't readable as text, or leads elsewhere. */
type OwnYes = Exclude<NonNullable<ReviewRow["own"]>[number], "refused" | "conflict">;

/** The reasons for a separate approval, and the lines of a manifest that are the reason. */
export interface OwnYesReasons {
  readonly ownYes: readonly OwnYes[];
  readonly ownLines: readonly string[];
}

/** The path of a change, in the folder and on the disk. */
export interface ChangePlace {
  /** Relative to the folder, with slashes. */
  readonly file: string;
  /** Absolute path in the workspace. */
  readonly path: string;
  /** The workspace folders. */
  readonly origins: readonly string[];
  readonly platform: Platform;
  /** Its name looks like another one. */
  readonly isLookAlike: boolean;
  /** The user's git settings name the file as a program or a script, or include settings from it. */
  readonly isRunByGit: boolean;
}

/** Judges why a change must be accepted separately. */
export function judgeOwnYes(place: ChangePlace, versions: ThreeVersions): OwnYesReasons {
  const { base, mine, theirs } = versions;
  const { path, file, origins, platform } = place;
  const gone = theirs.state.kind !== "file" && theirs.state.kind !== "link";
  const isProtected = findProtection({ path, how: gone ? "delete" : "write" }, origins, platform) !== undefined;
  const isSteering = !isProtected && findSteeringReason(listSegmentsBelow(path, origins, platform)) !== undefined;
  const texts = [(base.content ?? mine.content)?.toString("utf8"), theirs.content?.toString("utf8") ?? ""] as const;
  const lines = (theirs.content && listAddedManifestLines(file, ...texts)) ?? [];
  const isInstalling = lines.some(({ isInstalled }) => isInstalled);
  const isRunning = theirs.content !== undefined && !isInstalling && isSelfRunningChange(file, ...texts);
  const isLink = theirs.state.kind === "link" || mine.state.kind === "link";
  const target = theirs.state.kind === "link" ? theirs.state.to : undefined;
  const before = base.state.kind === "file" ? base.state : mine.state;
  const isExecutable = before.kind !== "file" && theirs.state.kind === "file" && hasExecutableBit(theirs.state.mode);
  const isModeChanged =
    before.kind === "file" &&
    theirs.state.kind === "file" &&
    hasExecutableBit(before.mode) !== hasExecutableBit(theirs.state.mode);
  const ownYes: readonly OwnYes[] = [
    ...(isProtected ? (["protected"] as const) : []),
    ...(isSteering ? (["steers"] as const) : []),
    ...(isInstalling ? (["installs"] as const) : []),
    ...(lines.some(({ isInstalled }) => !isInstalled) ? (["scripts"] as const) : []),
    ...(isRunning ? (["runs"] as const) : []),
    ...(place.isRunByGit ? (["git"] as const) : []),
    ...(isLink ? (["link"] as const) : []),
    ...([path, target].some((one) => one !== undefined && isLinkOutside(one, place)) ? (["outside"] as const) : []),
    ...(isExecutable ? (["executable"] as const) : []),
    ...(isModeChanged ? (["mode"] as const) : []),
    ...(theirs.content && isBinary(theirs.content) ? (["binary"] as const) : []),
    ...(theirs.state.kind === "file" && theirs.state.bytes > HUGE_BYTES ? (["huge"] as const) : []),
    ...(isOddName(file) || place.isLookAlike ? (["name"] as const) : []),
  ];
  return { ownYes, ownLines: lines.map(({ text }) => text) };
}

function isLinkOutside(target: string, { path, origins }: ChangePlace): boolean {
  const to = isAbsolute(target) ? target : resolve(dirname(path), target);
  return !origins.some((origin) => isAtOrBelow(to, origin));
}

/** True for a name that is never written: invalid text, outside the folder, git's own data, or invalid on this platform. */
export function isForbiddenName(file: string, platform: Platform): boolean {
  if (!file.isWellFormed()) return true;
  const names = file.split("/");
  if (names.some((name) => name === "" || name === "." || name === "..")) return true;
  if (splitPathSegments(file).some((name) => name === ".git" || /^git~\d+$/.test(name))) return true;
  if (platform === "win32" && file.includes("\\")) return true;
  return findSpellingProblem(file, platform === "win32")?.mayExist === false;
}
