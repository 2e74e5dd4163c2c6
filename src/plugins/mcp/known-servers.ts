import { isDeepStrictEqual } from "node:util";
import type { McpServerValues } from "../../schema/mcp-values.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";

/** A server that many people use, with the entry that its authors recommend. */
export interface KnownServer {
  readonly id: string;
  readonly label: string;
  readonly about: DisplayText;
  readonly values: McpServerValues;
}

const FOLDER = "${" + "workspaceFolder}";

/** Well-known servers. Nothing of them is downloaded before the user allows one. */
export const KNOWN_SERVERS: readonly KnownServer[] = [
  createKnownServer("filesystem", "Filesystem", createNpxEntry("@modelcontextprotocol/server-filesystem", FOLDER)),
  createKnownServer("git", "Git", createUvxEntry("mcp-server-git", "--repository", FOLDER)),
  createKnownServer("github", "GitHub", { url: "https://api.githubcopilot.com/mcp/" }),
  createKnownServer("fetch", "Fetch", createUvxEntry("mcp-server-fetch")),
  createKnownServer("memory", "Memory", createNpxEntry("@modelcontextprotocol/server-memory")),
  createKnownServer(
    "postgres",
    "PostgreSQL",
    createNpxEntry("@modelcontextprotocol/server-postgres", formatInput("address")),
  ),
  createKnownServer("playwright", "Playwright", createNpxEntry("@playwright/mcp")),
  createKnownServer("context7", "Context7", createNpxEntry("@upstash/context7-mcp")),
  createKnownServer("time", "Time", createUvxEntry("mcp-server-time")),
];

function createKnownServer(id: KnownId, label: string, values: McpServerValues): KnownServer {
  return { id, label, values, about: displayText(`mcp.known.${id}`) };
}

type KnownId = "filesystem" | "git" | "github" | "fetch" | "memory" | "postgres" | "playwright" | "context7" | "time";

function createNpxEntry(...args: readonly string[]): McpServerValues {
  return { command: "npx", args: ["-y", ...args] };
}

function createUvxEntry(...args: readonly string[]): McpServerValues {
  return { command: "uvx", args: [...args] };
}

/** The placeholder of a secret that the user is asked for. */
export function formatInput(name: string): string {
  return `\${input:${name}}`;
}

/** The well-known server whose name an entry has, although it starts or reaches something else; undefined if there is none. */
export function findNameClash(id: string, values: McpServerValues): KnownServer | undefined {
  const known = KNOWN_SERVERS.find(
    (one) => one.id === id.toLowerCase() || one.label.toLowerCase() === id.toLowerCase(),
  );
  return known === undefined || isSameServer(values, known.values) ? undefined : known;
}

/** True if an entry starts the known program, perhaps with further arguments, or reaches the known address. */
function isSameServer(values: McpServerValues, known: McpServerValues): boolean {
  if (known.url !== undefined) return values.url === known.url;
  const program = (known.args ?? []).slice(0, known.command === "npx" ? 2 : 1);
  return (
    values.command === known.command &&
    isDeepStrictEqual((values.args ?? []).slice(0, program.length), program) &&
    Object.keys(values.env ?? {}).length === 0 &&
    values.envFile === undefined
  );
}
