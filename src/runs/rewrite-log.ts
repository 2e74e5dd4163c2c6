import { randomBytes } from "node:crypto";
import { copyFile, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { AgentEvent } from "../core/event.ts";
import { LOG_FILE } from "./run-log.ts";

/** Writes a migrated log in today's schema, so that new events can follow. The old log stays beside it under another name. */
export async function rewriteLog(folder: string, events: readonly AgentEvent[]): Promise<void> {
  const path = join(folder, LOG_FILE);
  const temporary = `${path}.${randomBytes(4).toString("hex")}`;
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
      await file.datasync();
    } finally {
      await file.close();
    }
    await copyFile(path, join(folder, `run.${Date.now()}.old.jsonl`));
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
