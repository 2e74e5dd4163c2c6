import { runWithinTime } from "../core/base/async.ts";
import { escapeInvisible } from "../core/base/text.ts";
import { type DisplayText, displayText, fail, getErrorText, type Sentence } from "../texts/display-text.ts";
import { type ConsentState, type Consents, consentState } from "./consents.ts";
import {
  type FoundPlugin,
  type LoadedPlugin,
  PLUGIN_KINDS,
  type PluginOrigin,
  type PluginPlace,
  type PluginRun,
  type PluginSource,
} from "./plugin.ts";

/** Whether a plugin is used, or the reason why not. */
type PluginState =
  | "on"
  /** The user hasn't been asked yet, or the plugin has changed since. */
  | Exclude<ConsentState, "allowed">
  /** `plugins.deny` names it, or `plugins.allow` doesn't. */
  | "excluded"
  /** The plugin is off until the user turns it on. */
  | "off"
  | "broken";

/** A plugin as an item in the list of plugins. */
export interface ListedPlugin {
  readonly plugin: FoundPlugin;
  readonly state: PluginState;
  /** The version that the user agreed to, if the plugin has changed since. */
  readonly before?: string;
  readonly problem?: Sentence;
}

/** Loading starts only other extensions, and one of them may be waiting for this extension in turn. */
const LOAD_MS = 5_000;

/** Secrets are stored by plugin name, so other plugins may not use the built-in plugins' names. */
const OURS = /^(?:email|openapi(?:\..*)?)$/i;

const ORIGINS: readonly PluginOrigin[] = ["extension", "user", "workspace"];

/** All plugins available to a host. */
export class PluginCatalog {
  private readonly sources: readonly PluginSource[];
  private readonly host: "editor" | "commandLine";
  readonly consents: Consents;

  /** `host` determines where the user finds the list of plugins. */
  constructor(sources: readonly PluginSource[], consents: Consents, host: "editor" | "commandLine") {
    this.sources = sources;
    this.host = host;
    this.consents = consents;
  }

  /** Finds the plugins for a folder, in the order of their hook calls. No plugin code runs. */
  async list(place: PluginPlace): Promise<readonly ListedPlugin[]> {
    const found = (await Promise.all(this.sources.map((source) => source.find(place)))).flat();
    if (found.length === 0) return [];
    const consents = await this.consents.list();
    const taken = new Set<string>();
    return found.toSorted(comparePlugins).map((plugin) => {
      const isServer = plugin.kind === "mcp" || plugin.kind === "tools";
      const name = `${isServer ? plugin.kind : "plugin"} ${plugin.id.toLowerCase()}`;
      const isTaken = taken.has(name) || (plugin.kind !== "own" && OURS.test(plugin.id));
      taken.add(name);
      if (isTaken) return { plugin, state: "broken", problem: displayText("plugins.sameName", { name: plugin.id }) };
      if (plugin.problem !== undefined) return { plugin, state: "broken", problem: plugin.problem };
      const key = consentKey(plugin, place.folder);
      const given = consents.find((consent) => consent.key === key);
      const state = determineState(plugin, place, given && consentState(given, getConsentHash(plugin)));
      return { plugin, state, ...(state === "changed" && given ? { before: given.shown } : {}) };
    });
  }

  /** Finds a plugin by its key; undefined if it's gone or has changed its place. */
  async find(place: PluginPlace, key: string): Promise<ListedPlugin | undefined> {
    return (await this.list(place)).find(({ plugin }) => getPluginKey(plugin) === key);
  }

  /**
   * Starts a server at the user's request. The user's consent to exactly its current entry and files is the wall: without it, nothing
   * starts. Throws a sentence.
   */
  async start(place: PluginPlace, key: string): Promise<void> {
    const found = await this.find(place, key);
    if (found?.state !== "on") return fail("plugins.notAllowed", { name: found?.plugin.name ?? key });
    await found.plugin.server?.start();
  }

