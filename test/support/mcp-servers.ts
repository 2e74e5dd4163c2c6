import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Command, PreparedCall } from "../../src/core/commands/command.ts";
import { createCommandSet } from "../../src/core/commands/command-set.ts";
import type { Outcome, ShowPicture } from "../../src/core/commands/outcome.ts";
import { loadGrammar } from "../../src/headless/workers.ts";
import { Consents } from "../../src/plugins/consents.ts";
import type { McpHost } from "../../src/plugins/mcp/mcp-host.ts";
import { ServerMemory } from "../../src/plugins/mcp/server-memory.ts";
import { ServerPlugin } from "../../src/plugins/mcp/server-plugin.ts";
import { McpPool } from "../../src/plugins/mcp/server-pool.ts";
import { type McpServer, parseMcpServer } from "../../src/plugins/mcp/servers.ts";
import type { PluginRun } from "../../src/plugins/plugin.ts";
import { createShellLanguageLoader } from "../../src/safety/shell/load.ts";
import { DEFAULT_SETTINGS } from "../../src/schema/read-settings.ts";

const FIXTURE = join(import.meta.dirname, "../fixtures/mcp-server.mjs");
const resolved = createRequire(import.meta.url).resolve;

/** The program of a server that npm has. */
export function npmServer(name: string, ...args: readonly string[]): { command: string; args: string[] } {
  const folder = dirname(resolved(`@modelcontextprotocol/server-${name}/package.json`));
  return { command: process.execPath, args: [join(folder, "dist/index.js"), ...args] };
}

/** A server of today's protocol in ten lines. */
export async function modernServer(folder: string): Promise<{ command: string; args: string[] }> {
  const at = (name: string): string => JSON.stringify(pathToFileURL(resolved(name)).href);
  const path = join(folder, "modern.mjs");
  await writeFile(
    path,
    `import sdk from ${at("@modelcontextprotocol/server")};
import stdio from ${at("@modelcontextprotocol/server/stdio")};
import * as z from ${at("zod")};
stdio.serveStdio(() => {
  const server = new sdk.McpServer({ name: "modern", version: "1" }, { instructions: "Adds numbers." });
  const inputSchema = z.object({ a: z.number(), b: z.number() });
  const outputSchema = z.object({ sum: z.number() });
  server.registerTool("add", { description: "Adds.", inputSchema, outputSchema }, async ({ a, b }) => ({
    content: [], structuredContent: { sum: a + b },
  }));
  return server;
});
`,
  );
  return { command: process.execPath, args: [path] };
}

/** What the fixture's server offers, and how its tools behave. */
export interface PlayedServer {
  readonly instructions?: string;
  readonly isSilent?: boolean;
  /** Written before the first message, on the same line. */
  readonly banner?: string;
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  /** Texts of templates, by their names. */
  readonly prompts?: Readonly<Record<string, string>>;
  /** By address: its text, a number of characters, or what reading it does. */
  readonly resources?: Readonly<
    Record<string, { readonly text?: string; readonly chars?: number; readonly does?: string }>
  >;
}

/** A server that does what a file says. */
export function playedServer(file: string): { command: string; args: string[] } {
  return { command: process.execPath, args: [FIXTURE, file] };
}

/** Servers, and a host and a run for them, in a folder. */
export function mcpParts(folder: string, more: Partial<McpHost> = {}) {
  const notices: unknown[] = [];
  const host: McpHost = {
    loadClient: () => import("../../src/plugins/mcp/sdk-client.ts"),
    memory: new ServerMemory(join(folder, "mcp-servers.json")),
    consents: new Consents(join(folder, "plugin-consents.json")),
    findSecret: async () => undefined,
    loadLanguage: createShellLanguageLoader("bash", loadGrammar),
    ...more,
  };
  const run: PluginRun = {
    id: "run-1",
    folder,
    listFolders: () => [{ name: "folder", path: folder }],
    home: folder,
    settings: DEFAULT_SETTINGS,
    notice: (text) => void notices.push(text),
    redact: (text) => text,
  };
  const pool = new McpPool(host);
  const server = (id: string, entry: unknown): McpServer => parseMcpServer(id, entry, "user");
  return { host, pool, run, server, notices };
}

/** The plugin of a server for a run, whose first prompt waits for so long. */
export async function openServer(
  { pool, run }: Pick<ReturnType<typeof mcpParts>, "pool" | "run">,
  server: McpServer,
  waitMs = 30_000,
) {
  const plugin = new ServerPlugin(server, run, pool);
  await Promise.race([plugin.open(), wait(waitMs, undefined, { ref: false })]);
  return { plugin, commands: plugin.listCommands() };
}

/** Prepares a call as a run does, and returns the preview's text and the outcome of running it. */
export async function called(
  commands: readonly Command[],
  name: string,
  args: Readonly<Record<string, unknown>>,
  more: {
    readonly signal?: AbortSignal;
    output?(chunk: string): void;
    behind?(): readonly Command[];
    readonly showPicture?: ShowPicture;
  } = {},
): Promise<{ readonly prepared?: PreparedCall; readonly shown?: string; readonly outcome: Outcome }> {
  const { signal = new AbortController().signal, output = () => undefined, behind, showPicture } = more;
  const set = createCommandSet([]);
  set.add(commands, behind);
  const prepared = await set.prepare(set.understand({ name, args }).call, { step: 3, signal });
  if (!("preview" in prepared)) return { outcome: prepared };
  const { preview } = prepared;
  const running = { step: 3, signal, output, record: async () => undefined, showPicture };
  const outcome = await set.run(prepared, running);
  return { prepared, ...(preview.kind === "details" ? { shown: preview.text } : {}), outcome };
}
