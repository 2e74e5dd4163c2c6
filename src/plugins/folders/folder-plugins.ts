import { realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { getErrorMessage } from "../../core/base/errors.ts";
import { tryJson } from "../../core/base/json.ts";
import { cutText, escapeInvisible } from "../../core/base/text.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import { isFolderManifest } from "../../schema/host-validators.ts";
import { type FolderManifest, HOOK_NAMES, type HookName } from "../../schema/plugin-values.ts";
import { DisplayError, displayText, fail } from "../../texts/display-text.ts";
import { HOOKS } from "../hooks.ts";
import type { FoundPlugin, LoadedPlugin, PluginOrigin, PluginRun } from "../plugin.ts";
import { PluginLog } from "../process/plugin-log.ts";
import { PluginProcess } from "../process/plugin-process.ts";
import { describeIsolation, findIsolation, type Isolation } from "./isolation.ts";
import { type FolderContent, formatPluginFiles, PluginCopies, readPlugin } from "./plugin-files.ts";

/** Dependencies of finding and running plugins of folders. */
export interface FolderPluginParts {
  /** The user's own folder of plugins. */
  readonly userFolder: string;
  /** A user folder outside all workspaces, for copies of running plugins. */
  readonly storage: string;
  /** Plugin folders that the user has named for this start, which counts as consent. */
  readonly named: readonly string[];
  /** The path of runner.ts, or its bundle. */
  readonly runner: string | URL;
}

/** A folder that may be a plugin. */
export interface PluginFolder {
  readonly path: string;
  readonly from: PluginOrigin;
  readonly isNamed: boolean;
}

const ID = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** Plugins in folders: `index.mjs`, and an optional `plugin.json`. */
export class FolderPlugins {
  private readonly parts: FolderPluginParts;
  private readonly copies: PluginCopies;
  private isolation: Promise<Isolation> | undefined;

  constructor(parts: FolderPluginParts) {
    this.parts = parts;
    this.copies = new PluginCopies(join(parts.storage, "copies"));
  }

  /** The plugins in some folders of a workspace. No plugin code runs. */
  listPlugins(folders: readonly PluginFolder[], workspace: string): Promise<readonly FoundPlugin[]> {
    return Promise.all(folders.map((folder) => this.inspectFolder(folder, workspace)));
  }

  private async inspectFolder(candidate: PluginFolder, workspace: string): Promise<FoundPlugin> {
    const { path, from, isNamed } = candidate;
    const id = basename(path);
    const base = { id, kind: "folder", from } as const;
    try {
      if (!ID.test(id)) fail("plugins.folder.badName");
      await refuseLink(candidate, workspace);
      const files = await readPlugin(path);
      const described = readDescription(files);
      this.isolation ??= findIsolation(this.parts.runner, this.parts.storage);
      const isolation = await this.isolation;
      const { manifest, hooks } = described;
      return {
        ...base,
        name: getDisplayName(manifest, id),
        description: cutText(escapeInvisible(manifest.description ?? ""), 500),
        adds: hooks,
        isolation: describeIsolation(isolation, manifest.network === true),
        ...(isNamed ? {} : { consent: { hash: files.hash, shown: formatPluginFiles(files) } }),
        load: async (run) => this.createLoadedPlugin({ ...base, path, hash: files.hash, ...described }, isolation, run),
      };
    } catch (error) {
      const problem =
        error instanceof DisplayError
          ? error.text
          : displayText("plugins.folder.unreadable", { why: getErrorMessage(error) });
      const refuse = async (): Promise<never> => {
        throw new DisplayError(problem);
      };
      return { ...base, name: id, description: "", adds: [], isolation: "", problem, load: refuse };
    }
  }

  private createLoadedPlugin(
    { id, kind, from, path, hash, manifest, hooks }: Usable,
    isolation: Isolation,
    run: PluginRun,
  ): LoadedPlugin {
    const name = getDisplayName(manifest, id);
    const own = new PluginProcess({
      prepare: async () => {
        const copy = await this.copies.ensureCopy(hash, path);
        return isolation.start(copy, manifest.network === true);
      },
      hello: {
        load: {
          url: pathToFileURL(join(this.copies.getCopyPath(hash), INDEX)).href,
          hooks: getNamesByHook(hooks),
          config: run.settings.plugins.config[id] ?? {},
        },
      },
      log: new PluginLog(join(run.home, "plugins", `${id}.log`), (text) => run.redact(text)),
      handleLoadFailure: (why) => run.notice(displayText("plugins.notLoaded", { name, why: run.redact(why) })),
    });
    let offer: unknown;
    return {
      id,
      name,
      from,
      kind,
      hooks,
      isGuard: manifest.guard === true,
      open: async (signal) => void (await own.start(signal)),
      async call(hook, payload, signal) {
        if (hook === "offer") offer = payload;
        return own.call({ hook, payload }, signal);
      },
      async run(command, args, { signal, output }) {
        // In a process that was started again, the offer makes its commands once more.
        return String(await own.call({ command, args, offer }, signal, output));
      },
      close: () => own.close(),
    };
  }
}

/** A valid plugin. */
interface Usable extends Described {
  readonly id: string;
  readonly kind: "folder";
  readonly from: PluginOrigin;
  readonly path: string;
  readonly hash: string;
}

const LONGEST_NAME = 60;

/** The name that a plugin gives itself, followed by its id, since another plugin could use the same name. */
function getDisplayName({ name = "" }: FolderManifest, id: string): string {
  const own = cutText(escapeInvisible(name.replace(/["`]/g, "")), LONGEST_NAME);
  return own === "" || own === id ? id : `${own} (${id})`;
}

const INDEX = "index.mjs";
const MANIFEST = "plugin.json";

/** Refuses links, whose target could be swapped. A workspace's plugins must be in the workspace itself. */
async function refuseLink({ path, from }: PluginFolder, workspace: string): Promise<void> {
  const real = await realpath(path);
  const isInside = from !== "workspace" || isAtOrBelow(real, await realpath(workspace));
  if (!isInside || basename(real) !== basename(path)) fail("plugins.folder.link", { path: basename(path) });
}

interface Described {
  readonly manifest: FolderManifest;
  readonly hooks: readonly HookName[];
}

/** Reads the manifest, and finds the names of the hooks in `index.mjs` if the manifest lacks them. No plugin code runs. */
function readDescription({ files }: FolderContent): Described {
  const findText = (name: string): string | undefined =>
    files.find(({ path }) => path === name)?.bytes.toString("utf8");
  const index = findText(INDEX);
  if (index === undefined) fail("plugins.folder.noIndex");
  const manifest: unknown = tryJson(findText(MANIFEST) ?? "{}");
  if (!isFolderManifest(manifest)) fail("plugins.folder.badManifest");
  const named = manifest.hooks;
  const hooks = POSSIBLE.filter((hook) => {
    const names = [hook, ...HOOKS[hook].classic];
    return named
      ? names.some((name) => named.includes(name))
      : names.some((name) => createDefinitionPattern(name).test(index));
  });
  if (hooks.length === 0) fail("plugins.folder.noHooks");
  return { manifest, hooks };
}

/** A model must be available to the user's choice of models, which starts no process. */
const POSSIBLE = HOOK_NAMES.filter((hook) => hook !== "model");

/** A pattern for a JavaScript function or property with this name. */
function createDefinitionPattern(name: string): RegExp {
  return new RegExp(String.raw`(?<![.\w$])${name}["']?\s*[(:]`);
}

function getNamesByHook(hooks: readonly HookName[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(hooks.map((hook) => [hook, [hook, ...HOOKS[hook].classic]]));
}
