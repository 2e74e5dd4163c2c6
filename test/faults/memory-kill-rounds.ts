import { spawn } from "node:child_process";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { LocalIndex } from "vectra";
import { openMemory } from "../../src/memory/open-memory.ts";
import { inEnglish } from "../../src/texts/display-text.ts";
import { bundleProgram } from "../support/bundle-program.ts";
import { listed } from "../support/listed.ts";
import { shippedTable, TABLE_FILE } from "../support/shipped-table.ts";

/** What became of the memories of several writers, each of which was killed. */
export interface KillTally {
  readonly rounds: number;
  /** Memories whose keeping or removal was acknowledged. */
  readonly acknowledged: number;
  /** Of those: kept but gone or changed, or removed but there. */
  readonly lost: number;
  /** Memories that could not be opened, or said that something is damaged, and indexes that stock Vectra could not read. */
  readonly unreadable: number;
}

const WRITER = new URL("memory-writer.ts", import.meta.url);
const STARTED_MS = 15_000;

/** Kills a writer at a random moment, again and again on the same folder, and looks each time whether all is there. */
export async function killRounds(folder: string, rounds: number): Promise<KillTally> {
  const programs = await fs.mkdtemp(path.join(os.tmpdir(), "memory-writer-"));
  try {
    return await tallyOf(folder, rounds, await bundleProgram(programs, WRITER));
  } finally {
    await fs.rm(programs, { recursive: true, force: true });
  }
}

async function tallyOf(folder: string, rounds: number, writer: string): Promise<KillTally> {
  const kept = new Map<string, string>();
  const removed = new Set<string>();
  let [lost, unreadable] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    for (const line of await killedWriter(writer, folder, round)) {
      if (line.added !== undefined) kept.set(line.added, line.text ?? "");
      if (line.removed !== undefined) removed.add(line.removed);
    }
    try {
      lost += await missing(folder, kept, removed);
      unreadable += await unreadableIndexes(folder);
    } catch {
      unreadable++;
    }
  }
  return { rounds, acknowledged: kept.size + removed.size, lost, unreadable };
}

interface Line {
  readonly added?: string;
  readonly text?: string;
  readonly removed?: string;
}

async function killedWriter(writer: string, folder: string, round: number): Promise<readonly Line[]> {
  const args = [writer, folder, String(round), fileURLToPath(TABLE_FILE)];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let output = "";
  const ended = new Promise((resolve) => child.once("close", resolve));
  const started = new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      resolve();
    });
  });
  await Promise.race([started, ended, pause(STARTED_MS, undefined, { ref: false })]);
  await pause(Math.random() * 250);
  child.kill("SIGKILL");
  await ended;
  return output
    .split("\n")
    .slice(0, -1)
    .map((line): Line => JSON.parse(line));
}

async function missing(
  folder: string,
  kept: ReadonlyMap<string, string>,
  removed: ReadonlySet<string>,
): Promise<number> {
  const store = await openMemory({ folder, embedder: shippedTable(), segmentSize: 16 });
  const texts = new Map((await listed(store.all())).map(({ id, text }) => [id, text]));
  const { notices } = store.state;
  await store.close();
  if (notices.length > 0) throw new Error(notices.map(inEnglish).join(" "));
  const wrong = [...kept].filter(([id, text]) => !removed.has(id) && texts.get(id) !== text);
  return wrong.length + [...removed].filter((id) => texts.has(id)).length;
}

async function unreadableIndexes(folder: string): Promise<number> {
  let unreadable = 0;
  for (const name of await fs.readdir(folder)) {
    if (!name.startsWith("seg-")) continue;
    const index = new LocalIndex(path.join(folder, name));
    try {
      if (await index.isIndexCreated()) await index.listItems();
    } catch {
      unreadable++;
    }
  }
  return unreadable;
}
