import { join, resolve } from "node:path";
import { omitUndefined } from "../../core/base/objects.ts";
import { cutText } from "../../core/base/text.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { sha256 } from "../../disk/sha256.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import type { FoundPlugin, LoadedPlugin, PluginPlace, PluginServer, PluginSource } from "../plugin.ts";
import { readStartedFiles, type StartedFiles, type StartPlace } from "../started/started-files.ts";
import { listInputNames } from "./import-servers.ts";
import { findNameClash } from "./known-servers.ts";
import type { McpHost } from "./mcp-host.ts";
import { convertPrompt, extractPromptText, formatResource } from "./results.ts";
import type { ServerLink } from "./server-link.ts";
import { formatServerKey, formatToolId, ServerPlugin } from "./server-plugin.ts";
import { McpPool } from "./server-pool.ts";
import {
  fillFolder,
  formatAsOneLine,
  type McpServer,
  parseMcpServer,
  parseServers,
  parseServersFile,
  WORKSPACE_FILE,
} from "./servers.ts";
import { createToolCommandName, describeSeenTool, formatToolName } from "./tools.ts";

/** The servers in the settings and in a trusted workspace. Reading and listing them doesn't start any. */
export class McpSource implements PluginSource {
  readonly pool: McpPool;

  constructor(host: McpHost) {
    this.pool = new McpPool(host);
  }

  async find(place: PluginPlace): Promise<readonly FoundPlugin[]> {
    const servers = await this.listServers(place);
    const found = await Promise.all(servers.map((server) => this.listPlugins(server, place.folder)));
    return found.flat();
  }

  /** The configured servers for a folder. */
  async listServers({ folder, isTrusted, settings }: PluginPlace): Promise<readonly McpServer[]> {
    const { loadLanguage } = this.pool.host;
    const own = await Promise.all(
      parseServers(settings.mcp.servers, "user").map(async (server) =>
        server.values.url === undefined
          ? addStartedFiles(server, folder, await findStartedFiles(server, folder, loadLanguage), loadLanguage)
          : server,
      ),
    );
    return isTrusted ? [...own, ...(await loadWorkspaceServers(folder, loadLanguage))] : own;
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return this.pool.close();
  }

  /** A server, and each of its tools with a changed definition that awaits the user's consent. */
  private async listPlugins(server: McpServer, folder: string): Promise<readonly FoundPlugin[]> {
    const { id, from, hash, shown, values, problem } = server;
    const { waiting = {} } = await this.pool.host.memory.loadTools(formatServerKey(server, folder));
    const isProcess = values.url === undefined;
    const plugin: FoundPlugin = {
      id,
      kind: "mcp",
      from,
      name: id,
      adds: [],
      consent: { hash, shown },
      description: isProcess ? [values.command ?? "", ...(values.args ?? [])].join(" ") : (values.url ?? ""),
      isolation: displayText(isProcess ? "mcp.processIsolation" : "mcp.addressIsolation"),
      ...(problem ? { problem } : {}),
      resources: {
        read: async (uri, signal) => formatResource(await this.pool.getLink(server, folder).read(uri, signal)),
        listKnownAddresses: () => this.pool.getLink(server, folder).listResources(),
      },
      prompts: {
        list: async (signal) => (await this.pool.getLink(server, folder).listPrompts(signal)).map(convertPrompt),
        fetchText: async (name, args, signal) =>
          extractPromptText(await this.pool.getLink(server, folder).getPrompt(name, args, signal)),
      },
      server: describeServerState(server, folder, this.pool),
      ...omitUndefined({ warning: warnOfName(server) }),
      ...(isProcess ? {} : describeAccount(server, folder, this.pool)),
      ...(from === "workspace" ? { file: join(folder, ...WORKSPACE_FILE) } : {}),
      load: async (run) => new ServerPlugin(server, run, this.pool),
    };
    const tools = Object.entries(waiting).map(
      ([tool, seen]): FoundPlugin => ({
        id: formatToolId(id, tool),
        kind: "mcp",
        from,
        name: formatToolId(id, tool),
        adds: [],
        description: "",
        isolation: displayText("mcp.toolChanged", { server: id }),
        consent: seen,
        load: async () => createListedTool(formatToolId(id, tool), from),
      }),
    );
    return [plugin, ...tools];
  }
}

/** The state and the tools of a server. Reading them doesn't start it. */
function describeServerState(server: McpServer, folder: string, pool: McpPool): PluginServer {
  const getLink = (): ServerLink => pool.getLink(server, folder);
  return {
    inputs: listInputNames(server.values),
    getState: () => getLink().state,
    listTools: async () => {
      const now = getLink().tools?.map((tool) => [tool.name, describeSeenTool(tool)] as const);
      const { tools = {} } = await pool.host.memory.loadTools(formatServerKey(server, folder));
      return (now ?? Object.entries(tools)).map(([name, { shown }]) => ({
        name: formatToolName(name),
        command: createToolCommandName(server.id, name),
        description: cutText(shown.split("\n", 1).join(""), LONGEST_DESCRIPTION),
      }));
    },
    start: () => getLink().start(),
    stop: () => getLink().close(),
  };
}

