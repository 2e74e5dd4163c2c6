import { baseContents } from "../../isolation/copy/base-content.ts";
import { copyChanges } from "../../isolation/copy/copy-changes.ts";
import { openCopy } from "../../isolation/copy/copy-record.ts";
import { createCopy } from "../../isolation/copy/create-copy.ts";
import { cleanCopies, removeCopy } from "../../isolation/copy/remove-copy.ts";
import { wallsFinder } from "../../isolation/walls/find-walls.ts";
import type { HostIsolation } from "./isolated-run.ts";

/** Isolation on this machine. */
export function nodeIsolation(): HostIsolation {
  return {
    walls: wallsFinder(),
    createCopy,
    openCopy,
    removeCopy,
    changes: copyChanges,
    baseContents,
    clean: cleanCopies,
  };
}
