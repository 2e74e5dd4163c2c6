import { readBaseContents } from "../../isolation/copy/base-content.ts";
import { listCopyChanges } from "../../isolation/copy/copy-changes.ts";
import { openCopy } from "../../isolation/copy/copy-record.ts";
import { createCopy } from "../../isolation/copy/create-copy.ts";
import { cleanCopies, removeCopy, sumCopyBytes } from "../../isolation/copy/remove-copy.ts";
import { createWallsFinder } from "../../isolation/walls/find-walls.ts";
import type { HostIsolation } from "./isolated-run.ts";

/** Isolation on this machine. `copyWorker` is `copy-worker.ts`, or its bundle. */
export function createNodeIsolation(copyWorker: string | URL): HostIsolation {
  return {
    findWalls: createWallsFinder(),
    createCopy: (wanted) => createCopy({ ...wanted, worker: copyWorker }),
    openCopy,
    removeCopy,
    countHeldBytes: sumCopyBytes,
    listChanges: listCopyChanges,
    readBaseContents,
    clean: cleanCopies,
  };
}
