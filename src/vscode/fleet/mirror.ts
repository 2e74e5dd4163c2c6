import { constants } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { readFileText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { createLineReader } from "../../runs/log/read-log.ts";
import { LOG_FILE } from "../../runs/log/run-log.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { fail } from "../../texts/display-text.ts";

const { O_CREAT, O_NOFOLLOW = 0, O_WRONLY } = constants;

/** A copy of another machine's log, with its seals. */
interface Mirror {
  /** The events that were there when it was opened. */
  readonly events: readonly AgentEvent[];
  readLog(): Promise<string>;
  /** Stores a line, and returns its event. Throws a sentence if it isn't the next one. */
  store(line: string): Promise<AgentEvent>;
}

/**
 * Opens the copy in a folder. Several windows may keep one copy: each has read every line itself, and writes it at the line's own place,
 * where the others write the same bytes. Lines after a damaged one are read from the machine again.
 */
export async function openMirror(home: string): Promise<Mirror> {
  const path = join(home, LOG_FILE);
  await mkdir(home, { recursive: true, mode: 0o700 });
  const readLine = createLineReader();
  const events: AgentEvent[] = [];
  let whole = "";
  const text = await readFileText(path).catch(() => "");
  for (const line of text.split("\n").slice(0, -1)) {
    const event = readLine(line);
    if (!event) break;
    events.push(event);
    whole += `${line}\n`;
  }
  if (whole !== text) await replaceFile(path, whole, { private: true });
  let bytes = Buffer.byteLength(whole);
  return {
    events,
    readLog: async () => whole,
    store: async (line) => {
      const event = line.includes("\n") ? undefined : readLine(line);
      if (!event) fail("fleet.strangeRun");
      const data = Buffer.from(`${line}\n`);
      const file = await open(path, O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600);
      await file.write(data, 0, data.length, bytes).finally(() => file.close());
      bytes += data.length;
      whole += `${line}\n`;
      return event;
    },
  };
}
