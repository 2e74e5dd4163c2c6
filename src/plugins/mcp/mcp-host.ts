import type { FetchLike } from "@modelcontextprotocol/client";
import type { Consents } from "../consents.ts";
import type { StartPlace } from "../started/started-files.ts";
import type { ElicitAnswer } from "./sdk-client.ts";
import type { ServerMemory } from "./server-memory.ts";
import type { FindSecret, McpServer } from "./servers.ts";
import type { SignIn } from "./sign-in.ts";

/** Milliseconds, and a number of restarts. */
export interface LinkLimits {
  /** For a server to start and to name its tools. */
  readonly startMs: number;
  /** For a call without progress; `timeoutSeconds` replaces it. */
  readonly callMs: number;
  /** For a call with progress. */
  readonly longestMs: number;
  /** A server that isn't called for so long ends. */
  readonly idleMs: number;
  /** A server that ends by itself is started again so often within `againMs`. */
  readonly restarts: number;
  readonly againMs: number;
}

/** How servers of tools reach the host that uses them. */
export interface McpHost {
  /** Loads the client, when a server is first used. */
  loadClient(): Promise<typeof import("./sdk-client.ts")>;
  readonly memory: ServerMemory;
  readonly consents: Consents;
  readonly findSecret: FindSecret;
  /** The stored sign-in to a server at an address. */
  findSignIn?(server: McpServer, url: string): SignIn | undefined;
  /** Has the user sign in to a server at an address. Absent where no one can. Throws a sentence. */
  signIn?(server: McpServer, folder: string): Promise<void>;
  /** Asks the user what a server wants to know, for the run whose call is running. */
  elicitAnswer?(server: McpServer, run: string, request: unknown, signal: AbortSignal): Promise<ElicitAnswer>;
  readonly fetch?: FetchLike;
  /** Reads command lines, to find the files that servers start. */
  loadLanguage?: StartPlace["loadLanguage"];
  readonly limits?: Partial<LinkLimits>;
}
