import { appendFileSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Mocha from "mocha";
import { findOnPath } from "../../src/node/processes/programs.ts";

/** What some tests need and not every system has, by the reason that is counted when it's missing. */
const NEEDS = {
  "a POSIX shell and its programs": () => process.platform !== "win32",
  "files as POSIX has them": () => process.platform !== "win32",
  Linux: () => process.platform === "linux",
  git: () => findOnPath(["git"]) !== undefined,
  links: canLink,
  // Under Wine, Node drops a response of a thousand small writes.
  "connections that keep their end": () => process.env.TEST_WINE === undefined,
  // Under Wine, changes in a folder that was renamed are reported below its old name.
  "watches that follow a renamed folder": () => process.env.TEST_WINE === undefined,
  "a disk that distinguishes names by case": () => process.platform === "linux",
} as const satisfies Record<string, () => boolean>;

let hasLinks: boolean | undefined;

/** Wine makes no links. Windows makes them for administrators, and for all in developer mode. */
function canLink(): boolean {
  hasLinks ??= process.platform !== "win32" || tryLink();
  return hasLinks;
}

function tryLink(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "autogpt-links-"));
  try {
    symlinkSync(folder, join(folder, "link"), "dir");
    return realpathSync(join(folder, "link")) === realpathSync(folder);
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The test or hook that is running. */
let current: Mocha.Runnable | undefined;
const { run } = Mocha.Runnable.prototype;
Mocha.Runnable.prototype.run = function runRecorded(this: Mocha.Runnable, ...given): void {
  current = this;
  run.apply(this, given);
};

/**
 * Skips the test that is running, or from a `before` all tests around it, if something that it needs is missing here. The file that
 * TEST_SKIPS names gets a line with the reason for each of them.
 */
export function skipWithout(...needed: readonly (keyof typeof NEEDS)[]): void {
  const missing = needed.find((what) => !NEEDS[what]());
  if (missing === undefined || !current || current.isPending()) return;
  const file = process.env.TEST_SKIPS;
  if (file !== undefined) appendFileSync(file, `${missing}\n`.repeat(countTests(current)));
  current.skip();
}

/** The tests that a skipped test or hook stands for. */
function countTests(skipped: Mocha.Runnable): number {
  return skipped.title.startsWith('"before all"') ? (skipped.parent?.total() ?? 1) : 1;
}

/** Makes a symbolic link. Without them, the test is skipped. */
export async function makeLink(...given: Parameters<typeof symlink>): Promise<void> {
  skipWithout("links");
  await symlink(...given);
}

/** Makes a symbolic link at once. */
export function makeLinkSync(...given: Parameters<typeof symlinkSync>): void {
  skipWithout("links");
  symlinkSync(...given);
}
