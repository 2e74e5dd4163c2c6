import { homedir } from "node:os";
import { isThisMachine } from "../../core/base/http-message.ts";
import { isObject, mapTexts, tryJson } from "../../core/base/json.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import { sha256 } from "../../disk/sha256.ts";
import { isMcpServer } from "../../schema/host-validators.ts";
import type { McpServerValues } from "../../schema/mcp-values.ts";
import { DisplayError, displayText, type Sentence } from "../../texts/display-text.ts";
import type { PluginOrigin } from "../plugin.ts";
import type { StartedFiles } from "../started/started-files.ts";

/** A configured server of tools. It hasn't been contacted yet. */
export interface McpServer {
  /** Its name in the settings or in the file. */
  readonly id: string;
  readonly from: PluginOrigin;
  readonly values: McpServerValues;
  /** SHA-256 of the part that the user agrees to. */
  readonly hash: string;
  /** That part as the user sees it. */
  readonly shown: string;
  /** Whether its files are unchanged; absent for a server at an address. */
  isSame?(): Promise<boolean>;
  /** The files that its program starts and loads, as first found; absent for a server at an address. */
  readonly started?: StartedFiles;
  /** Why it can't be used. */
  readonly problem?: Sentence;
}

/** The path of `.autogpt/mcp.json` below a workspace folder. */
export const WORKSPACE_FILE = [".autogpt", "mcp.json"] as const;

/** The servers in an object that lists them by name, such as the setting. */
export function parseServers(named: Readonly<Record<string, unknown>>, from: PluginOrigin): readonly McpServer[] {
  return Object.entries(named).flatMap(([id, entry]) => {
    const server = parseMcpServer(id, entry, from);
    return server.values.disabled ? [] : [server];
  });
}

/** The servers in `.autogpt/mcp.json`; undefined if the text isn't a valid file. */
export function parseServersFile(text: string): readonly McpServer[] | undefined {
  const value = tryJson(text);
  const named = isObject(value) ? (value.servers ?? {}) : undefined;
  return isObject(named) ? parseServers(named, "workspace") : undefined;
}

/** A server from its entry, or with the reason why it can't be used. */
export function parseMcpServer(id: string, entry: unknown, from: PluginOrigin): McpServer {
  const values = isMcpServer(entry) ? entry : {};
  const problem = isMcpServer(entry) ? checkServerValues(id, entry) : displayText("mcp.wrongEntry", { name: id });
  const shown = describeServer(values, from);
  return { id, from, values, shown, hash: sha256(shown), ...(problem ? { problem } : {}) };
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$/;

function checkServerValues(id: string, { command, url }: McpServerValues): Sentence | undefined {
  if (!NAME.test(id)) return displayText("mcp.wrongName", { name: escapeInvisible(id) });
  if ((command === undefined) === (url === undefined)) return displayText("mcp.commandOrUrl", { name: id });
  return url === undefined || /^\$\{/.test(url) ? undefined : checkServerAddress(id, url);
}

/** Why an address isn't contacted, as a sentence; undefined if it may be. Only this machine is without encryption. */
export function checkServerAddress(id: string, url: string): Sentence | undefined {
  const address = URL.parse(url);
  const isWeb = address?.protocol === "https:" || (address?.protocol === "http:" && isThisMachine(address.hostname));
  return isWeb && address.username === "" ? undefined : displayText("mcp.wrongUrl", { name: id });
}

/**
 * Everything that determines what would run or be reached. For the user's own variables and headers, only names are included, as their
 * values may be secrets. A workspace's values aren't secrets, and a different value may change what a program does.
 */
function describeServer(values: McpServerValues, from: PluginOrigin): string {
  const namesIn = from === "workspace" ? formatEntries : joinNames;
  const { command, args = [], cwd, envFile, env = {}, url, headers = {}, oauth } = values;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["command", command === undefined ? undefined : JSON.stringify([command, ...args])],
    ["cwd", cwd],
    ["variables", namesIn(env)],
    ["variables from", envFile],
    ["address", url],
    ["headers", namesIn(headers)],
    ["signs in as", oauth === undefined ? undefined : JSON.stringify(oauth)],
  ];
  const lines = rows.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${formatAsOneLine(value)}`]));
  return lines.join("\n");
}

/** A text on one line, so that no part of it can look like another line. */
export function formatAsOneLine(text: string): string {
  return escapeInvisible(text).replace(/\r?\n/g, "\\n");
}

function joinNames(named: Readonly<Record<string, string>>): string | undefined {
  return Object.keys(named).toSorted().join(", ") || undefined;
}

function formatEntries(named: Readonly<Record<string, string>>): string | undefined {
  const rows = Object.entries(named).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return rows.length === 0 ? undefined : JSON.stringify(Object.fromEntries(rows));
}

/** Finds a secret that an entry names: one of the user's inputs, or an environment variable. */
export type FindSecret = (
  kind: "input" | "env",
  name: string,
  server: Pick<McpServer, "id" | "from" | "hash">,
) => Promise<string | undefined>;

/** `${input:token}`, `${env:TOKEN}`, `${workspaceFolder}`. */
const PLACEHOLDER = /\$\{(?:(input|env):([^}]+)|(workspaceFolder|userHome))\}/g;

/** Fills in an entry's placeholders. Throws a sentence if one has no value. */
export async function fillPlaceholders(server: McpServer, folder: string, find: FindSecret): Promise<McpServerValues> {
  const { id, values } = server;
  const found = new Map<string, string>();
  for (const [whole, kind, name = "", place] of JSON.stringify(values).matchAll(PLACEHOLDER)) {
    const value =
      kind === "input" || kind === "env"
        ? await find(kind, name, server)
        : place === "workspaceFolder"
          ? folder
          : homedir();
    if (value === undefined) throw new DisplayError(describeMissingValue(id, kind, name));
    found.set(whole, value);
  }
  const filled = mapTexts(values, (text) => text.replace(PLACEHOLDER, (whole) => found.get(whole) ?? whole));
  const problem = filled.url === undefined ? undefined : checkServerAddress(id, filled.url);
  if (problem !== undefined) throw new DisplayError(problem);
  return filled;
}

function describeMissingValue(server: string, kind: string | undefined, name: string): Sentence {
  return kind === "env"
    ? displayText("mcp.noVariable", { server, name })
    : displayText("mcp.noInput", { server, name, variable: formatInputVariable(name) });
}

/** Replaces the folder's placeholder in a text. */
export function fillFolder(text: string, folder: string): string {
  return text.replace(PLACEHOLDER, (whole, _kind, _name, place) => (place === "workspaceFolder" ? folder : whole));
}

const INPUT = "MCP_INPUT_";

/** The values of all inputs in an environment, to keep them out of logs and prompts. */
export function listMcpInputs(env: Readonly<NodeJS.ProcessEnv>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => (name.startsWith(INPUT) && value ? [value] : []));
}

/** The environment variable for one of the user's inputs on a command line. */
export function formatInputVariable(name: string): string {
  return `${INPUT}${name.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}`;
}
