import type { FetchLike } from "@modelcontextprotocol/client";
import type { Consents } from "../consents.ts";
import type { StartPlace } from "../started/started-files.ts";
import type { ElicitAnswer } from "./sdk-client.ts";
import type { ServerMemory } from "./server-memory.ts";
import type { FindSecret, McpServer } from "./servers.ts";
import type { SignIn } from "./sign-in.ts";

/** Limits in milliseconds, and a number of restarts. */
export interface LinkLimits {
  /** For a server to start and to list its tools. */
  readonly startMs: number;
  /** For a call without progress, unless `timeoutSeconds` is set. */
  readonly callMs: number;
  /** For a call with progress. */
  readonly longestMs: number;
  /** A server ends after being idle this long. */
  readonly idleMs: number;
  /** The most automatic restarts of a server within `againMs`. */
  readonly restarts: number;
  readonly againMs: number;
}

/** Access to the host for servers of tools. */
export interface McpHost {
  /** Loads the client at the first use of a server. */
  loadClient(): Promise<typeof import("./sdk-client.ts")>;
  /** False in Restricted Mode. A program that starts in a folder may load the folder's files, so it needs trust. Absent: always. */
  isTrusted?(): boolean;
  readonly memory: ServerMemory;
  readonly consents: Consents;
  readonly findSecret: FindSecret;
  /** The stored sign-in to a server at an address. */
  findSignIn?(server: McpServer, url: string): SignIn | undefined;
  /** Asks the user to sign in to a server at an address. Absent if no user is available. Throws a sentence. */
  signIn?(server: McpServer, folder: string): Promise<void>;
  /** Asks the user a server's question, on behalf of the run with the current call. */
  elicitAnswer?(server: McpServer, run: string, request: unknown, signal: AbortSignal): Promise<ElicitAnswer>;
  /** Called when a server has started or ended. */
  reportStateChange?(): void;
  readonly fetch?: FetchLike;
  /** Parses command lines, to find the files that servers start. */
  loadLanguage?: StartPlace["loadLanguage"];
  readonly limits?: Partial<LinkLimits>;
}
