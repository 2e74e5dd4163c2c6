import { join, resolve } from "node:path";
import { isAtOrBelow } from "../../disk/below.ts";
import { DisplayError, displayText, getErrorText, type Sentence } from "../../texts/display-text.ts";
import type { PluginServices } from "../call-context.ts";
import { createInProcessPlugin } from "../in-process.ts";
import type { FoundPlugin, Plugin, PluginPlace, PluginSource } from "../plugin.ts";
import { type MailAccount, readAccount } from "./mail-account.ts";
import { type ApiSettings, type ConfiguredApi, listConfiguredApis } from "./own-settings.ts";
import { type ApiDocuments, type ReadDocuments, StoredDescriptions } from "./stored-descriptions.ts";

/** The code for mail: packages/mail. */
interface MailCode {
  createEmailPlugin(account: MailAccount): Plugin;
}

/** An API with a description that can be shown, agreed to and loaded. */
export interface DescribedApi {
  /** SHA-256 of the description and of the settings that change what is sent where. */
  readonly hash: string;
  /** Servers and every operation, for the user's consent. */
  readonly shown: string;
  readonly title: string;
  /** Names of its operations as commands. */
  readonly commands: readonly string[];
  createPlugin(id: string): Plugin;
}

/** The code for described APIs: packages/openapi. */
interface OpenApiCode {
  readonly readDocuments: ReadDocuments;
  /** Reads an API's operations. The user's key is sent to `keyOrigin` alone. Throws a sentence. */
  findApi(documents: ApiDocuments, settings: ApiSettings, keyOrigin?: string): DescribedApi;
}

/** The plugins in `packages` that a program comes with, loaded on demand. One that it lacks isn't found. */
export interface PackagedPlugins {
  loadEmail?(): Promise<MailCode>;
  loadOpenApi?(): Promise<OpenApiCode>;
}

/** Parts of a host that the built-in plugins need. */
export interface OwnParts extends PluginServices, PackagedPlugins {
  /** A user folder for descriptions of APIs. */
  readonly storage: string;
}

/** The plugins included in this product. Plugins without settings are left out, and their code isn't loaded. */
export function createOwnPluginSource(parts: OwnParts): PluginSource {
  let stored: StoredDescriptions | undefined;
  return {
    async find(place) {
      const { config } = place.settings.plugins;
      const apis = parts.loadOpenApi ? listConfiguredApis(config) : [];
      const code = apis.length > 0 ? await parts.loadOpenApi?.() : undefined;
      if (code) stored ??= new StoredDescriptions(join(parts.storage, "openapi"), code.readDocuments);
      const described = apis.map(async ({ name, api }) =>
        code && stored && typeof api !== "string"
          ? loadApiPlugin(api, place, { code, stored, parts })
          : createBrokenPlugin(`openapi.${name}`, String(api)),
      );
      return [...listMailPlugins(config, parts), ...(await Promise.all(described))];
    },
  };
}

type Config = PluginPlace["settings"]["plugins"]["config"];

function listMailPlugins(config: Config, parts: OwnParts): readonly FoundPlugin[] {
  const { loadEmail } = parts;
  const account = readAccount(config.email);
  if (account === undefined || !loadEmail) return [];
  if (typeof account === "string") return [createBrokenPlugin("email", account)];
  const canSend = account.smtp !== undefined || account.draftFolder !== undefined;
  const adds = [
    ...(account.imap ? ["read_emails"] : []),
    ...(canSend ? ["send_email", "send_email_with_attachment"] : []),
  ];
  const places = [account.imap?.host, account.smtp?.host].filter((host) => host !== undefined);
  return [
    createFoundPlugin(
      "email",
      `Mail of ${account.user} at ${[...new Set(places)].join(" and ")}`,
      adds,
      async () => (await loadEmail()).createEmailPlugin(account),
      parts,
    ),
  ];
}

async function loadApiPlugin(
  api: ConfiguredApi,
  place: PluginPlace,
  {
    code,
    stored,
    parts,
  }: { readonly code: OpenApiCode; readonly stored: StoredDescriptions; readonly parts: OwnParts },
): Promise<FoundPlugin> {
  try {
    if (!place.isTrusted && isOfWorkspace(api, place))
      return createBrokenPlugin(api.id, displayText("plugins.ownUntrusted", { path: api.from }));
    const { allowHosts } = place.settings.web;
    const documents = await stored.read(api.from, { folder: place.folder, allowHosts });
    const { hash, shown, title, commands, createPlugin } = code.findApi(documents, api, api.keyOrigin);
    const description = `Operations of ${title}, described at ${api.from}`;
    const found = createFoundPlugin(api.id, description, commands, async () => createPlugin(api.id), parts);
    return { ...found, consent: { hash, shown } };
  } catch (error) {
    return createBrokenPlugin(api.id, getErrorText(error));
  }
}

function isOfWorkspace({ from }: ConfiguredApi, { folder }: PluginPlace): boolean {
  return !/^(?:https?:|~)/i.test(from) && isAtOrBelow(resolve(folder, from), folder);
}

function createFoundPlugin(
  id: string,
  description: string,
  adds: readonly string[],
  plugin: () => Promise<Plugin>,
  parts: OwnParts,
): FoundPlugin {
  const one = { id, kind: "own", from: "user", name: id, description, adds } as const;
  return {
    ...one,
    isolation: displayText("plugins.ownIsolation"),
    load: async (run) => createInProcessPlugin(await plugin(), { from: "user", kind: "own", run, services: parts }),
  };
}

function createBrokenPlugin(id: string, problem: Sentence): FoundPlugin {
  return {
    id,
    kind: "own",
    from: "user",
    name: id,
    description: "",
    adds: [],
    problem,
    isolation: displayText("plugins.ownIsolation"),
    load: async () => Promise.reject(new DisplayError(problem)),
  };
}
