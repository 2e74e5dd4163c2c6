import { stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { hasCode } from "../../node/files/file-errors.ts";
import { fileBytes, fileText } from "../../plain-file.ts";
import { sha256 } from "../../sha256.ts";
import { displayText } from "../../texts/display-text.ts";
import type { FoundPlugin, LoadedPlugin, PluginPlace, PluginSource } from "../plugin.ts";
import type { McpHost } from "./mcp-host.ts";
import { promptOf, promptText, resourceText } from "./results.ts";
import type { ServerLink } from "./server-link.ts";
import { ServerPlugin, serverKey, toolId } from "./server-plugin.ts";
import { McpPool } from "./server-pool.ts";
import {
  type McpServer,
  mcpServer,
  serversIn,
  serversInFile,
  WORKSPACE_FILE,
  withFolder,
} from "./servers.ts";

/** The servers of the settings, and those of a trusted workspace. Neither reading nor listing them starts one. */
export class McpSource implements PluginSource {
  readonly pool: McpPool;

  constructor(host: McpHost) {
    this.pool = new McpPool(host);
  }

  async find(place: PluginPlace): Promise<readonly FoundPlugin[]> {
    const servers = await this.servers(place);
    const found = await Promise.all(servers.map((server) => this.found(server, place.folder)));
    return found.flat();
  }

  /** The servers for a folder, as they are set up. */
  async servers({ folder, isTrusted, settings }: PluginPlace): Promise<readonly McpServer[]> {
    const own = serversIn(settings.mcp.servers, "user");
    return isTrusted ? [...own, ...(await workspaceServers(folder))] : own;
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return this.pool.close();
  }

  /** A server, and each of its tools whose changed definition waits for the user. */
  private async found(server: McpServer, folder: string): Promise<readonly FoundPlugin[]> {
    const { id, from, hash, shown, values, problem } = server;
    const { waiting = {} } = await this.pool.host.memory.tools(serverKey(server, folder));
    const isProcess = values.url === undefined;
    const plugin: FoundPlugin = {
      ...{ id, kind: "mcp", from, name: id, adds: [], consent: { hash, shown } },
      description: isProcess ? [values.command ?? "", ...(values.args ?? [])].join(" ") : (values.url ?? ""),
      isolation: displayText(isProcess ? "mcp.processIsolation" : "mcp.addressIsolation"),
      ...(problem ? { problem } : {}),
      resources: {
        read: async (uri, signal) => resourceText(await this.pool.link(server, folder).read(uri, signal)),
        known: () => this.pool.link(server, folder).resources(),
      },
      prompts: {
        list: async (signal) => (await this.pool.link(server, folder).prompts(signal)).map(promptOf),
        text: async (name, args, signal) =>
          promptText(await this.pool.link(server, folder).prompt(name, args, signal)),
      },
      ...(isProcess ? {} : accountOf(server, folder, this.pool)),
      ...(from === "workspace" ? { file: join(folder, ...WORKSPACE_FILE) } : {}),
      load: async (run) => new ServerPlugin(server, run, this.pool),
    };
    const tools = Object.entries(waiting).map(
      ([tool, seen]): FoundPlugin => ({
        ...{ id: toolId(id, tool), kind: "mcp", from, name: toolId(id, tool), adds: [] },
        description: "",
        isolation: displayText("mcp.toolChanged", { server: id }),
        consent: seen,
        load: async () => onlyListed(toolId(id, tool), from),
      }),
    );
    return [plugin, ...tools];
  }
}

/** The user's account on a server at an address, where someone can sign in. */
function accountOf(server: McpServer, folder: string, pool: McpPool): Pick<FoundPlugin, "account"> {
  const { auth, signIn } = pool.host;
  const { url = "" } = server.values;
  // A server whose address is a secret itself isn't asked about.
  const stored = PLACEHOLDER_IN.test(url) ? undefined : auth?.(server, url);
  if (!signIn || !stored) return {};
  const link = (): ServerLink => pool.link(server, folder);
  return {
    account: {
      isSignedIn: async () => (await stored.tokens()) !== undefined,
      signIn: async () => {
        await signIn(server, folder);
        await link().again();
      },
      signOut: async () => {
        await stored.invalidateCredentials("tokens");
        await link().close();
      },
    },
  };
}

const PLACEHOLDER_IN = /\$\{/;

/** A tool is used by way of its server. */
function onlyListed(id: string, from: McpServer["from"]): LoadedPlugin {
  const close = async (): Promise<void> => undefined;
  return { id, name: id, from, kind: "mcp", hooks: [], isGuard: false, call: async () => undefined, close };
}

async function workspaceServers(folder: string): Promise<readonly McpServer[]> {
  const file = WORKSPACE_FILE.join("/");
  let text: string;
  try {
    text = await fileText(join(folder, ...WORKSPACE_FILE));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    return [{ ...mcpServer(file, {}, "workspace"), problem: displayText("mcp.wrongFile", { file }) }];
  }
  const servers = serversInFile(text);
  if (!servers)
    return [{ ...mcpServer(file, {}, "workspace"), problem: displayText("mcp.wrongFile", { file }) }];
  return Promise.all(servers.map((server) => withFiles(server, folder)));
}

/** Larger files are no scripts. */
const MOST_BYTES = 5_000_000;

/** The user's consent also covers the content of the workspace's files that the server's command names. */
async function withFiles(server: McpServer, folder: string): Promise<McpServer> {
  const { command = "", args = [], cwd = ".", envFile } = server.values;
  const base = resolve(folder, withFolder(cwd, folder));
  const named = [command, ...args].map((word) => resolve(base, withFolder(word, folder)));
  const files = [...named, ...(envFile === undefined ? [] : [resolve(folder, withFolder(envFile, folder))])];
  const lines = await Promise.all(files.map((file) => hashLine(file, folder)));
  const shown = [server.shown, ...lines.filter((line) => line !== undefined)].join("\n");
  return { ...server, shown, hash: sha256(shown) };
}

async function hashLine(file: string, folder: string): Promise<string | undefined> {
  const name = relative(folder, file);
  if (name === "" || name.startsWith("..") || isAbsolute(name)) return undefined;
  const size = await stat(file).then(
    (found) => (found.isFile() ? found.size : Number.POSITIVE_INFINITY),
    () => Number.POSITIVE_INFINITY,
  );
  if (size > MOST_BYTES) return undefined;
  return `${name}: SHA-256 ${sha256(await fileBytes(file))}`;
}
