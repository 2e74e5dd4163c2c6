import { dirname, join } from "node:path";
import type { ShellLanguage } from "../safety/policy/shell-facts.ts";
import { createCommandHooks } from "./command-hooks/command-hooks.ts";
import type { Consents } from "./consents.ts";
import { createFolderSource } from "./folder-source.ts";
import type { McpHost } from "./mcp/mcp-host.ts";
import { McpSource } from "./mcp/mcp-source.ts";
import { ServerMemory } from "./mcp/server-memory.ts";
import { createOwnPluginSource, type OwnParts } from "./own/own-plugins.ts";
import type { PluginSource } from "./plugin.ts";
import { createPythonPluginSource } from "./python/python-plugins.ts";

/** Parts of a host that the sources of plugins need. */
export interface PluginParts {
  /** The user's own folder of plugins. */
  readonly userFolder: string;
  /** A user-level folder that holds copies of checked plugins. */
  readonly storage: string;
  /** Paths of plugins that the user named for this start, which is their consent. */
  readonly named: readonly string[];
  /** Path of the script that runs plugins of classic AutoGPT. */
  readonly classicBridge: string;
  /** The program that runs a folder's plugin: the file of folders/runner.ts, or its bundle. */
  readonly runner: string | URL;
  readonly consents: Consents;
  /** Access to the host for MCP servers. */
  readonly mcp: Omit<McpHost, "consents" | "memory" | "loadLanguage">;
  /** The Python interpreter that is set, or that the user has chosen in the host. */
  findPythonInterpreter(folder: string): Promise<string | undefined>;
  /** Reads command lines, to find the files that they start. */
  loadLanguage(): Promise<ShellLanguage>;
  /** Parts for the plugins that come with this product. */
  readonly own: OwnParts;
}

/** Every source of plugins that both hosts have. */
export function createPluginSources(parts: PluginParts): readonly PluginSource[] {
  const { storage, consents, mcp, loadLanguage } = parts;
  const memory = new ServerMemory(join(dirname(storage), "mcp-servers.json"));
  const servers = new McpSource({ ...mcp, consents, memory, loadLanguage });
  return [
    createOwnPluginSource(parts.own),
    createFolderSource(parts),
    createPythonPluginSource(parts),
    createCommandHooks(parts),
    servers,
  ];
}
