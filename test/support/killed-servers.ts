import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { SharedLog } from "../../src/memory/shared/shared-log.ts";
import { MemoryError } from "../../src/memory/store/memory-error.ts";
import { writeInEnglish } from "../../src/texts/display-text.ts";
import { sharedNote } from "../contract/shared-log.contract.ts";

/** A server that can be killed as a power failure does, and started again. */
export interface KillableServer {
  kill(): Promise<void>;
  start(): Promise<void>;
}

/**
 * Kills a server at random moments while two writers append, each of which repeats what wasn't acknowledged. Returns what a reader finds in
 * the end: acknowledged notes that are lost, and notes that are there twice.
 */
async function writeWhileKilled(
  server: KillableServer,
  open: (author: string) => SharedLog,
  { kills, mostMs }: { readonly kills: number; readonly mostMs: number },
): Promise<{
  readonly kills: number;
  readonly lost: number;
  readonly doubled: number;
  readonly written: number;
}> {
  let writing = true;
  const acknowledged = new Set<string>();
  const write = async (author: string): Promise<void> => {
    const log = open(author);
    for (let turn = 0; writing; turn++) {
      const notes = [0, 1, 2].map((part) => sharedNote(`${author} ${turn}.${part}`));
      await untilDone(() => log.append(notes));
      for (const { text } of notes) acknowledged.add(text);
      await pause(2);
    }
    await log.close();
  };
  const writers = [write("Ada"), write("Bob")];
  for (let kill = 0; kill < kills; kill++) {
    await pause(Math.random() * mostMs);
    await server.kill();
    await server.start();
  }
  writing = false;
  await Promise.all(writers);
  const found = await countsIn(open("Reader"));
  return {
    kills,
    lost: [...acknowledged].filter((text) => !found.has(text)).length,
    doubled: [...found.values()].filter((count) => count > 1).length,
    written: acknowledged.size,
  };
}

/** How often a server is killed that must lose and double nothing. */
export const KILLS = 50;

/** Fails if a server loses or doubles a note while it's killed again and again, or if hardly any were written. */
export async function losesNothing(
  server: KillableServer,
  open: (author: string) => SharedLog,
  { name, mostMs, least }: { readonly name: string; readonly mostMs: number; readonly least: number },
): Promise<void> {
  const found = await writeWhileKilled(server, open, { kills: KILLS, mostMs });
  console.log(`      ${name}: ${JSON.stringify(found)}`);
  assert.deepEqual(
    { lost: found.lost, doubled: found.doubled, wrote: found.written > least },
    { lost: 0, doubled: 0, wrote: true },
  );
}

async function untilDone(act: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await act();
    } catch {
      await pause(20);
    }
  }
}

/** How often each text is in a log. */
async function countsIn(log: SharedLog): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (let cursor: string | undefined; ; ) {
    const page = await log.pull({ limit: 500, ...(cursor === undefined ? {} : { after: cursor }) });
    for (const change of page.changes)
      if (change.type === "added") counts.set(change.item.text, (counts.get(change.item.text) ?? 0) + 1);
    ({ cursor } = page);
    if (!page.isFull) break;
  }
  await log.close();
  return counts;
}

/** The sentence of the error that an operation throws, or "none". */
export async function refusal(act: () => Promise<unknown>): Promise<string> {
  try {
    await act();
    return "none";
  } catch (error) {
    return error instanceof MemoryError ? writeInEnglish(error.text) : String(error);
  }
}
