import type { Tool } from "@modelcontextprotocol/client";
import { cutText, escapeInvisible } from "../../core/base/text.ts";
import type { Command } from "../../core/commands/command.ts";
import type { PluginConsent } from "../../schema/stored-files.ts";
import { displayText, getErrorText } from "../../texts/display-text.ts";
import type { LoadedPlugin, PluginRun } from "../plugin.ts";
import type { LinkUser, ServerLink } from "./server-link.ts";
import type { SeenTool } from "./server-memory.ts";
import type { McpPool } from "./server-pool.ts";
import type { McpServer } from "./servers.ts";
import { createToolCommand } from "./tool-command.ts";
import { createToolCommandName, describeSeenTool, formatToolName } from "./tools.ts";

const LONGEST_INSTRUCTIONS = 800;
/** The most tools of a server to read and to remember. A forgotten tool could return under another definition. */
const MOST_TOOLS = 2_000;
const MOST_REMEMBERED = 5_000;
/** The most names in a sentence. */
const MOST_NAMES = 10;

/** The key of the user's consent to a tool. */
function formatToolKey({ id, from }: McpServer, tool: string, folder: string): string {
  return from === "workspace" ? `mcp ${formatToolId(id, tool)} ${folder}` : `mcp ${formatToolId(id, tool)}`;
}

export function formatToolId(server: string, tool: string): string {
  return `${server.replace(/[%/]/g, encodeURIComponent)}/${formatToolName(tool)}`;
}

/** The key of a server's stored tools. */
export function formatServerKey({ id, from }: McpServer, folder: string): string {
  return from === "workspace" ? `tools ${id} ${folder}` : `tools ${id}`;
}

/** A server of tools in one run. The text at the head of the run's prompts doesn't change after the start. */
export class ServerPlugin implements LoadedPlugin {
  readonly id: string;
  readonly name: string;
  readonly from: McpServer["from"];
  readonly kind = "mcp";
  readonly hooks = ["offer"] as const;
  readonly isGuard = false;
  private readonly first: Command[] = [];
  private readonly server: McpServer;
  private readonly user: PluginRun & LinkUser;
  /** The user's own folder, in which the server runs. */
  private readonly folder: string;
  private readonly pool: McpPool;
  private readonly link: ServerLink;
  private readonly later = new Map<string, Command>();
  /** The commands by name, each with the hash of its tool's definition. */
  private readonly known = new Map<string, { readonly tool: string; hash: string }>();
  private readonly blocked = new Map<string, string>();
  private hasBegun = false;
  private fresh: string[] = [];
  private readonly unsubscribe: () => void;
  private updating: Promise<void> = Promise.resolve();

  constructor(server: McpServer, run: PluginRun, pool: McpPool) {
    this.id = server.id;
    this.name = server.id;
    this.from = server.from;
    this.server = server;
    const { isOpen = false, names } = run.getChanges?.() ?? {};
    this.user = { ...run, isLate: isOpen || (names?.size ?? 0) > 0 };
    this.pool = pool;
    this.folder = run.origin ?? run.folder;
    this.link = pool.getLink(server, this.folder);
    this.unsubscribe = this.link.onChange(() => void this.update());
  }

  /** Starts the server in the background, if it isn't running. */
  readonly open = async (): Promise<void> => {
    try {
      await this.link.ensureConnection(this.user);
      await this.update();
    } catch (error) {
      this.user.notice(getErrorText(error));
    }
  };

  /** The commands for the head of the prompts. Tools that arrive later aren't added there. */
  listCommands(): readonly Command[] {
    if (!this.hasBegun && this.known.size === 0)
      this.fresh.push(`The MCP server "${this.id}" isn't ready yet. If it gets ready, you are told here.`);
    this.hasBegun = true;
    return this.first;
  }

  /** Commands that arrived after the start, for `find_tools` and `call_tool`. */
  listUnofferedCommands(): readonly Command[] {
    return [...this.later.values()];
  }

  takeNews(): readonly string[] {
    const news = this.fresh;
    this.fresh = [];
    return news;
  }

  /** The server's description of itself, for the head of the prompts. The caller quotes it. */
  async call(): Promise<unknown> {
    const said = this.link.instructions;
    const words = said ? ` It says about itself: ${cutText(escapeInvisible(said), LONGEST_INSTRUCTIONS)}` : "";
    const count = this.known.size;
    return {
      resources: [`MCP server "${this.id}": ${count} tools, named ${createToolCommandName(this.id, "…")}.${words}`],
    };
  }

  async close(): Promise<void> {
    this.unsubscribe();
  }

