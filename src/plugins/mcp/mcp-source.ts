import { join, resolve } from "node:path";
import { hasCode } from "../../node/files/file-errors.ts";
import { fileText } from "../../plain-file.ts";
import { sha256 } from "../../sha256.ts";
import { displayText } from "../../texts/display-text.ts";
import type { FoundPlugin, LoadedPlugin, PluginPlace, PluginSource } from "../plugin.ts";
import { readStartedFiles, type StartedFiles, type StartPlace } from "../started/started-files.ts";
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
    const { language } = this.pool.host;
    const own = await Promise.all(
      serversIn(settings.mcp.servers, "user").map(async (server) =>
        server.values.url === undefined
          ? withStarted(server, folder, await startedBy(server, folder, language), language)
          : server,
      ),
    );
    return isTrusted ? [...own, ...(await workspaceServers(folder, language))] : own;
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

async function workspaceServers(
  folder: string,
  language: StartPlace["language"],
): Promise<readonly McpServer[]> {
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
  return Promise.all(servers.map((server) => withFiles(server, folder, language)));
}

/** Files that the user is shown. */
const MOST_SHOWN = 100;

/** A server of the workspace, whose consent also covers the content of the files that its command starts and loads. */
async function withFiles(
  server: McpServer,
  folder: string,
  language: StartPlace["language"],
): Promise<McpServer> {
  const started = await startedBy(server, folder, language);
  const lines = linesOf(started);
  const more = lines.length > MOST_SHOWN ? [`and ${lines.length - MOST_SHOWN} more files`] : [];
  const open = started.isAllKnown ? [] : ["It may load more files, which can't be known in advance."];
  const shown = [server.shown, ...lines.slice(0, MOST_SHOWN), ...more, ...open].join("\n");
  return {
    ...withStarted(server, folder, started, language),
    shown,
    hash: sha256(JSON.stringify([server.shown, ...started.contents])),
  };
}

/** A server that knows whether the files that it loads are still the same. */
function withStarted(
  server: McpServer,
  folder: string,
  started: StartedFiles,
  language: StartPlace["language"],
): McpServer {
  const known = JSON.stringify([...started.contents]);
  return {
    ...server,
    started,
    isSame: async () =>
      (await started.isUntouched()) ||
      JSON.stringify([...(await startedBy(server, folder, language)).contents]) === known,
  };
}

/** The files of the workspace that the program of a server starts and loads. Those of the user's home are the user's own. */
function startedBy(
  { values }: McpServer,
  folder: string,
  language: StartPlace["language"],
): Promise<StartedFiles> {
  const { command = "", args = [], cwd = ".", env = {}, envFile } = values;
  const [first = "", ...rest] = [command, ...args].map((text) => withFolder(text, folder));
  const place = resolve(folder, withFolder(cwd, folder));
  const variables = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, withFolder(value, folder)]),
  );
  const extra = envFile === undefined ? [] : [resolve(folder, withFolder(envFile, folder))];
  return readStartedFiles([{ words: [first, ...rest], cwd: place, env: variables, files: extra }], {
    folder,
    home: folder,
    language,
  });
}

/** A line for each file that exists, with a hash of its content. */
function linesOf({ contents }: StartedFiles): readonly string[] {
  const files = [...contents].filter(([name, content]) => content !== "" && !name.endsWith("/"));
  return files.map(([name, content]) => `${asOneLine(name)}: SHA-256 ${content}`);
}
