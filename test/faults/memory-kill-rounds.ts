import { spawn } from "node:child_process";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { LocalIndex } from "vectra";
import { getErrorMessage } from "../../src/core/base/errors.ts";
import { openMemory } from "../../src/memory/open-memory.ts";
import { writeInEnglish } from "../../src/texts/display-text.ts";
import { bundleProgram } from "../support/bundle-program.ts";
import { listed } from "../support/listed.ts";
import { shippedTable, TABLE_FILE } from "../support/shipped-table.ts";

/** What became of the memories of several writers, each of which was killed. */
export interface KillTally {
  readonly rounds: number;
  /** Memories whose keeping or removal was acknowledged. */
  readonly acknowledged: number;
  /** Of those: kept but gone or changed, or removed but there, each counted once. */
  readonly lost: number;
  /**
   * Rounds in which the writer or the reader couldn't open the memory, or said that something is wrong with it, and
   * indexes that stock Vectra couldn't read. What is lost then says nothing about the writer that was killed.
   */
  readonly unreadable: number;
  /** Why, each once. */
  readonly reasons: readonly string[];
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
  const [removing, removed] = [new Set<string>(), new Set<string>()];
  const lost = new Set<string>();
  const reasons: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const { lines, trouble } = await killedWriter(writer, folder, round);
    reasons.push(...trouble);
    for (const line of lines) {
      if (line.added !== undefined) kept.set(line.added, line.text ?? "");
      if (line.removing !== undefined) removing.add(line.removing);
      if (line.removed !== undefined) removed.add(line.removed);
      reasons.push(...(line.notices ?? []));
    }
    try {
      for (const id of await missing(folder, { kept, removing, removed })) lost.add(id);
      reasons.push(...(await unreadableIndexes(folder)));
    } catch (error) {
      reasons.push(getErrorMessage(error));
    }
  }
  const acknowledged = kept.size + removed.size;
  return {
    ...{ rounds, acknowledged, lost: lost.size, unreadable: reasons.length },
    reasons: [...new Set(reasons)],
  };
}

interface Line {
  readonly added?: string;
  readonly text?: string;
  /** A removal that may or may not have happened when the writer was killed. */
  readonly removing?: string;
  readonly removed?: string;
  /** What the writer's memory said when it was opened. */
  readonly notices?: readonly string[];
}

interface Killed {
  readonly lines: readonly Line[];
  /** What the writer died of, if it wasn't killed. */
  readonly trouble: readonly string[];
}

async function killedWriter(writer: string, folder: string, round: number): Promise<Killed> {
  const args = [writer, folder, String(round), fileURLToPath(TABLE_FILE)];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [output, errors] = ["", ""];
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
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
  const lines = output
    .split("\n")
    .slice(0, -1)
    .map((line): Line => JSON.parse(line));
  return { lines, trouble: child.signalCode === "SIGKILL" ? [] : [`The writer ended: ${errors.trim()}`] };
}

interface Acknowledged {
  readonly kept: ReadonlyMap<string, string>;
  readonly removing: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
}

async function missing(folder: string, { kept, removing, removed }: Acknowledged): Promise<readonly string[]> {
  const store = await openMemory({ folder, embedder: shippedTable(), segmentSize: 16 });
  const texts = new Map((await listed(store.iterateAll())).map(({ id, text }) => [id, text]));
  const { notices } = store.state;
  await store.close();
  if (notices.length > 0) throw new Error(notices.map(writeInEnglish).join(" "));
  const wrong = [...kept].filter(([id, text]) => !removing.has(id) && texts.get(id) !== text);
  return [...wrong.map(([id]) => id), ...[...removed].filter((id) => texts.has(id))];
}

async function unreadableIndexes(folder: string): Promise<readonly string[]> {
  const unreadable: string[] = [];
  for (const name of await fs.readdir(folder)) {
    if (!name.startsWith("seg-")) continue;
    const index = new LocalIndex(path.join(folder, name));
    try {
      if (await index.isIndexCreated()) await index.listItems();
    } catch (error) {
      unreadable.push(`Vectra can't read ${name}: ${getErrorMessage(error)}`);
    }
  }
  return unreadable;
}