  private update(): Promise<void> {
    this.updating = this.updating.then(() => this.look()).catch(() => undefined);
    return this.updating;
  }

  /** Compares the server's tools with those that the user has agreed to. */
  private async look(): Promise<void> {
    const tools = dedupeTools(this.link.tools ?? []);
    const { memory, consents } = this.pool.host;
    const key = formatServerKey(this.server, this.folder);
    const { tools: agreed = {} } = await memory.loadTools(key);
    const given = new Map((await consents.list()).map((consent) => [consent.key, consent]));
    const kept: Record<string, SeenTool> = {};
    const waiting: Record<string, SeenTool> = {};
    const added: string[] = [];
    let room = MOST_REMEMBERED - Object.keys(agreed).length;
    this.blocked.clear();
    for (const tool of tools) {
      const seen = describeSeenTool(tool);
      const consent = given.get(formatToolKey(this.server, tool.name, this.folder));
      const before = Object.hasOwn(agreed, tool.name) ? agreed[tool.name] : undefined;
      if (!before && --room < 0) {
        this.blocked.set(tool.name, `${createToolCommandName(this.id, tool.name)} was not called: ${TOO_MANY}`);
        continue;
      }
      const isAgreed = consent ? consent.allowed && consent.hash === seen.hash : !before || before.hash === seen.hash;
      if (isAgreed) {
        kept[tool.name] = seen;
        if (this.offer(tool, seen.hash)) added.push(createToolCommandName(this.id, tool.name));
        continue;
      }
      this.blocked.set(tool.name, explainBlockedTool(createToolCommandName(this.id, tool.name), consent));
      if (before) kept[tool.name] = before;
      if (consent?.allowed === false) continue;
      waiting[tool.name] = seen;
      if (!consent && before)
        await consents.set({
          key: formatToolKey(this.server, tool.name, this.folder),
          ...before,
          allowed: true,
        });
    }
    await memory.keepTools(key, { ...agreed, ...kept }, waiting).catch(() => undefined);
    this.tell(added, Object.keys(waiting));
  }

  /** Makes a tool callable. Returns true if it wasn't yet. */
  private offer(tool: Tool, hash: string): boolean {
    const name = createToolCommandName(this.id, tool.name);
    const known = this.known.get(name.toLowerCase());
    if (known && known.tool !== tool.name) {
      this.blocked.set(tool.name, `${name} is also the name of another tool of this server, which comes first.`);
      return false;
    }
    if (known?.hash === hash) return false;
    this.known.set(name.toLowerCase(), { tool: tool.name, hash });
    const { pinned = [] } = this.server.values;
    const command = createToolCommand(name, tool, {
      link: this.link,
      run: this.user,
      isPinned: pinned.includes("*") || pinned.includes(tool.name),
      explainBlock: (now) => this.explainBlock(now),
    });
    if (this.hasBegun) this.later.set(name, command);
    else this.first.push(command);
    return true;
  }

  /** Why a tool is blocked. The user may have reviewed a waiting tool in the meantime. */
  private async explainBlock(tool: Tool): Promise<string | undefined> {
    if (this.blocked.has(tool.name)) await this.update();
    else await this.updating;
    return this.blocked.get(tool.name);
  }

  private tell(added: readonly string[], waiting: readonly string[]): void {
    if (waiting.length > 0)
      this.user.notice(
        displayText("mcp.toolsChanged", {
          name: this.id,
          count: waiting.length,
          names: `${waiting.slice(0, MOST_NAMES).map(formatToolName).join(", ")}${waiting.length > MOST_NAMES ? ", …" : ""}`,
        }),
      );
    if (!this.hasBegun || added.length === 0) return;
    const names = added.slice(0, 5).join(", ");
    this.fresh.push(
      `The MCP server "${this.id}" has ${added.length} more ${added.length === 1 ? "tool" : "tools"} now: ${names}${added.length > 5 ? ", …" : ""}. Find them with find_tools, and call them with call_tool.`,
    );
  }
}

const TOO_MANY = `its server has named more than ${MOST_REMEMBERED} tools.`;

/** The first tool of each name, except for the language's own `__proto__`. */
function dedupeTools(tools: readonly Tool[]): readonly Tool[] {
  const byName = new Map<string, Tool>();
  for (const tool of tools.slice(0, MOST_TOOLS)) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  byName.delete("__proto__");
  return [...byName.values()];
}

function explainBlockedTool(name: string, consent: PluginConsent | undefined): string {
  return consent?.allowed === false
    ? `${name} was not called: the user has turned it off.`
    : `${name} was not called: its server has changed its definition, and the user has to look at that in Tools and Plugins first. Go on without it.`;
}
