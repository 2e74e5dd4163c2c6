import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { whenThisProcessEnds } from "./process-tree.ts";

/** A folder that a test may change as it likes. */
export interface WorkspaceCopy {
  readonly folder: string;
  remove(): void;
}

/** Copies a folder to a temporary place, until this process ends at the latest; its name, which VS Code shows, stays. */
export function copyWorkspace(source: string): WorkspaceCopy {
  const parent = fs.mkdtempSync(path.join(os.tmpdir(), "workspace-"));
  const folder = path.join(fs.realpathSync(parent), path.basename(source));
  fs.cpSync(source, folder, { recursive: true });
  const keep = whenThisProcessEnds(remove);
  function remove(): void {
    keep();
    fs.rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
  }
  return { folder, remove };
}
