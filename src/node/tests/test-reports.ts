import { readFile } from "node:fs/promises";
import { stripVTControlCharacters } from "node:util";
import type { TestReport, TestReports } from "../../core/ports/tests.ts";
import { together } from "./counts.ts";
import { junitIn, readJUnit } from "./junit.ts";
import { isNodeTest, readNodeTest } from "./node-test.ts";
import { type FileStates, reportFiles } from "./report-files.ts";
import { isTap, readTap } from "./tap.ts";

/** Reads test results on this machine; `folders` are the real paths of the workspace folders. */
export function nodeTestReports(folders: () => readonly string[]): TestReports {
  return {
    async expect(folder) {
      const before = await reportFiles(folder, folders());
      return {
        async read(output) {
          const written = await changedReports(before, await reportFiles(folder, folders()));
          return (await readFiles(written)) ?? readOutput(output);
        },
      };
    },
  };
}

/** The texts of the report files that changed or are new. */
async function changedReports(before: FileStates, now: FileStates): Promise<readonly string[]> {
  const changed = [...now].filter(([path, state]) => before.get(path) !== state);
  return Promise.all(changed.map(([path]) => readFile(path, "utf8")));
}

async function readFiles(texts: readonly string[]): Promise<TestReport | undefined> {
  const reports = await Promise.all(texts.map((text) => readJUnit(text).catch(() => undefined)));
  return together(reports.filter((report) => report !== undefined));
}

/** Reads the results in an output; undefined if it's in none of the known formats. */
export async function readOutput(output: string): Promise<TestReport | undefined> {
  const text = stripVTControlCharacters(output).replace(/\r\n?/g, "\n");
  const xml = junitIn(text);
  const junit = xml === undefined ? undefined : await readJUnit(xml).catch(() => undefined);
  if (junit) return junit;
  if (isTap(text)) return readTap(text);
  return isNodeTest(text) ? readNodeTest(text) : undefined;
}
