import { join, resolve } from "node:path";
import { isAtOrBelow } from "../../node/files/real-path.ts";
import { DisplayError, displayText, type Sentence, thrownText } from "../../texts/display-text.ts";
import type { PluginServices } from "../call-context.ts";
import { inProcess } from "../in-process.ts";
import type { FoundPlugin, Plugin, PluginPlace, PluginSource } from "../plugin.ts";
import { readAccount } from "./email/account.ts";
import type { StoredDescriptions } from "./openapi/stored-descriptions.ts";
import { type ConfiguredApi, configuredApis } from "./own-settings.ts";

/** Parts of a host that our own plugins need. */
export interface OwnParts extends PluginServices {
  /** A folder of the user's, where descriptions of APIs are kept. */
  readonly storage: string;
  /** Loads the code for mail, once it's used. */
  loadEmail(): Promise<typeof import("./email/email-plugin.ts")>;
  /** Loads the code for described APIs, once it's used. */
  loadOpenApi(): Promise<typeof import("./openapi/openapi-plugin.ts")>;
}

/** The plugins that come with this product. Those that the settings don't configure aren't there, and their code isn't read. */
export function ownPlugins(parts: OwnParts): PluginSource {
  let stored: StoredDescriptions | undefined;
  return {
    async find(place) {
      const { config } = place.settings.plugins;
      const apis = configuredApis(config);
      if (apis.length > 0) {
        const { StoredDescriptions } = await parts.loadOpenApi();
        stored ??= new StoredDescriptions(join(parts.storage, "openapi"));
      }
      const described = apis.map(async ({ name, api }) =>
        stored && typeof api !== "string"
          ? foundApi(api, place, stored, parts)
          : broken(`openapi.${name}`, String(api)),
      );
      return [...mailPlugin(config, parts), ...(await Promise.all(described))];
    },
  };
}

type Config = PluginPlace["settings"]["plugins"]["config"];

function mailPlugin(config: Config, parts: OwnParts): readonly FoundPlugin[] {
  const account = readAccount(config.email);
  if (account === undefined) return [];
  if (typeof account === "string") return [broken("email", account)];
  const canSend = account.smtp !== undefined || account.draftFolder !== undefined;
  const adds = [
    ...(account.imap ? ["read_emails"] : []),
    ...(canSend ? ["send_email", "send_email_with_attachment"] : []),
  ];
  const places = [account.imap?.host, account.smtp?.host].filter((host) => host !== undefined);
  return [
    found(
      "email",
      `Mail of ${account.user} at ${[...new Set(places)].join(" and ")}`,
      adds,
      async () => (await parts.loadEmail()).emailPlugin(account),
      parts,
    ),
  ];
}

async function foundApi(
  api: ConfiguredApi,
  place: PluginPlace,
  stored: StoredDescriptions,
  parts: OwnParts,
): Promise<FoundPlugin> {
  try {
    if (!place.isTrusted && isOfWorkspace(api, place))
      return broken(api.id, displayText("plugins.ownUntrusted", { path: api.from }));
    const { findApi, openApiPlugin } = await parts.loadOpenApi();
    const { allowHosts } = place.settings.web;
    const documents = await stored.read(api.from, { folder: place.folder, allowHosts });
    const shown = findApi(documents, api, api.keyOrigin);
    const plugin = async (): Promise<Plugin> => openApiPlugin(api.id, shown, api.keyOrigin);
    const adds = shown.description.operations.map(({ command }) => command);
    const description = `Operations of ${shown.description.title}, described at ${api.from}`;
    return { ...found(api.id, description, adds, plugin, parts), consent: shown };
  } catch (error) {
    return broken(api.id, thrownText(error));
  }
}

function isOfWorkspace({ from }: ConfiguredApi, { folder }: PluginPlace): boolean {
  return !/^(?:https?:|~)/i.test(from) && isAtOrBelow(resolve(folder, from), folder);
}

function found(
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
    load: async (run) => inProcess(await plugin(), { from: "user", kind: "own", run, services: parts }),
  };
}

function broken(id: string, problem: Sentence): FoundPlugin {
  return {
    ...{ id, kind: "own", from: "user", name: id, description: "", adds: [], problem },
    isolation: displayText("plugins.ownIsolation"),
    load: async () => Promise.reject(new DisplayError(problem)),
  };
}
