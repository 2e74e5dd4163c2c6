import { rmSync } from "node:fs";
import { access, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { hasSucceeded } from "../../core/base/async.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { isProcessAlive } from "../../node/processes/process-tree.ts";
import { fail } from "../../texts/display-text.ts";

const LOOK_MS = 200;
/** A window with unsaved files asks its user, which can take a while. */
const CLOSE_MS = 15_000;

/** The folder for the marks of windows, beside the copies: what a run writes into its copy means nothing here. */
function getMarkPath(copies: string, run: string, kind: "open" | "close"): string {
  return join(dirname(copies), "copy-windows", `${run}.${kind}`);
}

/** Marks that a window of this process has the copy of a run open. */
export async function markCopyWindow(copies: string, run: string, pid = process.pid): Promise<void> {
  await rm(getMarkPath(copies, run, "close"), { force: true });
  await replaceFile(getMarkPath(copies, run, "open"), String(pid), { private: true, makeFolder: true });
}

/** Removes the mark. It waits for nothing, because the process is about to end. */
export function removeWindowMark(copies: string, run: string): void {
  rmSync(getMarkPath(copies, run, "open"), { force: true });
}

/** True while a window has the copy of a run open. A window whose process has ended has closed. */
export async function isCopyWindowOpen(copies: string, run: string): Promise<boolean> {
  const pid = Number(await readFileText(getMarkPath(copies, run, "open")).catch(() => ""));
  return Number.isSafeInteger(pid) && pid > 0 && isProcessAlive(pid);
}

/** True once the window must close: it was asked to, or its copy is gone. */
export async function mustCopyWindowClose(copies: string, run: string): Promise<boolean> {
  if (await hasSucceeded(access(getMarkPath(copies, run, "close")))) return true;
  return !(await hasSucceeded(access(join(copies, run))));
}

/** Asks the window that has a copy open to close, and waits for that. Throws a sentence if it stays open. */
export async function closeCopyWindow(copies: string, run: string, patienceMs = CLOSE_MS): Promise<void> {
  const close = getMarkPath(copies, run, "close");
  try {
    for (let waited = 0; await isCopyWindowOpen(copies, run); waited += LOOK_MS) {
      if (waited === 0) await replaceFile(close, "", { private: true, makeFolder: true });
      if (waited >= patienceMs) fail("isolation.copyOpen");
      await sleep(LOOK_MS);
    }
    await rm(getMarkPath(copies, run, "open"), { force: true });
  } finally {
    await rm(close, { force: true });
  }
}
