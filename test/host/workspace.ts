import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** A folder that a test may change as it likes. */
export interface WorkspaceCopy {
  readonly folder: string;
  remove(): void;
}

/** Copies a folder to a temporary place under its own name, which VS Code shows. */
export function copyWorkspace(source: string): WorkspaceCopy {
  const parent = fs.mkdtempSync(path.join(os.tmpdir(), "workspace-"));
  const folder = path.join(fs.realpathSync(parent), path.basename(source));
  fs.cpSync(source, folder, { recursive: true });
  return { folder, remove: () => fs.rmSync(parent, { recursive: true, force: true, maxRetries: 5 }) };
}
