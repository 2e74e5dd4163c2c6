import { join, relative, resolve } from "node:path";
import { hasCode } from "../../node/files/file-errors.ts";
import { isAtOrBelow, isBelow } from "../../node/files/real-path.ts";
import { fileText } from "../../plain-file.ts";
import { sha256 } from "../../sha256.ts";
import { displayText } from "../../texts/display-text.ts";
import { contentHash, filesFor, manifestsOf } from "../named-files.ts";
import type { FoundPlugin, LoadedPlugin, PluginPlace, PluginSource } from "../plugin.ts";
import type { McpHost } from "./mcp-host.ts";
import { promptOf, promptText, resourceText } from "./results.ts";
import type { ServerLink } from "./server-link.ts";
import { ServerPlugin, serverKey, toolId } from "./server-plugin.ts";
import { McpPool } from "./server-pool.ts";
import {
  asOneLine,
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

const MOST_BYTES = 5_000_000;

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
    text = await fileText(join(folder, ...WORKSPACE_FILE), MOST_BYTES);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    return [{ ...mcpServer(file, {}, "workspace"), problem: displayText("mcp.wrongFile", { file }) }];
  }
  const servers = serversInFile(text);
  if (!servers)
    return [{ ...mcpServer(file, {}, "workspace"), problem: displayText("mcp.wrongFile", { file }) }];
  return Promise.all(servers.map((server) => withFiles(server, folder)));
}

/** A server whose consent also covers the content of the workspace's files that its command names. */
async function withFiles(server: McpServer, folder: string): Promise<McpServer> {
  const shownNow = async (): Promise<string> =>
    [server.shown, ...(await fileLines(server, folder))].join("\n");
  const shown = await shownNow();
  return { ...server, shown, hash: sha256(shown), isSame: async () => (await shownNow()) === shown };
}

/** More words than this name no files. */
const MOST_WORDS = 500;

/** These run a package of their own, whatever a workspace's manifest says. */
const OWN_PACKAGE = /^(?:npx|pnpx|bunx)$/;

/** A line for each of the workspace's files that decide what a server does, with a hash of its content. */
async function fileLines({ values }: McpServer, folder: string): Promise<readonly string[]> {
  const { command = "", args = [], cwd = ".", env = {}, envFile } = values;
  const base = resolve(folder, withFolder(cwd, folder));
  const texts = [command, ...args, ...Object.values(env)].map((text) => withFolder(text, folder));
  // A word may be in a flag, as in --require=./tool.js, or in a list.
  const words = new Set(texts.flatMap((text) => [text, ...text.split(/[\s=,;]+/)]).slice(0, MOST_WORDS));
  const manifests = OWN_PACKAGE.test(command) ? [] : manifestsOf(command);
  const named = [...words, ...manifests].filter((word) => word !== "");
  const programs = named.map((word) => join(base, "node_modules/.bin", word));
  const paths = [...named.map((word) => resolve(base, word)), ...programs];
  const found = await Promise.all(paths.filter((path) => isAtOrBelow(path, folder)).map(filesFor));
  const variables = envFile === undefined ? [] : [resolve(folder, withFolder(envFile, folder))];
  const files = new Set([...found.flat(), ...variables].filter((path) => isBelow(path, folder)));
  return Promise.all([...files].map((file) => fileLine(file, folder)));
}

async function fileLine(file: string, folder: string): Promise<string> {
  return `${asOneLine(relative(folder, file))}: SHA-256 ${await contentHash(file)}`;
}
