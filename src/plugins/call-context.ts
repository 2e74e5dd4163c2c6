import { omitUndefined } from "../core/base/objects.ts";
import type { Touch } from "../core/commands/command.ts";
import { WebError } from "../core/ports/services.ts";
import type { ResolvedPath } from "../core/ports/workspace.ts";
import { createAddressCheck } from "../node/web/address-check.ts";
import { createGetter } from "../node/web/get.ts";
import { sendRequest } from "../node/web/node-web.ts";
import { createNodeWorkspace, type FolderWorkspace } from "../node/workspace.ts";
import type {
  CommandRun,
  HookContext,
  PluginCommand,
  PluginRequest,
  PluginResponse,
  PluginRun,
  PrepareCallContext,
  PreparedOffer,
} from "./plugin.ts";

/** Access to the user's data for plugins in this process. */
export interface PluginServices {
  /** The value stored for an address, such as a plugin's secret. */
  findKey(address: string): Promise<string | undefined>;
  /** Writes a line to the log of plugins. */
  log(plugin: string, text: string): void;
}

/** The address under which a plugin's secret is stored. Other plugins' names can't lead to it. */
export function formatSecretAddress(plugin: string, name: string): string {
  return `autogpt-plugin://${encodeURIComponent(plugin.toLowerCase())}/${encodeURI(name)}`;
}

/** The plugin and the name of the secret stored under an address; undefined for any other address. */
export function parseSecretAddress(address: string): { readonly plugin: string; readonly name: string } | undefined {
  const [, plugin = "", name = ""] = /^autogpt-plugin:\/\/([^/]+)\/(.*)$/.exec(address) ?? [];
  return plugin === "" ? undefined : { plugin: decodeURIComponent(plugin), name: decodeURI(name) };
}

/** Creates the context of a plugin's calls in a run. */
export function createContextFactory(
  id: string,
  run: PluginRun,
  services: PluginServices,
): (signal: AbortSignal) => HookContext {
  const config = run.settings.plugins.config[id] ?? {};
  return (signal) => ({
    signal,
    config,
    log: (text) => services.log(id, run.redact(text)),
    secret: (name) => services.findKey(formatSecretAddress(id, name)),
    fetch: (url, request = {}) => fetchFromWeb(run, url, { signal, ...request }),
  });
}

interface Preparing {
  readonly signal: AbortSignal;
  createContext(signal: AbortSignal): HookContext;
}

/** Prepares a call if the command can check its calls; otherwise undefined. */
export async function prepareOffer(
  { prepare }: PluginCommand,
  args: Readonly<Record<string, unknown>>,
  { listFolders }: PluginRun,
  { signal, createContext }: Preparing,
): Promise<PreparedOffer | undefined> {
  const workspace = createNodeWorkspace({ folders: listFolders });
  const seen: ResolvedPath[] = [];
  const readFile: PrepareCallContext["readFile"] = async (path) => {
    const place = await workspace.locate(path);
    if (place.kind !== "file") throw new Error(`"${place.label}" is not a file.`);
    const bytes = await workspace.readBytes(place);
    seen.push(place);
    return { label: place.label, bytes };
  };
  const call = await prepare?.(args, { ...createContext(signal), readFile });
  return (
    call && {
      ...call,
      reads: seen.map(({ path, via }): Touch => ({ path, how: "read", ...omitUndefined({ via }) })),
      isFresh: () => areAsSeen(workspace, seen),
      run: async ({ signal: running, output }: CommandRun) => call.run({ ...createContext(running), output }),
    }
  );
}

async function areAsSeen(workspace: FolderWorkspace, seen: readonly ResolvedPath[]): Promise<boolean> {
  const same = seen.map(async ({ label, version }) => (await workspace.locate(label)).version === version);
  return (await Promise.all(same)).every((one) => one);
}

/** Sends a request, subject to the rules for a run's hosts. */
async function fetchFromWeb(
  { settings: { web } }: PluginRun,
  address: string,
  { method = "GET", headers = {}, body, signal }: PluginRequest & { readonly signal: AbortSignal },
): Promise<PluginResponse> {
  if (!web.enabled) throw new WebError("The web is turned off (autogpt.web.enabled).");
  const url = URL.parse(address);
  if (!url) throw new WebError(`"${address}" is not a web address.`);
  const get = createGetter(createAddressCheck(() => web.allowHosts));
  const request = { method: method.toUpperCase(), headers, signal, ...omitUndefined({ body }) };
  return sendRequest(get, url, request, web.maxBytes);
}
