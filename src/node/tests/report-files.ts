import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { readRegularStamp } from "../../disk/stamp.ts";
import { createExclusionTest } from "../files/ignored-paths.ts";

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
export type FileStates = ReadonlyMap<string, string>;

/** Report files in a folder and its subfolders, by path. Links, and files that the user excludes from the agent, are left out. */
export async function reportFiles(folder: string, folders: readonly string[]): Promise<FileStates> {
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
