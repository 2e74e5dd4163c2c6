import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { plainlyVisible } from "../../core/base/text.ts";
import { fileBytes } from "../../plain-file.ts";
import { displayText, fail, type Sentence, thrownText } from "../../texts/display-text.ts";
import type { FoundPlugin, PluginOrigin, PluginPlace, PluginSource } from "../plugin.ts";
import { loadPython, type PythonParts } from "./loaded-python.ts";
import { classicPackages, filesOfFolder, filesOfZip, hashOfFiles, type PluginFiles } from "./plugin-files.ts";

/** Where classic plugins are found, and how they run. */
export interface PythonPluginsParts extends PythonParts {
  /** Folder of the user's own plugins. */
  readonly userFolder: string;
  /** The user's own storage folder, to which plugins are copied before they run. */
  readonly storage: string;
  /** Folders and zips that the user named for this start, which is their consent. */
  readonly named: readonly string[];
}

/** Plugins of classic AutoGPT, made for its plugin template: packages in folders, and zips. */
export function pythonPlugins(parts: PythonPluginsParts): PluginSource {
  return {
    async find(place) {
      const found = await Promise.all((await candidates(parts, place)).map((one) => plugins(one, parts)));
      return found.flat();
    },
  };
}

interface Candidate {
  readonly path: string;
  readonly from: PluginOrigin;
  readonly isNamed?: boolean;
}

async function candidates(
  { userFolder, named }: PythonPluginsParts,
  { folder, isTrusted }: PluginPlace,
): Promise<readonly Candidate[]> {
  const own = join(folder, ".autogpt/plugins");
  const user = (await entriesOf(userFolder)).filter((path) => !named.includes(path));
  const workspace = isTrusted && own !== userFolder ? await entriesOf(own) : [];
  return [
    ...named.map((path): Candidate => ({ path, from: "user", isNamed: true })),
    ...user.map((path): Candidate => ({ path, from: "user" })),
    ...workspace.map((path): Candidate => ({ path, from: "workspace" })),
  ];
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.map((name) => join(folder, name));
}

async function plugins(candidate: Candidate, parts: PythonPluginsParts): Promise<readonly FoundPlugin[]> {
  const { path, from, isNamed } = candidate;
  const isZip = path.endsWith(".zip");
  const name = basename(path, ".zip");
  const broken = (problem: Sentence): readonly FoundPlugin[] => [
    { ...described(name, from, []), problem, load: async () => fail("plugins.noClassicPlugin") },
  ];
  if (!isZip && !looksClassic(path)) return [];
  try {
    const files = await filesAt(path);
    const packages = classicPackages(files);
    if (packages.length === 0) return isZip ? broken(displayText("plugins.noClassicPlugin")) : [];
    const hash = hashOfFiles(files);
    const shown = [...files.keys()].map((file) => plainlyVisible(file)).join("\n");
    return packages.map((inFiles) => ({
      ...described(inFiles === "." ? name : basename(inFiles), from, hooksIn(files, inFiles)),
      ...(isNamed
        ? {}
        : {
            consent: { hash, shown: isZip ? `${plainlyVisible(basename(path))}:\n${shown}` : shown },
            isOptional: true,
          }),
      load: async (run) => {
        const now = await filesAt(path);
        if (hashOfFiles(now) !== hash) fail("plugins.changedSince");
        const start = { id: inFiles === "." ? name : basename(inFiles), from, package: inFiles };
        return loadPython({ ...start, place: () => copied(now, hash, parts.storage) }, run, parts);
      },
    }));
  } catch (error) {
    // One that can't even be read takes no other away.
    return broken(thrownText(error));
  }
}

/** True for a folder that is a package, or the repository of one. */
function looksClassic(path: string): boolean {
  return existsSync(join(path, "__init__.py")) || existsSync(join(path, "src"));
}

async function filesAt(path: string): Promise<PluginFiles> {
  return (await stat(path)).isDirectory() ? filesOfFolder(path) : filesOfZip(await fileBytes(path));
}

function described(
  id: string,
  from: PluginOrigin,
  adds: readonly string[],
): Omit<FoundPlugin, "load" | "consent"> {
  const isolation = displayText("plugins.pythonIsolation");
  return { id, kind: "python", from, name: id, description: "", adds, isolation };
}

/** Its repetitions are bounded, because the text is a stranger's and may be made to take long. */
const HAS_HOOK =
  /def can_handle_(\w{1,40})\([^)]{0,80}\)[^:]{0,80}:\s{0,80}(?:"""[\s\S]{0,1500}?"""\s{0,80})?return True/g;

/** The classic hooks that a package says it has, as far as its text shows that. */
function hooksIn(files: PluginFiles, inFiles: string): readonly string[] {
  const sources = [...files].filter(([name]) => dirname(name) === inFiles && name.endsWith(".py"));
  const texts = sources.map(([, content]) => Buffer.from(content).toString("utf8"));
  return [...new Set(texts.flatMap((text) => [...text.matchAll(HAS_HOOK)].map(([, name = ""]) => name)))];
}

/** Copies files into a folder that is named for their hash, unless exactly they are there already. */
async function copied(files: PluginFiles, hash: string, storage: string): Promise<string> {
  const target = join(storage, "python-plugins", hash);
  const there = await filesOfFolder(target, null).catch(() => undefined);
  if (there && hashOfFiles(there) === hash) return target;
  const temporary = `${target}.${process.pid}`;
  await rm(temporary, { recursive: true, force: true });
  for (const [name, content] of files) {
    await mkdir(dirname(join(temporary, name)), { recursive: true, mode: 0o700 });
    await writeFile(join(temporary, name), content, { mode: 0o400 });
  }
  await rm(target, { recursive: true, force: true });
  await rename(temporary, target);
  return target;
}
