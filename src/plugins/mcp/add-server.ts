import { lstat, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import { hasCode, ignoreCodes } from "../../disk/error-codes.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import type { McpServerValues } from "../../schema/mcp-values.ts";
import { displayText, fail, type Sentence } from "../../texts/display-text.ts";
import type { PluginOrigin } from "../plugin.ts";
import { listInputNames, replaceSecrets } from "./import-servers.ts";
import { formatInput } from "./known-servers.ts";
import { parseMcpServer, parseServersFile, WORKSPACE_FILE } from "./servers.ts";

/** A server that the user is adding. */
export interface NewServer {
  readonly id: string;
  readonly values: McpServerValues;
  /** Everything that would run or be reached, as the user agrees to it. */
  readonly shown: string;
  /** The secrets that the user is asked for when it starts. */
  readonly inputs: readonly string[];
}

/** Words of a shell that a server's command can't have, because none reads it. */
const NEEDS_SHELL = /[|&;<>`]|\$\(/;
const WORD = /(?:"(?:\\"|[^"])*"|'[^']*'|[^\s"'])+/g;
const VARIABLE = /^([A-Za-z_]\w*)=(.*)$/s;

/** The entry for a command line as it's typed: variables, the program and its arguments. Undefined if it needs a shell. */
export function parseTypedCommand(line: string): McpServerValues | undefined {
  const unquoted = line.replace(/"(?:\\"|[^"])*"|'[^']*'/g, "");
  if (NEEDS_SHELL.test(unquoted) || /["']/.test(unquoted)) return undefined;
  const words = (line.match(WORD) ?? []).map(removeQuotes);
  const start = words.findIndex((word) => !VARIABLE.test(word));
  const [command, ...args] = start === -1 ? [] : words.slice(start);
  if (command === undefined) return undefined;
  const variables = words.slice(0, start).map((word) => VARIABLE.exec(word) ?? []);
  const env = Object.fromEntries(variables.map(([, name = "", value = ""]) => [name, value]));
  return { command, args, ...(variables.length > 0 ? { env } : {}) };
}

function removeQuotes(word: string): string {
  return word.replace(/"((?:\\"|[^"])*)"|'([^']*)'/g, (_, double?: string, single?: string) =>
    double === undefined ? (single ?? "") : double.replaceAll('\\"', '"'),
  );
}

/** The entry for an address, with a header that has a token; "" for none. The token is asked for at the start, and never written. */
export function createAddressEntry(url: string, header: string): McpServerValues {
  const token = formatInput("token");
  return header === ""
    ? { url }
    : { url, headers: { [header]: /^authorization$/i.test(header) ? `Bearer ${token}` : token } };
}

/** A name for a server with this entry: that of its package, its program or its host. */
export function suggestServerName({ command = "", args = [], url }: McpServerValues): string {
  const host = url === undefined ? undefined : URL.parse(url)?.hostname;
  const program = ["npx", "uvx", "node", "python", "python3", "bunx", "docker"].includes(command)
    ? args.find((word) => !word.startsWith("-"))
    : command;
  const name =
    host?.replace(/^(?:mcp|www|api)\./, "") ??
    program
      ?.replace(/@[\w.]+$/, "")
      .split(/[\\/]/)
      .at(-1) ??
    "";
  return (
    name
      .replace(/^(?:mcp-server|server|mcp)-|-mcp$|\.\w+$/g, "")
      .replace(/[^\w.-]+/g, "-")
      .slice(0, 40) || "server"
  );
}

/**
 * Prepares a server for a file. Secrets in its variables and headers become placeholders, since files aren't for secrets; one anywhere
 * else is refused, and so is a name that is taken. `redact` removes secrets from a text.
 */
export function prepareNewServer(
  id: string,
  given: McpServerValues,
  {
    from,
    taken,
    redact,
  }: { readonly from: PluginOrigin; readonly taken: readonly string[]; redact(text: string): string },
): NewServer | Sentence {
  const values = replaceSecrets(id, given);
  const { shown, problem } = parseMcpServer(id, values, from);
  if (problem !== undefined) return problem;
  if (taken.some((name) => name.toLowerCase() === id.toLowerCase())) return displayText("mcp.nameTaken", { name: id });
  const text = JSON.stringify(values);
  if (redact(text) !== text) return displayText("mcp.secretInEntry", { placeholder: formatInput("token") });
  return { id, values, shown, inputs: listInputNames(values) };
}

const MOST_BYTES = 5_000_000;

/**
 * Adds a server to a workspace's file, which others get, and returns the file's path. Nothing starts: the user is asked about the entry
 * as the file then has it. Throws a sentence if the file can't be read, or if it or its folder is a link, which could lead elsewhere.
 */
export async function addServerToWorkspace(folder: string, { id, values }: NewServer): Promise<string> {
  const path = join(folder, ...WORKSPACE_FILE);
  const file = WORKSPACE_FILE.join("/");
  await mkdir(dirname(path)).catch(ignoreCodes("EEXIST"));
  if (!(await lstat(dirname(path))).isDirectory()) fail("mcp.wrongFile", { file });
  const text = await readFileText(path, MOST_BYTES).catch((error: unknown) =>
    hasCode(error, "ENOENT") ? "{}" : fail("mcp.wrongFile", { file }),
  );
  const servers = parseServersFile(text) ?? fail("mcp.wrongFile", { file });
  if (servers.some((server) => server.id === id)) fail("mcp.nameTaken", { name: id });
  const options = { formattingOptions: { insertSpaces: true, tabSize: 2 } };
  const changed = applyEdits(text, modify(text, ["servers", id], values, options));
  await replaceFile(path, changed.endsWith("\n") ? changed : `${changed}\n`);
  return path;
}
