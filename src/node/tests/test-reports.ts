import { stripVTControlCharacters } from "node:util";
import type { TestReport, TestReports } from "../../core/ports/tests.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { mergeReports } from "./counts.ts";
import { findJunitDocument, readJUnit } from "./junit.ts";
import { isNodeTest, readNodeTest } from "./node-test.ts";
import { type FileStates, reportFiles } from "./report-files.ts";
import { isTap, readTap } from "./tap.ts";

/** The time limit for reading results. If it's exceeded, the output is shown unchanged. */
const READ_MS = 20_000;

/** Reads test results on this machine; `folders` are the real paths of the workspace folders. */
export function createNodeTestReports(folders: () => readonly string[]): TestReports {
  return {
    async expect(folder) {
      const before = await reportFiles(folder, folders());
      return {
        async read(output) {
          const signal = AbortSignal.timeout(READ_MS);
          const written = listChangedReports(before, await reportFiles(folder, folders()));
          return (await readFiles(written, signal)) ?? readOutput(output, signal);
        },
      };
    },
  };
}

/** The report files that changed or are new. */
function listChangedReports(before: FileStates, now: FileStates): readonly string[] {
  return [...now].flatMap(([path, state]) => (before.get(path) === state ? [] : [path]));
}

/** Reads the files one after the other, so that many large ones don't fill the memory. */
async function readFiles(paths: readonly string[], signal: AbortSignal): Promise<TestReport | undefined> {
  const reports: TestReport[] = [];
  for (const path of paths) {
    const report = await readFileText(path)
      .then((text) => readJUnit(text, signal))
      .catch(() => undefined);
    if (report) reports.push(report);
  }
  return mergeReports(reports);
}

/** Reads the results in an output; undefined if the format is unknown, or unreadable. */
export async function readOutput(
  output: string,
  signal = AbortSignal.timeout(READ_MS),
): Promise<TestReport | undefined> {
  const text = stripVTControlCharacters(output).replace(/\r\n?/g, "\n");
  const xml = findJunitDocument(text);
  const junit = xml === undefined ? undefined : await readJUnit(xml, signal).catch(() => undefined);
  if (junit) return junit;
  if (isTap(text)) return readTap(text, signal).catch(() => undefined);
  return isNodeTest(text) ? readNodeTest(text) : undefined;
}
