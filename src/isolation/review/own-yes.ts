import { dirname, isAbsolute, resolve } from "node:path";
import { visible } from "../../core/base/text.ts";
import { spellingProblem } from "../../node/files/path-resolution.ts";
import { isAtOrBelow } from "../../node/files/real-path.ts";
import { type Platform, segments } from "../../safety/paths/paths.ts";
import { protectionOf } from "../../safety/paths/sensitive.ts";
import { hasExecutableBit, type ThreeVersions } from "./merge-versions.ts";
import { isBinary } from "./three-way.ts";
import { HUGE_BYTES } from "./versions.ts";

/** Why the user accepts a change on its own: it steers programs, can't be read as text, or leads elsewhere. */
export type OwnYes = "protected" | "link" | "mode" | "binary" | "huge" | "name" | "outside";

/** The path of a change, in the folder and on the disk. */
export interface ChangePlace {
  /** Relative to the folder, with slashes. */
  readonly file: string;
  /** Absolute path in the workspace. */
  readonly path: string;
  /** The workspace folders. */
  readonly origins: readonly string[];
  readonly platform: Platform;
}

/** The reasons why a change isn't accepted along with others. */
export function ownYesOf(place: ChangePlace, { base, mine, theirs }: ThreeVersions): readonly OwnYes[] {
  const { path, file, origins, platform } = place;
  const gone = theirs.state.kind !== "file" && theirs.state.kind !== "link";
  const isProtected = protectionOf({ path, how: gone ? "delete" : "write" }, origins, platform) !== undefined;
  const isLink = theirs.state.kind === "link" || mine.state.kind === "link";
  const target = theirs.state.kind === "link" ? theirs.state.to : undefined;
  const before = base.state.kind === "file" ? base.state : mine.state;
  const isModeChanged =
    before.kind === "file" &&
    theirs.state.kind === "file" &&
    hasExecutableBit(before.mode) !== hasExecutableBit(theirs.state.mode);
  return [
    ...(isProtected ? (["protected"] as const) : []),
    ...(isLink ? (["link"] as const) : []),
    ...([path, target].some((one) => one !== undefined && leadsOut(one, place))
      ? (["outside"] as const)
      : []),
    ...(isModeChanged ? (["mode"] as const) : []),
    ...(theirs.content && isBinary(theirs.content) ? (["binary"] as const) : []),
    ...(theirs.state.kind === "file" && theirs.state.bytes > HUGE_BYTES ? (["huge"] as const) : []),
    ...(isOddName(file) ? (["name"] as const) : []),
  ];
}

function leadsOut(target: string, { path, origins }: ChangePlace): boolean {
  const to = isAbsolute(target) ? target : resolve(dirname(path), target);
  return !origins.some((origin) => isAtOrBelow(to, origin));
}

/** True for a name that looks like another, is a flag to programs, or means something else on another system. */
function isOddName(file: string): boolean {
  const isFlag = /(?:^|\/)[-~]/.test(file);
  return isFlag || visible(file) !== file || spellingProblem(file, true) !== undefined || file.includes("\\");
}

/** True for a name that is never written: it isn't text, it leaves the folder, is part of a repository's own data, or no name here. */
export function isForbiddenName(file: string, platform: Platform): boolean {
  if (!file.isWellFormed()) return true;
  const names = file.split("/");
  if (names.some((name) => name === "" || name === "." || name === "..")) return true;
  if (segments(file).some((name) => name === ".git" || /^git~\d+$/.test(name))) return true;
  if (platform === "win32" && file.includes("\\")) return true;
  return spellingProblem(file, platform === "win32")?.mayExist === false;
}
