import { omitUndefined } from "../../core/base/objects.ts";
import { displayText } from "../../texts/display-text.ts";
import { HOOKS } from "../hooks.ts";
import type { FoundPlugin, PluginPlace, PluginSource } from "../plugin.ts";
import { Guards } from "./guards.ts";
import { buildHookConsent, type HookFolders } from "./hook-consent.ts";
import { findHookFiles, type HookFile, type HookPlaces } from "./hook-files.ts";
import { LoadedHooks } from "./loaded-hooks.ts";

/** Where to find command hooks, and the user's folder for stored facts about them. */
export interface CommandHooksParts extends HookPlaces, Pick<HookFolders, "loadLanguage"> {
  readonly storage: string;
}

/** Command hooks in the JSON format of Claude Code, VS Code and Copilot. Each file is a plugin. */
export function createCommandHooks(parts: CommandHooksParts): PluginSource {
  const guards = new Guards(parts.storage);
  return {
    async find(place) {
      const files = await findHookFiles(place, parts);
      return Promise.all(files.map((file) => createFilePlugin(file, place, parts, guards)));
    },
  };
}

async function createFilePlugin(
  file: HookFile,
  { folder }: PluginPlace,
  { home, loadLanguage }: CommandHooksParts,
  guards: Guards,
): Promise<FoundPlugin> {
  const { id, path, from, isNamed, commands, unused, problem } = file;
  const folders = { folder, loadLanguage, ...omitUndefined({ home }) };
  const consent = await buildHookConsent(commands, folders);
  return {
    id,
    kind: "hooks",
    from,
    name: id,
    description: [...commands.map(({ command }) => command), ...unused.map((name) => `(${name})`)].join("; "),
    adds: [...new Set(commands.map(({ hook }) => HOOKS[hook].event ?? hook))],
    isolation: displayText("plugins.hooksIsolation"),
    file: path,
    ...(isNamed ? {} : { consent }),
    ...omitUndefined({ problem }),
    load: async (run) =>
      new LoadedHooks(file, {
        run,
        folders: { ...folders, folder: run.folder, origin: run.origin },
        hash: consent.hash,
        guards,
        isGuard: await guards.has(commands.filter(({ hook }) => hook === "beforeCommand")),
      }),
  };
}
