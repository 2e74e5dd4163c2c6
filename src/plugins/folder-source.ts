import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { FolderPluginParts, FolderPlugins, PluginFolder } from "./folders/folder-plugins.ts";
import type { FoundPlugin, PluginOrigin, PluginPlace, PluginSource } from "./plugin.ts";

/** The folder of a workspace's plugins. */
const IN_WORKSPACE = [".autogpt", "plugins"];

/** Plugins in folders of the workspace and of the user. The code for them is loaded only if there is one. */
export function createFolderSource(parts: FolderPluginParts): PluginSource {
  let plugins: Promise<FolderPlugins> | undefined;
  const load = async (): Promise<FolderPlugins> => {
    const late = await import("./folders/folder-plugins.ts");
    return new late.FolderPlugins(parts);
  };
  return {
    async find(place): Promise<readonly FoundPlugin[]> {
      const folders = await collectPluginFolders(parts, place);
      if (folders.length === 0) return [];
      plugins ??= load();
      return (await plugins).listPlugins(folders, place.folder);
    },
  };
}

async function collectPluginFolders(
  { userFolder, named }: FolderPluginParts,
  { folder, isTrusted }: PluginPlace,
): Promise<readonly PluginFolder[]> {
  const listed = await Promise.all([
    listPluginFolders(userFolder, "user"),
    isTrusted ? listPluginFolders(join(folder, ...IN_WORKSPACE), "workspace") : [],
  ]);
  const all = [...named.map((path) => ({ path, from: "user", isNamed: true }) as const), ...listed.flat()];
  const ours = await Promise.all(all.map(async (one) => ((await isPlugin(one.path)) ? [one] : [])));
  return ours.flat();
}

async function listPluginFolders(folder: string, from: PluginOrigin): Promise<readonly PluginFolder[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .map((name) => join(folder, name))
    .filter((path) => !basename(path).startsWith("."))
    .map((path) => ({ path, from, isNamed: false }));
}

/** Whether a path is a plugin of this kind. A folder with Python isn't; an empty folder counts as one that lacks `index.mjs`. */
async function isPlugin(path: string): Promise<boolean> {
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) return false;
  const names: readonly string[] = await readdir(path).catch(() => []);
  return names.includes("index.mjs") || names.includes("plugin.json") || !names.some((name) => name.endsWith(".py"));
}
