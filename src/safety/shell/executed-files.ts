import { isObject, tryJson } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { Disk } from "../../core/ports/disk.ts";
import { getPathKey, isWindowsPath, resolvePathFrom } from "../paths/paths.ts";
import { type EnteredPlace, selectEntered } from "../programs/program.ts";
import { getProgramFacts, PROGRAM_FACTS } from "../programs/table.ts";
import type { ProgramCall } from "./script.ts";

/** A file that a command line runs, at one moment; without a hash if it didn't exist. */
export interface ExecutedFile {
  readonly path: string;
  readonly hash?: string;
}

/** Reads the files that commands would run in a folder, as they are now: scripts, and files that define what a tool runs. */
export async function readExecutedFiles(
  calls: readonly ProgramCall[],
  folder: string,
  disk: Disk,
): Promise<readonly ExecutedFile[]> {
  const paths = new Set<string>();
  let entered: readonly EnteredPlace[] = [{ place: folder, enters: 1 }];
  for (const call of calls) {
    entered = [...entered, ...enterFolder(call, entered)];
    for (const place of selectEntered(entered, MOST_PLACES))
      for (const path of await listRunnablePaths(call, place, disk)) paths.add(path);
  }
  const states: ExecutedFile[] = [];
  for (const path of paths) {
    const hash = await disk.hash(path);
    if (hash !== undefined || isManifest(path)) states.push({ path, ...omitUndefined({ hash }) });
  }
  return states;
}

const MOST_PLACES = 8;
/** Bounds the work on lines that enter many folders. */
const MOST_ENTERED = 256;
const MOST_VALUES = 20;

/** Files that a command may run from a folder, and from folders that its flags name. */
async function listRunnablePaths(call: ProgramCall, place: string, disk: Disk): Promise<readonly string[]> {
  const values = listFlagValues(call).slice(0, MOST_VALUES);
  const endings = isWindowsPath(place) ? ["", ...RUNNABLE] : [""];
  const files = [...listNamedFiles(call), ...values];
  const paths = files.flatMap((name) => endings.map((ending) => resolveInFolder(place, name + ending)));
  const manifests = listManifestNames(getToolName(call.name));
  for (const folder of manifests.length > 0 ? [place, ...values.map((value) => resolveInFolder(place, value))] : []) {
    const scripts = manifests.includes("package.json") ? await readPackageScriptFiles(folder, disk) : [];
    paths.push(...[...manifests, ...scripts].map((name) => resolveInFolder(folder, name)));
  }
  return paths;
}

/** The folders that a command changes to, from each of those before. */
function enterFolder({ program, texts }: ProgramCall, before: readonly EnteredPlace[]): readonly EnteredPlace[] {
  const { enters } = program;
  const [name] = texts;
  if (enters === undefined || name === undefined) return [];
  return before
    .slice(0, MOST_ENTERED)
    .map((from) => ({ place: resolveInFolder(from.place, name), enters: from.enters > enters ? from.enters : enters }));
}

/** Values of flags: a configuration, a module to load, the folder of another project. */
function listFlagValues({ texts }: ProgramCall): readonly string[] {
  return texts.flatMap((text, at) => {
    const attached = /^-[a-zA-Z]=?(.+)$|^--?[\w-]+[=:](.+)$/s.exec(text);
    const value = attached?.[2] ?? attached?.[1] ?? (texts[at - 1]?.startsWith("-") ? text : "");
    return /^[\w@./\\:~-]{1,200}$/.test(value) && !value.startsWith("-") ? [value] : [];
  });
}

function resolveInFolder(folder: string, name: string): string {
  return resolvePathFrom(folder, name.replace(/^(?:\.\/)+/, ""));
}

/** True when every file is unchanged, or still missing. */
export async function areUnchanged(files: readonly ExecutedFile[], disk: Disk): Promise<boolean> {
  for (const { path, hash } of files) if ((await disk.hash(path)) !== hash) return false;
  return true;
}

/** Endings of programs that Windows finds without them. */
const RUNNABLE = [".cmd", ".bat", ".ps1", ".exe", ".com"];

/** A program's name without the ending of the script that starts it on Windows: `npm.cmd` is npm. */
export function getToolName(name: string): string {
  return name.replace(/\.(?:cmd|bat|ps1|com)$/, "");
}

function listNamedFiles(call: ProgramCall): readonly string[] {
  const name = getToolName(call.name);
  const [first] = call.words;
  const own = first && /[\\/]/.test(first.text) ? [first.text] : [];
  const operands = call.operands.map(({ text }) => text).slice(0, 2);
  const isInstalled = /^(?:npx|pnpm|yarn|bunx)$/.test(name);
  return [
    ...own,
    ...(getProgramFacts(name).runsFile ? operands : []),
    ...(isInstalled ? operands.map((tool) => `node_modules/.bin/${tool}`) : []),
  ];
}

/** Names of files that define what a tool runs. */
export function listManifestNames(tool: string): readonly string[] {
  return getProgramFacts(tool).manifests?.split(" ") ?? [];
}

function isManifest(path: string): boolean {
  const key = getPathKey(path);
  return PROGRAM_FACTS.some(([, { manifests }]) =>
    manifests?.split(" ").some((name) => key.endsWith(`/${getPathKey(name)}`)),
  );
}

/** Files that the scripts in `package.json` name. */
async function readPackageScriptFiles(folder: string, disk: Disk): Promise<readonly string[]> {
  const text = await disk.readText(`${folder}/package.json`);
  if (text === undefined) return [];
  const words = parsePackageScripts(text).flatMap((script) => script.split(/[\s"'=;&|()]+/));
  const likely = words.filter((word) => /^[\w@./-]*[./][\w-]+$/.test(word) && !word.startsWith("-"));
  return [...new Set(likely)].slice(0, 50);
}

function parsePackageScripts(text: string): readonly string[] {
  const parsed = tryJson(text);
  const scripts = isObject(parsed) ? parsed.scripts : undefined;
  return isObject(scripts) ? Object.values(scripts).filter((value) => typeof value === "string") : [];
}