const LONGEST_DESCRIPTION = 200;

/** Warns of an entry that has a well-known server's name and starts something else. */
function warnOfName({ id, values }: McpServer): Sentence | undefined {
  const known = findNameClash(id, values);
  return known && displayText("mcp.otherCommand", { known: known.label });
}

/** The user's account on a server at an address, if someone can sign in. */
function describeAccount(server: McpServer, folder: string, pool: McpPool): Pick<FoundPlugin, "account"> {
  const { findSignIn, signIn } = pool.host;
  const { url = "" } = server.values;
  // A server whose address is a secret itself isn't asked about.
  const stored = PLACEHOLDER_IN.test(url) ? undefined : findSignIn?.(server, url);
  if (!signIn || !stored) return {};
  const getLink = (): ServerLink => pool.getLink(server, folder);
  return {
    account: {
      hasSignIn: async () => (await stored.tokens()) !== undefined,
      signIn: async () => {
        await signIn(server, folder);
        await getLink().reconnect();
      },
      signOut: async () => {
        await stored.invalidateCredentials("tokens");
        await getLink().close();
      },
    },
  };
}

const MOST_BYTES = 5_000_000;

const PLACEHOLDER_IN = /\$\{/;

/** Tools are used through their server. */
function createListedTool(id: string, from: McpServer["from"]): LoadedPlugin {
  const close = async (): Promise<void> => undefined;
  return { id, name: id, from, kind: "mcp", hooks: [], isGuard: false, call: async () => undefined, close };
}

async function loadWorkspaceServers(
  folder: string,
  loadLanguage: StartPlace["loadLanguage"],
): Promise<readonly McpServer[]> {
  const file = WORKSPACE_FILE.join("/");
  let text: string;
  try {
    text = await readFileText(join(folder, ...WORKSPACE_FILE), MOST_BYTES);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    return [{ ...parseMcpServer(file, {}, "workspace"), problem: displayText("mcp.wrongFile", { file }) }];
  }
  const servers = parseServersFile(text);
  if (!servers) return [{ ...parseMcpServer(file, {}, "workspace"), problem: displayText("mcp.wrongFile", { file }) }];
  return Promise.all(servers.map((server) => addFiles(server, folder, loadLanguage)));
}

/** The most files to show to the user. */
const MOST_SHOWN = 100;

/** A server of the workspace, whose consent also covers the content of the files that its command starts and loads. */
async function addFiles(
  server: McpServer,
  folder: string,
  loadLanguage: StartPlace["loadLanguage"],
): Promise<McpServer> {
  const started = await findStartedFiles(server, folder, loadLanguage);
  const lines = formatFileLines(started);
  const more = lines.length > MOST_SHOWN ? [`and ${lines.length - MOST_SHOWN} more files`] : [];
  const open = started.isAllKnown ? [] : ["It may load more files, which can't be known in advance."];
  const shown = [server.shown, ...lines.slice(0, MOST_SHOWN), ...more, ...open].join("\n");
  return {
    ...addStartedFiles(server, folder, started, loadLanguage),
    shown,
    hash: sha256(JSON.stringify([server.shown, ...started.contents])),
  };
}

/** A server that can check whether the files that it loads are unchanged. */
function addStartedFiles(
  server: McpServer,
  folder: string,
  started: StartedFiles,
  loadLanguage: StartPlace["loadLanguage"],
): McpServer {
  const known = JSON.stringify([...started.contents]);
  return {
    ...server,
    started,
    isSame: async () =>
      (await started.isUntouched()) ||
      JSON.stringify([...(await findStartedFiles(server, folder, loadLanguage)).contents]) === known,
  };
}

/** The workspace's files that a server's program starts and loads. Files in the user's home folder are trusted as the user's own. */
function findStartedFiles(
  { values }: McpServer,
  folder: string,
  loadLanguage: StartPlace["loadLanguage"],
): Promise<StartedFiles> {
  const { command = "", args = [], cwd = ".", env = {}, envFile } = values;
  const [first = "", ...rest] = [command, ...args].map((text) => fillFolder(text, folder));
  const place = resolve(folder, fillFolder(cwd, folder));
  const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fillFolder(value, folder)]));
  const extra = envFile === undefined ? [] : [resolve(folder, fillFolder(envFile, folder))];
  return readStartedFiles([{ words: [first, ...rest], cwd: place, env: variables, files: extra }], {
    folder,
    home: folder,
    loadLanguage,
  });
}

/** A line for each file that exists, with a hash of its content. */
function formatFileLines({ contents }: StartedFiles): readonly string[] {
  const files = [...contents].filter(([name, content]) => content !== "" && !name.endsWith("/"));
  return files.map(([name, content]) => `${formatAsOneLine(name)}: SHA-256 ${content}`);
}
