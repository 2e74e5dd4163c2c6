import { fstatSync } from "node:fs";
import { constants, type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LogError, type RunLog } from "../core/ports.ts";
import { regular } from "../plain-file.ts";
import { appendingLog, type LogFile } from "./appending-log.ts";
import { endOfLines } from "./log-tail.ts";
import { logTrouble } from "./log-trouble.ts";

/** The events of a run, one JSON object a line, in the run's folder. */
export const LOG_FILE = "run.jsonl";

/**
 * Opens a run's log for appending. Folder and file are for their owner alone. A torn last line is cut off by the first event that is appended:
 * a log that is only looked at stays as it is, for another window may be writing it. Throws `LogError`.
 */
export async function openRunLog(folder: string): Promise<RunLog> {
  const path = join(folder, LOG_FILE);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = await regular(await open(path, FLAGS, 0o600));
    return await logOver(file, path);
  } catch (error) {
    throw error instanceof LogError ? error : new LogError(logTrouble(error, path), { cause: error });
  }
}

/** Never through a symbolic link: a repository may hold one. */
const FLAGS =
  constants.O_RDWR |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

async function logOver(file: FileHandle, path: string): Promise<RunLog> {
  try {
    const last = await endOfLines(file);
    const log = appendingLog(logFile(file), last, path);
    return { ...log, sync: syncsFolderOnce(log, dirname(path), last.end === 0) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** A file's size is looked up without a detour over other threads: it costs microseconds, and every append asks. */
function logFile(file: FileHandle): LogFile {
  return {
    write: (bytes) => file.write(bytes),
    truncate: (length) => file.truncate(length),
    size: () => fstatSync(file.fd).size,
    datasync: () => file.datasync(),
    close: () => file.close(),
  };
}

/** A new file survives a power cut only once its folder's entry is on the disk too. */
function syncsFolderOnce(log: RunLog, folder: string, isNew: boolean): RunLog["sync"] {
  if (!isNew || process.platform === "win32") return log.sync;
  let folderSynced: Promise<void> | undefined;
  return async () => {
    await log.sync();
    folderSynced ??= syncFolder(folder);
    await folderSynced;
  };
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  await handle.sync().finally(() => handle.close());
}
