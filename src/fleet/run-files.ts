import { lstat, mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { tryJson } from "../core/base/json.ts";
import { isAtOrBelow } from "../disk/below.ts";
import { hasCode } from "../disk/error-codes.ts";
import { readFileBytes } from "../disk/plain-file.ts";
import { replaceFile } from "../disk/replace-file.ts";
import type { Seal } from "../runs/log/log-seal.ts";
import { readLogText } from "../runs/log/read-log.ts";
import { LOG_FILE } from "../runs/log/run-log.ts";
import { createJournalReader, getJournalPath, sealJournalLine } from "../runs/undo/journal-lines.ts";
import type { CarriedPart, CarriedState } from "../schema/fleet/tasks.ts";
import { isJournalChange, isSettledChange } from "../schema/host-validators.ts";
import type { JournalChange, SettledChange } from "../schema/stored-files.ts";
import { fail } from "../texts/display-text.ts";
import { NOTHING_CARRIED, type SealedParts } from "./sealed-parts.ts";

/** Files that belong to this machine, or that are carried in another way. */
const NOT_CARRIED =
  /^(?:run\.jsonl|undo\.jsonl|owner\.json|take-over\.json|shown\.json|run\.\d+\.old\.jsonl|accepted(?:\/.*)?|.*\.tmp)$/;
/** Larger files stay behind, such as the kept contents of very large files. */
const MOST_FILE_BYTES = 20 * 1024 * 1024;
const MOST_BYTES = 200 * 1024 * 1024;
/** Names of our own files: no name of another kind is written on a machine. */
const OWN_NAME = /^(?!\.)[\w.-]+(?:\/(?!\.)[\w.-]+){0,3}$/;

/** The files of a run as they are carried. */
export type CarriedFiles = Pick<CarriedState, "log" | "undo" | "files">;

/** The whole lines of a run's log. */
export async function readWholeLog(runHome: string): Promise<Buffer> {
  const bytes = await readFileBytes(join(runHome, LOG_FILE)).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return Buffer.alloc(0);
    throw error;
  });
  return bytes.subarray(0, bytes.lastIndexOf(10) + 1);
}

/** Packs the folder of a run, again and again while it works. Files that haven't changed are packed once. */
export class RunFilePacker {
  private readonly runHome: string;
  private readonly parts: SealedParts;
  private readonly seal: Seal;
  private readonly known = new Map<string, { readonly stamp: string; readonly part: CarriedPart }>();

  constructor(runHome: string, parts: SealedParts, seal: Seal) {
    this.runHome = runHome;
    this.parts = parts;
    this.seal = seal;
  }

  /** Packs everything, with this log. `before`: as the run was carried last by this machine. */
  async pack(log: Buffer, before: CarriedFiles | undefined): Promise<CarriedFiles> {
    const lines = await createJournalReader(this.runHome, this.seal)();
    const undo = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const last = before ?? { log: NOTHING_CARRIED, undo: NOTHING_CARRIED };
    return {
      log: await this.parts.extend(last.log, log, before !== undefined),
      undo: await this.parts.extend(last.undo, undo, before !== undefined),
      files: await this.packFiles(),
    };
  }

  private async packFiles(): Promise<CarriedState["files"]> {
    const files: CarriedState["files"][number][] = [];
    let left = MOST_BYTES;
    for (const name of await listFiles(this.runHome)) {
      const stats = await lstat(join(this.runHome, name)).catch(() => undefined);
      if (!stats?.isFile() || stats.size > Math.min(left, MOST_FILE_BYTES)) continue;
      left -= stats.size;
      const stamp = `${stats.size} ${stats.mtimeMs} ${stats.ino}`;
      const known = this.known.get(name);
      if (known?.stamp === stamp) files.push({ name, ...known.part });
      else {
        const bytes = await readFileBytes(join(this.runHome, name)).catch(() => undefined);
        if (!bytes) continue;
        const part = await this.parts.write(bytes);
        this.known.set(name, { stamp, part });
        files.push({ name, ...part });
      }
    }
    return files;
  }
}

async function listFiles(runHome: string): Promise<readonly string[]> {
  const found: string[] = [];
  const waiting = [""];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await readdir(join(runHome, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const name = `${folder}${entry.name}`;
      if (NOT_CARRIED.test(name) || !OWN_NAME.test(name)) continue;
      if (entry.isDirectory()) waiting.push(`${name}/`);
      else if (entry.isFile()) found.push(name);
    }
  }
  return found.sort();
}

/** Where a carried run is unpacked. */
interface Unpacking {
  readonly runHome: string;
  /** Seals the journal of undo for this machine's attempt. */
  readonly seal: Seal;
  /** The folder of its copy on this machine. */
  readonly copyHome: string;
}

/** Reads a carried log, as it was written. */
export async function readLogParts(parts: SealedParts, { log }: Pick<CarriedState, "log">): Promise<Buffer> {
  const bytes = Buffer.concat(await parts.readAll(log.parts));
  return bytes.length === log.bytes ? bytes : fail("fleet.notDecrypted");
}

/** Writes the files of a carried run but its log, which is written last, because it makes the folder a run. */
export async function unpackFiles(
  parts: SealedParts,
  state: CarriedState,
  { runHome, seal, copyHome }: Unpacking,
): Promise<void> {
  await mkdir(runHome, { recursive: true, mode: 0o700 });
  const contents = await parts.readAll(state.files);
  for (const [at, { name }] of state.files.entries()) {
    if (!OWN_NAME.test(name) || NOT_CARRIED.test(name)) fail("fleet.notDecrypted");
    await mkdir(dirname(join(runHome, name)), { recursive: true, mode: 0o700 });
    await replaceFile(join(runHome, name), contents[at] ?? Buffer.alloc(0), { private: true });
  }
  const undo = Buffer.concat(await parts.readAll(state.undo.parts)).toString();
  const move = (path: string): string =>
    isAtOrBelow(path, state.copyHome) ? `${copyHome}${path.slice(state.copyHome.length)}` : path;
  const lines = undo.split("\n").flatMap((line) => {
    const value: unknown = tryJson(line);
    return isJournalChange(value) || isSettledChange(value) ? [sealJournalLine(moveLine(value, move), seal)] : [];
  });
  if (lines.length > 0) await replaceFile(getJournalPath(runHome), `${lines.join("\n")}\n`, { private: true });
}

function moveLine(line: JournalChange | SettledChange, move: (path: string) => string): JournalChange | SettledChange {
  if ("files" in line) return { ...line, files: line.files.map((file) => ({ ...file, path: move(file.path) })) };
  return { ...line, now: line.now.map((one) => ({ ...one, path: move(one.path) })) };
}

/** Writes the log of a run, so that it's there as a whole or not at all. */
export async function writeLog(runHome: string, log: Buffer): Promise<void> {
  const path = join(runHome, LOG_FILE);
  const before = await readLogText(runHome).catch(() => "");
  if (before === log.toString()) return;
  await mkdir(runHome, { recursive: true, mode: 0o700 });
  if (before !== "" && !log.toString().startsWith(before))
    await replaceFile(join(runHome, `run.${Date.now()}.old.jsonl`), before, { private: true });
  await replaceFile(path, log, { private: true, durable: true });
}
