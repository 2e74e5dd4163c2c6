import { createHmac } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Queue } from "../../core/base/async.ts";
import { isObject, tryJson } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { DamagedFileError, readPlainFile } from "../store/durable-file.ts";
import { convertToDiskError } from "../store/memory-error.ts";

const FILE = "shared.jsonl";

/** One line of the journal. */
interface Entry {
  /** The server and project of this line and the following ones, until the next such line. */
  readonly log?: string;
  readonly cursor?: string | null;
  /** Ids that the server has. */
  readonly sent?: readonly string[];
  /** Ids of memories that the user removed and that the server still has to remove. */
  readonly removing?: readonly string[];
  /** Ids that the server no longer has. */
  readonly forgotten?: readonly string[];
}

/** Whether the journal in a memory folder records something sent to a project. Needs no proof, because it's only for a message. */
export async function hasSent(
  folder: string,
  { backend, url, project }: { readonly backend: string; readonly url: string; readonly project: string },
): Promise<boolean> {
  const found = await readPlainFile(path.join(folder, FILE)).catch(() => undefined);
  const entries = found?.bytes
    .toString("utf8")
    .split("\n")
    .map((line) => tryJson(line.slice(line.indexOf(" ") + 1)));
  const [first, ...more] = entries?.filter(isObject) ?? [];
  const log = typeof first?.log === "string" ? tryJson(first.log) : undefined;
  if (!Array.isArray(log) || !isDeepStrictEqual(log.slice(0, 3), [backend, url, project])) return false;
  return [first, ...more].some((entry) => Array.isArray(entry?.sent) && entry.sent.length > 0);
}

/**
 * The state of sharing on the disk: a line for each change, read at the next start. Without it, everything is sent and pulled again, which
 * changes nothing on either side; only removals that the server hasn't seen are lost. Each line begins with a proof made with the user's
 * key: otherwise, a repository's journal could have the user's memories removed from the server.
 */
export class SyncJournal {
  readonly sent = new Set<string>();
  readonly removing = new Set<string>();
  cursor: string | undefined;
  private readonly file: string;
  private readonly log: string;
  private readonly key: string;
  /** Queues writes, because a line appended while the file is replaced would be lost. */
  private readonly writes = new Queue();

  private constructor(file: string, log: string, key: string) {
    this.file = file;
    this.log = log;
    this.key = key;
  }

  /** Reads the journal in a memory folder. A journal for another server or project starts over. */
  static async open(folder: string, log: string, key: string): Promise<SyncJournal> {
    const journal = new SyncJournal(path.join(folder, FILE), log, key);
    const found = await readPlainFile(journal.file).catch((error: unknown) => {
      if (error instanceof DamagedFileError) return undefined;
      throw convertToDiskError(error);
    });
    const lines = found?.bytes.toString("utf8").split("\n") ?? [];
    const entries = lines.flatMap((line) => journal.verifyLine(line)).flatMap(readEntry);
    if (entries[0]?.log === log) for (const entry of entries) journal.apply(entry);
    await journal.rewrite();
    return journal;
  }

  /** Resolves once the change is on the disk. */
  record(entry: Omit<Entry, "log">): Promise<void> {
    this.apply(entry);
    return this.writes.add(() => this.append(entry));
  }

  private async append(entry: Entry): Promise<void> {
    await using handle = await fs.open(this.file, "a", 0o600);
    await handle.write(this.formatLine(entry));
    await handle.datasync();
  }

  /** Starts over and sends and pulls everything again, because the server has another log now. */
  async restart(): Promise<void> {
    this.sent.clear();
    this.cursor = undefined;
    await this.rewrite();
  }

  private apply({ cursor, sent = [], removing = [], forgotten = [] }: Entry): void {
    if (cursor !== undefined) this.cursor = cursor ?? undefined;
    for (const id of sent) this.sent.add(id);
    for (const id of removing) this.removing.add(id);
    for (const id of forgotten) {
      this.sent.delete(id);
      this.removing.delete(id);
    }
  }

  private rewrite(): Promise<void> {
    return this.writes.add(async () => {
      const { log, cursor } = this;
      const entry: Entry = {
        log,
        sent: [...this.sent],
        removing: [...this.removing],
        ...omitUndefined({ cursor }),
      };
      await replaceFile(this.file, this.formatLine(entry), { durable: true, private: true });
    });
  }

  private formatLine(entry: Entry): string {
    const text = JSON.stringify(entry);
    return `${this.computeProof(text)} ${text}\n`;
  }

  /** The entry on a line, if this user wrote it for this log. */
  private verifyLine(line: string): readonly string[] {
    const text = line.slice(line.indexOf(" ") + 1);
    return line === `${this.computeProof(text)} ${text}` ? [text] : [];
  }

  private computeProof(text: string): string {
    return createHmac("sha256", this.key).update(`${this.log}\n${text}`).digest("hex");
  }
}

/** Lines that a crash has cut off are left out. */
function readEntry(line: string): readonly Entry[] {
  const value = tryJson(line);
  if (!isObject(value)) return [];
  const { log, cursor } = value;
  return [
    {
      ...(typeof log === "string" ? { log } : {}),
      ...(typeof cursor === "string" || cursor === null ? { cursor } : {}),
      sent: filterTexts(value.sent),
      removing: filterTexts(value.removing),
      forgotten: filterTexts(value.forgotten),
    },
  ];
}

function filterTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
