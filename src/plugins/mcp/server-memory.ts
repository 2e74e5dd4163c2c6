import { Queue } from "../../core/base/async.ts";
import { tryJson } from "../../core/base/json.ts";
import { readLinkedText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { MCP_MEMORY_VERSION } from "../../schema/formats.ts";
import { isMcpMemory } from "../../schema/host-validators.ts";
import type { McpMemoryValues } from "../../schema/mcp-values.ts";

/** A tool's definition as the user sees it. */
export interface SeenTool {
  readonly hash: string;
  readonly shown: string;
}

type Remembered = McpMemoryValues["servers"][string];

/** The protocol is queried again after a week, because a server may have been updated to the new one. */
const ERA_MS = 7 * 24 * 60 * 60 * 1000;

/** Stores servers' protocols and tools between runs, in a user file outside all workspaces. */
export class ServerMemory {
  private readonly path: string;
  private readonly turns = new Queue();

  constructor(path: string) {
    this.path = path;
  }

  /** The protocol of a server, unless that was found out too long ago. */
  async findEra(hash: string, now: number = Date.now()): Promise<Remembered["era"]> {
    const { era, at = 0 } = (await this.loadAll())[`era ${hash}`] ?? {};
    return now - at < ERA_MS ? era : undefined;
  }

  async keepEra(hash: string, era: Remembered["era"], now: number = Date.now()): Promise<void> {
    await this.change(`era ${hash}`, era ? { era, at: now } : {});
  }

  /** A server's tools that the user has agreed to, and changed ones that await consent. */
  async loadTools(key: string): Promise<Pick<Remembered, "tools" | "waiting">> {
    return (await this.loadAll())[key] ?? {};
  }

  async keepTools(
    key: string,
    tools: Readonly<Record<string, SeenTool>>,
    waiting: Readonly<Record<string, SeenTool>>,
  ): Promise<void> {
    await this.change(key, { tools, waiting });
  }

  private async loadAll(): Promise<McpMemoryValues["servers"]> {
    const value = tryJson(await readLinkedText(this.path).catch(() => ""));
    return isMcpMemory(value) ? value.servers : {};
  }

  private async change(key: string, next: Remembered): Promise<void> {
    await this.turns.add(async () => {
      const all = await this.loadAll();
      if (JSON.stringify(all[key]) === JSON.stringify(next)) return;
      const stored = { version: MCP_MEMORY_VERSION, servers: { ...all, [key]: next } };
      await replaceFile(this.path, JSON.stringify(stored), { private: true, makeFolder: true });
    });
  }
}
