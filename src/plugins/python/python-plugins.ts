import { existsSync } from "node:fs";
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { escapeForApproval } from "../../core/base/text.ts";
import { readFileBytes } from "../../disk/plain-file.ts";
import { renameFile } from "../../disk/rename-file.ts";
import { displayText, fail, getErrorText, type Sentence } from "../../texts/display-text.ts";
import type { FoundPlugin, PluginOrigin, PluginPlace, PluginSource } from "../plugin.ts";
import { loadPython, type PythonParts } from "./loaded-python.ts";
import { findClassicPackages, hashFiles, type PluginFiles, readPluginFolder, readPluginZip } from "./plugin-files.ts";

/** Locations of classic plugins, and parts for running them. */
export interface PythonPluginsParts extends PythonParts {
  /** Folder of the user's own plugins. */
  readonly userFolder: string;
  /** The user's own storage folder, to which plugins are copied before they run. */
  readonly storage: string;
  /** Folders and zips that the user named for this start, which is their consent. */
  readonly named: readonly string[];
}

/** Plugins of classic AutoGPT, made for its plugin template: packages in folders, and zips. */
export function createPythonPluginSource(parts: PythonPluginsParts): PluginSource {
  return {
    async find(place) {
      const found = await Promise.all(
        (await collectCandidates(parts, place)).map((one) => findCandidatePlugins(one, parts)),
      );
      return found.flat();
    },
  };
}

interface Candidate {
  readonly path: string;
  readonly from: PluginOrigin;
  readonly isNamed?: boolean;
}

async function collectCandidates(
  { userFolder, named }: PythonPluginsParts,
  { folder, isTrusted }: PluginPlace,
): Promise<readonly Candidate[]> {
  const own = join(folder, ".autogpt/plugins");
  const user = (await listEntries(userFolder)).filter((path) => !named.includes(path));
  const workspace = isTrusted && own !== userFolder ? await listEntries(own) : [];
  return [
    ...named.map((path): Candidate => ({ path, from: "user", isNamed: true })),
    ...user.map((path): Candidate => ({ path, from: "user" })),
    ...workspace.map((path): Candidate => ({ path, from: "workspace" })),
  ];
}

async function listEntries(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.map((name) => join(folder, name));
}

async function findCandidatePlugins(candidate: Candidate, parts: PythonPluginsParts): Promise<readonly FoundPlugin[]> {
  const { path, from, isNamed } = candidate;
  const isZip = path.endsWith(".zip");
  const name = basename(path, ".zip");
  const createBrokenPlugin = (problem: Sentence): readonly FoundPlugin[] => [
    { ...createPluginEntry(name, from, []), problem, load: async () => fail("plugins.noClassicPlugin") },
  ];
  if (!isZip && !isClassicFolder(path)) return [];
  try {
    const files = await readPluginFiles(path);
    const packages = findClassicPackages(files);
    if (packages.length === 0) return isZip ? createBrokenPlugin(displayText("plugins.noClassicPlugin")) : [];
    const hash = hashFiles(files);
    const shown = [...files.keys()].map((file) => escapeForApproval(file)).join("\n");
    return packages.map((inFiles) => ({
      ...createPluginEntry(inFiles === "." ? name : basename(inFiles), from, findHookNames(files, inFiles)),
      ...(isNamed
        ? {}
        : {
            consent: { hash, shown: isZip ? `${escapeForApproval(basename(path))}:\n${shown}` : shown },
            isOptional: true,
          }),
      load: async (run) => {
        const now = await readPluginFiles(path);
        if (hashFiles(now) !== hash) fail("plugins.changedSince");
        const start = { id: inFiles === "." ? name : basename(inFiles), from, package: inFiles };
        return loadPython({ ...start, ensureFiles: () => copyPluginFiles(now, hash, parts.storage) }, run, parts);
      },
    }));
  } catch (error) {
    // One that can't even be read takes no other away.
    return createBrokenPlugin(getErrorText(error));
  }
}

/** True for a folder that is a package, or a repository that contains one. */
function isClassicFolder(path: string): boolean {
  return existsSync(join(path, "__init__.py")) || existsSync(join(path, "src"));
}

async function readPluginFiles(path: string): Promise<PluginFiles> {
  return (await stat(path)).isDirectory() ? readPluginFolder(path) : readPluginZip(await readFileBytes(path));
}

function createPluginEntry(
  id: string,
  from: PluginOrigin,
  adds: readonly string[],
): Omit<FoundPlugin, "load" | "consent"> {
  const isolation = displayText("plugins.pythonIsolation");
  return { id, kind: "python", from, name: id, description: "", adds, isolation };
}

/** The repetitions are bounded, because a malicious text could otherwise make the match very slow. */
const HAS_HOOK =
  /def can_handle_(\w{1,40})\([^)]{0,80}\)[^:]{0,80}:\s{0,80}(?:"""[\s\S]{0,1500}?"""\s{0,80})?return True/g;

/** The classic hooks that a package handles, as far as its source text shows. */
function findHookNames(files: PluginFiles, inFiles: string): readonly string[] {
  const sources = [...files].filter(([name]) => dirname(name) === inFiles && name.endsWith(".py"));
  const texts = sources.map(([, content]) => Buffer.from(content).toString("utf8"));
  return [...new Set(texts.flatMap((text) => [...text.matchAll(HAS_HOOK)].map(([, name = ""]) => name)))];
}

/** Copies files into a folder named after their hash, unless the folder already holds exactly these files. */
async function copyPluginFiles(files: PluginFiles, hash: string, storage: string): Promise<string> {
  const target = join(storage, "python-plugins", hash);
  const there = await readPluginFolder(target, null).catch(() => undefined);
  if (there && hashFiles(there) === hash) return target;
  const temporary = `${target}.${process.pid}`;
  await rm(temporary, { recursive: true, force: true });
  for (const [name, content] of files) {
    await mkdir(dirname(join(temporary, name)), { recursive: true, mode: 0o700 });
    await writeFile(join(temporary, name), content, { mode: 0o400 });
  }
  await rm(target, { recursive: true, force: true, maxRetries: 3 });
  await renameFile(temporary, target);
  return target;
}
