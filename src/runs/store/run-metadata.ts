import { rm } from "node:fs/promises";
import { join } from "node:path";
import { tryJson } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { isRunMetadata } from "../../schema/host-validators.ts";
import type { RunMetadata } from "../../schema/stored-files.ts";

export type { RunMetadata } from "../../schema/stored-files.ts";

const FILE = "marks.json";
const LONGEST_TITLE = 200;

/** Reads the metadata of the run in a folder; empty if the file is missing or unreadable. */
export async function readRunMetadata(folder: string): Promise<RunMetadata> {
  const value = tryJson(await readFileText(join(folder, FILE)).catch(() => ""));
  if (!isRunMetadata(value)) return {};
  const title = value.title?.trim() ?? "";
  return {
    ...(title === "" ? {} : { title: title.slice(0, LONGEST_TITLE) }),
    ...omitUndefined({ pinned: value.pinned || undefined }),
  };
}

/** Changes some metadata, and deletes the file once it is empty. */
export async function changeRunMetadata(folder: string, changes: RunMetadata): Promise<void> {
  const { title = "", pinned = false } = { ...(await readRunMetadata(folder)), ...changes };
  const marks: RunMetadata = {
    ...(title === "" ? {} : { title }),
    ...omitUndefined({ pinned: pinned || undefined }),
  };
  const path = join(folder, FILE);
  if (Object.keys(marks).length === 0) return rm(path, { force: true });
  await replaceFile(path, JSON.stringify(marks), { private: true });
}
