import { join, resolve } from "node:path";
import { isAtOrBelow } from "../../disk/below.ts";
import { DisplayError, displayText, getErrorText, type Sentence } from "../../texts/display-text.ts";
import type { PluginServices } from "../call-context.ts";
import { createInProcessPlugin } from "../in-process.ts";
import type { FoundPlugin, Plugin, PluginPlace, PluginSource } from "../plugin.ts";
import { readAccount } from "./email/account.ts";
import type { StoredDescriptions } from "./openapi/stored-descriptions.ts";
import { type ConfiguredApi, listConfiguredApis } from "./own-settings.ts";

/** Parts of a host that the built-in plugins need. */
export interface OwnParts extends PluginServices {
  /** A user folder for descriptions of APIs. */
  readonly storage: string;
  /** Loads the code for mail on demand. */
  loadEmail(): Promise<typeof import("./email/email-plugin.ts")>;
  /** Loads the code for described APIs on demand. */
  loadOpenApi(): Promise<typeof import("./openapi/openapi-plugin.ts")>;
}

/** The plugins included in this product. Plugins without settings are left out, and their code isn't loaded. */
export function createOwnPluginSource(parts: OwnParts): PluginSource {
  let stored: StoredDescriptions | undefined;
  return {
    async find(place) {
      const { config } = place.settings.plugins;
      const apis = listConfiguredApis(config);
      if (apis.length > 0) {
        const { StoredDescriptions } = await parts.loadOpenApi();
        stored ??= new StoredDescriptions(join(parts.storage, "openapi"));
      }
      const described = apis.map(async ({ name, api }) =>
        stored && typeof api !== "string"
          ? loadApiPlugin(api, place, stored, parts)
          : createBrokenPlugin(`openapi.${name}`, String(api)),
      );
      return [...listMailPlugins(config, parts), ...(await Promise.all(described))];
    },
  };
}

type Config = PluginPlace["settings"]["plugins"]["config"];

function listMailPlugins(config: Config, parts: OwnParts): readonly FoundPlugin[] {
  const account = readAccount(config.email);
  if (account === undefined) return [];
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
      async () => (await parts.loadEmail()).createEmailPlugin(account),
      parts,
    ),
  ];
}

async function loadApiPlugin(
  api: ConfiguredApi,
  place: PluginPlace,
  stored: StoredDescriptions,
  parts: OwnParts,
): Promise<FoundPlugin> {
  try {
    if (!place.isTrusted && isOfWorkspace(api, place))
      return createBrokenPlugin(api.id, displayText("plugins.ownUntrusted", { path: api.from }));
    const { findApi, openApiPlugin } = await parts.loadOpenApi();
    const { allowHosts } = place.settings.web;
    const documents = await stored.read(api.from, { folder: place.folder, allowHosts });
    const shown = findApi(documents, api, api.keyOrigin);
    const createPlugin = async (): Promise<Plugin> => openApiPlugin(api.id, shown, api.keyOrigin);
    const adds = shown.description.operations.map(({ command }) => command);
    const description = `Operations of ${shown.description.title}, described at ${api.from}`;
    return { ...createFoundPlugin(api.id, description, adds, createPlugin, parts), consent: shown };
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
