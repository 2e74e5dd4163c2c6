import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getErrorMessage } from "../../core/base/errors.ts";
import { ignoreCodes } from "../../disk/error-codes.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { type FleetKey, loadFleetKey } from "../../fleet/key.ts";
import { takeProcessLock } from "../../node/processes/process-lock.ts";
import type { Seal } from "../../runs/log/log-seal.ts";
import type { BatchReport } from "../../schema/fleet/batches.ts";
import { fail } from "../../texts/display-text.ts";
import { UsageError } from "../usage-error.ts";
import { renderBatchReport } from "./batch-report.ts";

/** A report is written again after that time at the earliest. */
const REPORT_MS = 2_000;

/** The folder with a batch's state and its report, for one program at a time. */
export interface BatchFolder {
  readonly journal: string;
  /** Seals the lines of the journal. */
  readonly seal: Seal;
  release(): Promise<void>;
}

const [LOCK, JOURNAL] = ["batch.lock", "batch.jsonl"];

/** Opens the folder. It stays out of version control, so that it isn't sent with the tasks. Throws a sentence. */
export async function openBatchFolder(folder: string, data: string): Promise<BatchFolder> {
  const key: FleetKey = (await loadFleetKey(data)) ?? fail("fleet.noKey");
  const names = await mkdir(folder, { recursive: true, mode: 0o700 })
    .then(() => readdir(folder))
    .catch((error: unknown) => {
      throw new UsageError(`--report takes a folder that can be written, not ${folder}: ${getErrorMessage(error)}`);
    });
  // Its files would hide those of the user from git, or replace them.
  const [stranger] = names.filter((name) => name !== ".gitignore" && !name.startsWith(LOCK));
  if (stranger !== undefined && !names.includes(JOURNAL))
    throw new UsageError(
      `${folder} has other files, such as ${stranger}. Name a new folder with --report, for the batch alone.`,
    );
  await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch(ignoreCodes("EEXIST"));
  const lockSeal = key.createSeal("lock of a batch");
  const lock = await takeProcessLock(join(folder, LOCK), lockSeal, { kind: "commandLine" });
  if ("by" in lock)
    throw new UsageError(`Another program works on the batch in ${folder}. Wait until it has ended, or stop it first.`);
  return { journal: join(folder, JOURNAL), seal: key.createSeal("batch"), release: () => lock.release() };
}

/** Writes the report of a batch as it changes: each file is replaced as a whole. */
export class ReportWriter {
  private readonly folder: string;
  private readonly create: () => BatchReport;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(folder: string, create: () => BatchReport) {
    this.folder = folder;
    this.create = create;
  }

  /** The report is out of date. */
  schedule(): void {
    this.timer ??= setTimeout(() => {
      void this.write().catch(() => undefined);
    }, REPORT_MS);
  }

  /** Writes it now. Throws if that isn't possible. */
  write(): Promise<void> {
    clearTimeout(this.timer);
    this.writing = this.writing
      .catch(() => undefined)
      .then(async () => {
        this.timer = undefined;
        const report = this.create();
        await replaceFile(join(this.folder, "report.json"), `${JSON.stringify(report, undefined, 1)}\n`, {
          private: true,
        });
        await replaceFile(join(this.folder, "report.md"), renderBatchReport(report), { private: true });
      });
    return this.writing;
  }
}
