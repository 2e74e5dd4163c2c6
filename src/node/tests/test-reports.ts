import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { FailedTest, TestReport, TestReports } from "../../core/ports/tests.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { readRegularStamp } from "../../disk/stamp.ts";
import { createExclusionTest } from "../files/ignored-paths.ts";
import { cutMessage, MOST_FAILURES, mergeReports } from "./counts.ts";
import { findJunitDocument, readJUnit } from "./junit.ts";
import { readPrintedFailures } from "./printed.ts";
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
    readFailures: async (output) => {
      const failures = (await readOutput(output))?.failures ?? [];
      return failures.length > 0 ? failures : readPrintedFailures(cleanOutput(output));
    },
  };
}

function cleanOutput(output: string): string {
  return stripVTControlCharacters(output).replace(/\r\n?/g, "\n");
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
  const text = cleanOutput(output);
  const xml = findJunitDocument(text);
  const junit = xml === undefined ? undefined : await readJUnit(xml, signal).catch(() => undefined);
  if (junit) return junit;
  if (isTap(text)) return readTap(text, signal).catch(() => undefined);
  return isNodeTest(text) ? readNodeTest(text) : undefined;
}

const COUNT = /^ℹ (pass|fail|cancelled|skipped|todo) (\d+)$/gm;
const FAILURES = /^✖ failing tests:$/m;
/** One entry in the list of failures: its location, its name, and its indented message. */
const ENTRY = /^test at (.+)\n([✖⚠]) (.*)\n((?: {2}.*\n|\s*\n)*)/gm;

/** True for the human-readable output of `node --test`. */
function isNodeTest(output: string): boolean {
  return /^ℹ tests \d+$/m.test(output) && /^ℹ pass \d+$/m.test(output);
}

/** Reads the human-readable output of `node --test`, and adds up several runs. */
function readNodeTest(output: string): TestReport {
  const counts = { pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };
  for (const [, name, count] of output.matchAll(COUNT)) if (isCount(name, counts)) counts[name] += Number(count);
  const failures = parseFailures(output);
  const { pass, fail, cancelled, skipped, todo } = counts;
  return {
    format: "node:test",
    passed: pass,
    // A suite or test that fails by its subtests is counted, too, but not listed.
    failed: failures.length === 0 ? fail + cancelled : failures.length,
    skipped: skipped + todo,
    failures: failures.slice(0, MOST_FAILURES),
  };
}

function isCount<T extends object>(name: string | undefined, counts: T): name is keyof T & string {
  return name !== undefined && Object.hasOwn(counts, name);
}

function parseFailures(output: string): readonly FailedTest[] {
  const [, ...lists] = output.split(FAILURES);
  return lists.flatMap((list) =>
    [...`${list}\n`.matchAll(ENTRY)].flatMap(([, location = "", mark, name = "", message = ""]) =>
      mark === "⚠" || / # TODO\b/.test(name)
        ? []
        : [{ name: stripTime(name), location, message: cutMessage(message.replace(/^ {2}/gm, "")) }],
    ),
  );
}

function stripTime(name: string): string {
  return name.replace(/ \(\d[\d.]*m?s\)$/, "");
}

/** Folders for test runners' reports in the JUnit format; `*` is any one folder. */
const PLACES: readonly string[] = [
  "",
  "reports",
  "test-results",
  "test-reports",
  "TestResults",
  "junit",
  "build",
  "build/reports",
  "build/test-results/*",
  "target/surefire-reports",
  "target/failsafe-reports",
];
/** Names of reports in folders that may contain other files. */
const REPORT = /^(?:TEST-.+|.*(?:junit|x?unit|test[-_.]?(?:results?|reports?)).*|results?|report)\.xml$/i;

const MOST_MODULES = 50;
const MOST_FILES = 500;
const MOST_BYTES = 20_000_000;

/** The state of each file, which changes whenever the file does. */
type FileStates = ReadonlyMap<string, string>;

/** Report files in a folder and its subfolders, by path. Links, and files that the user excludes from the agent, are left out. */
async function reportFiles(folder: string, folders: readonly string[]): Promise<FileStates> {
  const isExcluded = createExclusionTest(folder, folders);
  const modules = (await listFolders(folder)).slice(0, MOST_MODULES);
  const states = new Map<string, string>();
  for (const names of ["", ...modules].flatMap((module) => PLACES.map((place) => join(module, place))))
    for (const place of await listMatchingPlaces(folder, names))
      for (const name of await listFileNames(join(folder, place))) {
        if (states.size >= MOST_FILES || !name.endsWith(".xml") || !REPORT.test(name)) continue;
        const path = join(folder, place, name);
        const state = await readRegularStamp(path, MOST_BYTES);
        if (state === undefined || (await isExcluded(join(place, name).split(/[\\/]/)))) continue;
        states.set(path, state);
      }
  return states;
}

async function listMatchingPlaces(folder: string, place: string): Promise<readonly string[]> {
  if (!place.endsWith("*")) return [place];
  const above = place.slice(0, -1);
  return (await listFolders(join(folder, above))).map((name) => join(above, name));
}

async function listFolders(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return found
    .filter((one) => one.isDirectory() && !one.name.startsWith(".") && one.name !== "node_modules")
    .map(({ name }) => name)
    .toSorted();
}

async function listFileNames(folder: string): Promise<readonly string[]> {
  // A linked folder may lead out of the workspace.
  const own = await lstat(folder).catch(() => undefined);
  return own?.isDirectory() ? readdir(folder).catch(() => []) : [];
}
