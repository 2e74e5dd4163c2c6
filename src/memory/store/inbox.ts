import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { hasCode } from "../../disk/error-codes.ts";
import { renameFile } from "../../disk/rename-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { displayText } from "../../texts/display-text.ts";
import { DamagedFileError, readPlainFile } from "./durable-file.ts";
import { convertToDiskError, MemoryError } from "./memory-error.ts";
import type { MemoryItem } from "./memory-item.ts";
import { decodeLog, encodeRecord, LOG_MAGIC } from "./segment-records.ts";

const ENDING = ".log";
/** A single delivery is always far smaller. */
const MAX_DELIVERY_BYTES = 32 * 1024 * 1024;
/** The extension of damaged deliveries, which aren't read again. */
const DAMAGED = ".damaged";

/** The folder where reading windows leave new memories for the writing one, one file per delivery. */
export class Inbox {
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = path.join(folder, "inbox");
  }

  /** Resolves once the memories are on the disk. */
  async leave(items: readonly MemoryItem[]): Promise<void> {
    const records = items.map((item) => encodeRecord({ op: "put", item }));
    try {
      await fs.mkdir(this.folder, { recursive: true, mode: 0o700 });
      if (!(await this.isOurs())) throw new MemoryError(displayText("trouble.inboxIsLink"));
      const name = `${Date.now()}-${randomUUID().slice(0, 8)}${ENDING}`;
      const bytes = Buffer.concat([LOG_MAGIC, ...records]);
      await replaceFile(path.join(this.folder, name), bytes, { durable: true, private: true });
    } catch (error) {
      throw convertToDiskError(error);
    }
  }

  /** All memories in the inbox. */
  async peek(): Promise<readonly MemoryItem[]> {
    const items: MemoryItem[] = [];
    // One after another, because there may be more than a program can open at once.
    for (const name of (await this.listNames()).sort())
      for (const item of (await readDelivery(path.join(this.folder, name))).items) items.push(item);
    return items;
  }

  /**
   * Passes each delivery to `keep` and then deletes it. Unreadable deliveries, and those that `keep` rejects, stay for the next time.
   * Damaged ones are renamed; returns their number.
   */
  async collect(keep: (items: readonly MemoryItem[]) => Promise<void>): Promise<number> {
    let damaged = 0;
    for (const name of (await this.listNames()).sort()) {
      const file = path.join(this.folder, name);
      const { items, isWhole } = await readDelivery(file);
      await keep(items);
      if (isWhole) await fs.rm(file, { force: true });
      else await renameFile(file, `${file}${DAMAGED}`);
      damaged += isWhole ? 0 : 1;
    }
    return damaged;
  }

  private async listNames(): Promise<string[]> {
    try {
      if (!(await this.isOurs())) return [];
      return (await fs.readdir(this.folder)).filter((name) => name.endsWith(ENDING));
    } catch (error) {
      if (hasCode(error, "ENOENT")) return [];
      throw error;
    }
  }

  /** False for a link: a cloned repository must not lead outside the folder. */
  private async isOurs(): Promise<boolean> {
    return (await fs.lstat(this.folder)).isDirectory();
  }
}

interface Delivery {
  readonly items: readonly MemoryItem[];
  readonly isWhole: boolean;
}

/** The readable memories of a delivery. Deliveries are written atomically, so a crash can't damage one. */
async function readDelivery(file: string): Promise<Delivery> {
  try {
    const { bytes } = (await readPlainFile(file, MAX_DELIVERY_BYTES)) ?? { bytes: LOG_MAGIC };
    const { records, end, damaged } = decodeLog(bytes);
    const items = records.flatMap((record) => (record.op === "put" ? [record.item] : []));
    return { items, isWhole: damaged === 0 && end === bytes.length };
  } catch (error) {
    if (error instanceof DamagedFileError) return { items: [], isWhole: false };
    throw error;
  }
}
