import type { McpHost } from "./mcp-host.ts";
import { ServerLink } from "./server-link.ts";
import type { McpServer } from "./servers.ts";

/** A host's connections, which its runs share. */
export class McpPool {
  readonly host: McpHost;
  private readonly links = new Map<string, ServerLink>();

  constructor(host: McpHost) {
    this.host = host;
  }

  /** The connection to a server for runs in a folder, not necessarily open. */
  getLink(server: McpServer, folder: string): ServerLink {
    const key = JSON.stringify([server.id, server.from, folder, server.hash, server.values]);
    const link = this.links.get(key) ?? new ServerLink(server, folder, this.host);
    this.links.set(key, link);
    return link;
  }

  /** All connections created so far. */
  listLinks(): readonly ServerLink[] {
    return [...this.links.values()];
  }

  /** Ends all of them permanently. */
  async close(): Promise<void> {
    await Promise.allSettled(this.listLinks().map((link) => link.close(true)));
  }
}
