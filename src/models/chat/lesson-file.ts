import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { tryJson } from "../../core/base/json.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import type { StoredLesson, StoredLessons } from "../../schema/dialect.ts";
import { isStoredLessons } from "../../schema/host-validators.ts";

/** Keeps lessons across sessions. */
export interface LessonStore {
  load(): Promise<readonly StoredLesson[]>;
  /** Saves lessons, if the location can be written. */
  save(lessons: readonly StoredLesson[]): Promise<void>;
}

/** Stores lessons in a file of this machine's folder. A missing, damaged or differently versioned file counts as empty. */
export function createLessonFile(folder: string): LessonStore {
  const path = join(folder, "server-lessons.json");
  return {
    async load() {
      const value = tryJson(await readFile(path, "utf8").catch(() => ""));
      return isStoredLessons(value) ? value.lessons : [];
    },
    async save(lessons) {
      const stored: StoredLessons = { version: 1, lessons };
      const options = { private: true, makeFolder: true };
      await replaceFile(path, JSON.stringify(stored), options).catch(() => undefined);
    },
  };
}
