import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callTool } from "../../src/commands/agent/call-tool.ts";
import { findTools } from "../../src/commands/agent/find-tools.ts";
import { isPrepared } from "../../src/core/commands/command.ts";
import { createToolDefinition } from "../../src/core/commands/command-forms.ts";
import { splitDeferredTools } from "../../src/core/commands/offered-commands.ts";
import { countToolsTokens, estimateTokens } from "../../src/core/context/tokens.ts";
import { McpSource } from "../../src/plugins/mcp/mcp-source.ts";
import type { LoadedPlugin } from "../../src/plugins/plugin.ts";
import { DEFAULT_SETTINGS } from "../../src/schema/read-settings.ts";
import { mcpParts, npmServer, openServer, type PlayedServer, playedServer } from "../support/mcp-servers.ts";
import { openPlugins } from "../support/plugin-bench.ts";
import { median, threadMs } from "./memory/clock.ts";
import { check, exitWithChecks, tellMachine } from "./memory/report.ts";

// What servers of tools cost a run. `npm run bench mcp`; milliseconds by the clock.

const CALLS = 300;
const signal = new AbortController().signal;

/** Files of the client's package that were loaded. */
const loaded: string[] = [];
registerHooks({
  load(url, context, next) {
    if (/(?:sdk-client|mcp\/transports)\.ts|@modelcontextprotocol/.test(url)) loaded.push(url);
    return next(url, context);
  },
});

const root = await mkdtemp(join(tmpdir(), "mcp-bench-"));
const { pool, run, server, host } = mcpParts(root);
try {
  tellMachine();
  await new McpSource(host).find({ folder: root, isTrusted: true, settings: DEFAULT_SETTINGS });
  check("files of the client that were read without a server", loaded.length, 0);
  check("first prompt with 5 servers, one of which never answers, ms", await firstPrompt(), 3_000);
  check("a call over the raw client, p50, ms", await overhead(), 1);
  for (const count of [100, 1_000]) await manyTools(count);
} finally {
  await pool.close();
  await rm(root, { recursive: true, force: true });
}
exitWithChecks();

async function played(name: string, now: PlayedServer) {
  const file = join(root, `${name}.json`);
  await writeFile(file, JSON.stringify(now));
  return server(name, playedServer(file));
}

async function firstPrompt(): Promise<number> {
  const source = new McpSource({ ...host });
  const entries = Object.fromEntries(["one", "two", "three", "four"].map((name) => [name, npmServer("memory")]));
  const silent = (await played("silent", { tools: [], isSilent: true })).values;
  const settings = { ...DEFAULT_SETTINGS, mcp: { servers: { ...entries, silent } } };
  const began = performance.now();
  const found = await source.find({ folder: root, isTrusted: true, settings });
  const plugins: LoadedPlugin[] = await Promise.all(found.map((plugin) => plugin.load(run)));
  await openPlugins(plugins, "");
  const took = performance.now() - began;
  void source.close();
  return took;
}

/** The time of a call by way of a run's command, without that of the same call by the client itself. */
async function overhead(): Promise<number> {
  const { commands } = await openServer({ pool, run }, await played("echo", { tools: [{ name: "echo" }] }));
  const [command] = commands;
  const { client } = await pool.getLink(server("echo", playedServer(join(root, "echo.json"))), root).ensureConnection();
  const times = { ours: [] as number[], raw: [] as number[] };
  for (let call = 0; call < CALLS; call++) {
    const began = performance.now();
    await client.callTool({ name: "echo", arguments: { call } });
    const between = performance.now();
    const prepared = await command?.prepare({ call }, { step: 1, signal });
    if (!prepared || !isPrepared(prepared)) throw new Error("The call isn't possible.");
    await prepared.run({ step: 1, signal, output: () => undefined, record: async () => undefined });
    times.raw.push(between - began);
    times.ours.push(performance.now() - between);
  }
  return median(times.ours) - median(times.raw);
}

async function manyTools(count: number): Promise<void> {
  const tools = Array.from({ length: count }, (_, n) => ({
    name: `tool_${n}`,
    description: `Creates, reads or changes the record ${n} of the department ${n % 37} in the archive.`,
    inputSchema: { type: "object", properties: { title: { type: "string" }, labels: { type: "array" } } },
  }));
  const instructions = "Use these tools for the records of the archive. ".repeat(100);
  const { plugin, commands } = await openServer({ pool, run }, await played(`many${count}`, { tools, instructions }));
  const { offered, behind } = splitDeferredTools(commands, 200_000);
  const specs = [...offered, callTool()].map((spec) => createToolDefinition(spec, "short"));
  const offer = JSON.stringify(await plugin.call());
  check(`tokens more with ${count} tools`, countToolsTokens(specs, estimateTokens) + estimateTokens(offer), 1_500);
  const find = findTools({ listHidden: () => [], listCallableTools: () => behind });
  const prepared = await find.prepare({ query: "change the record 77 of department 3" }, { step: 1, signal });
  if (!isPrepared(prepared)) throw new Error("It can't be looked for.");
  const [began, own] = [performance.now(), threadMs()];
  await prepared.run({ step: 1, signal, output: () => undefined, record: async () => undefined });
  const clock = performance.now() - began;
  check(
    `find_tools over ${count} tools, for the first time, ms of processor time (${clock.toFixed(1)} by the clock)`,
    threadMs() - own,
    20,
  );
}
