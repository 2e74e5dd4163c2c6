import { baseContents } from "../../isolation/copy/base-content.ts";
import { copyChanges } from "../../isolation/copy/copy-changes.ts";
import { openCopy } from "../../isolation/copy/copy-record.ts";
import { createCopy } from "../../isolation/copy/create-copy.ts";
import { cleanCopies, heldBytes, removeCopy } from "../../isolation/copy/remove-copy.ts";
import { wallsFinder } from "../../isolation/walls/find-walls.ts";
import type { HostIsolation } from "./isolated-run.ts";

/** Isolation on this machine. `copyWorker` is `copy-worker.ts`, or its bundle. */
export function nodeIsolation(copyWorker: string | URL): HostIsolation {
  return {
    walls: wallsFinder(),
    createCopy: (wanted) => createCopy({ ...wanted, worker: copyWorker }),
    openCopy,
    removeCopy,
    heldBytes,
    changes: copyChanges,
    baseContents,
    clean: cleanCopies,
  };
}