  /** Loads the allowed plugins. A plugin that can't be loaded is reported to the user and left out. */
  async load(place: PluginPlace, run: PluginRun): Promise<readonly LoadedPlugin[]> {
    const listed = await this.list(place);
    const waiting = listed.filter(({ state }) => state === "new" || state === "changed");
    if (waiting.length > 0) run.notice(this.describeWaitingPlugins(waiting));
    for (const text of this.describeBrokenPlugins(listed.filter(({ state }) => state === "broken"))) run.notice(text);
    const wanted = listed.filter(({ state }) => state === "on");
    const loaded = await Promise.all(
      wanted.map(({ plugin }) => {
        const consent = () => this.consents.find(consentKey(plugin, place.folder));
        return loadOrReport(plugin, { ...run, consent });
      }),
    );
    return loaded.filter((plugin) => plugin !== undefined);
  }

  private describeWaitingPlugins(waiting: readonly ListedPlugin[]): DisplayText {
    const names = waiting.map(({ plugin }) => escapeInvisible(plugin.name)).join(", ");
    const code = this.host === "editor" ? "plugins.waiting" : "plugins.waitingHeadless";
    return displayText(code, { count: waiting.length, names });
  }

  /** Describes a single plugin with its reason, or several by name, since the list of plugins has the reasons. */
  private describeBrokenPlugins(broken: readonly ListedPlugin[]): readonly Sentence[] {
    if (this.host === "editor" && broken.length > 1) {
      const names = broken.map(({ plugin }) => plugin.name).join(", ");
      return [displayText("plugins.someNotLoaded", { count: broken.length, names })];
    }
    return broken.map(({ plugin, problem = "" }) => describeBrokenPlugin(plugin, problem));
  }

  /** Forgets the user's answer. */
  async forget(plugin: FoundPlugin, folder: string): Promise<void> {
    await this.consents.forget(consentKey(plugin, folder));
  }

  /** Releases resources that the runs share. */
  async close(): Promise<void> {
    await Promise.allSettled(this.sources.map((source) => source.close?.()));
  }

  /** Stores the user's answer for exactly this version of a plugin. */
  async answer(plugin: FoundPlugin, folder: string, allowed: boolean): Promise<void> {
    const shown = plugin.consent?.shown ?? "";
    const key = consentKey(plugin, folder);
    await this.consents.set({ key, hash: getConsentHash(plugin), shown, allowed, at: Date.now() });
  }
}

/** Identifies a plugin among all of a folder's. */
export function getPluginKey({ kind, id, from }: FoundPlugin): string {
  return `${kind} ${from} ${id}`;
}

/** The key of the user's consent to a plugin. Consent to a workspace's plugin applies only to that workspace. */
function consentKey({ kind, id, from }: FoundPlugin, folder: string): string {
  return from === "workspace" ? `${kind} ${id} ${folder}` : `${kind} ${id}`;
}

/** The hash for a consent. A plugin that the user has installed needs none, so it has no version. */
function getConsentHash({ consent }: FoundPlugin): string {
  return consent?.hash ?? "installed";
}

function determineState(
  { id, consent, isOptional }: FoundPlugin,
  { settings }: PluginPlace,
  given: ConsentState | undefined,
): PluginState {
  const { allow, deny } = settings.plugins;
  const isNamedBy = (list: readonly string[]): boolean => list.some((name) => name.toLowerCase() === id.toLowerCase());
  if (isNamedBy(deny) || (allow.length > 0 && !isNamedBy(allow))) return "excluded";
  if (given !== undefined) return given === "allowed" ? "on" : given;
  if (isOptional) return "off";
  return consent ? "new" : "on";
}

function comparePlugins(one: FoundPlugin, other: FoundPlugin): number {
  const byOrigin = ORIGINS.indexOf(one.from) - ORIGINS.indexOf(other.from);
  const byKind = PLUGIN_KINDS.indexOf(one.kind) - PLUGIN_KINDS.indexOf(other.kind);
  return byOrigin || byKind || (one.id < other.id ? -1 : 1);
}

async function loadOrReport(plugin: FoundPlugin, run: PluginRun): Promise<LoadedPlugin | undefined> {
  try {
    return await runWithinTime(LOAD_MS, new AbortController().signal, () => plugin.load(run));
  } catch (error) {
    run.notice(describeBrokenPlugin(plugin, getErrorText(error)));
    return undefined;
  }
}

function describeBrokenPlugin({ name }: FoundPlugin, why: Sentence): DisplayText {
  return displayText("plugins.notLoaded", { name: escapeInvisible(name), why });
}
