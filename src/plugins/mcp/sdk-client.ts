// The client's package is part of this file and of transports.ts. It is loaded when a run first uses a server.

import {
  type CallToolResult,
  Client,
  type GetPromptResult,
  type PriorDiscovery,
  type Prompt,
  type ReadResourceResult,
  type Resource,
  type Tool,
} from "@modelcontextprotocol/client";
import { omitUndefined } from "../../core/base/objects.ts";
import type { ServerProcess } from "./server-process.ts";
import { createHttpTransport, type McpWay, makeResultsReadable, ProcessTransport } from "./transports.ts";

/** Asks the user a server's question. The client checks the result. */
export type Elicit = (request: unknown, signal: AbortSignal) => Promise<ElicitAnswer>;

export interface ElicitAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, string | number | boolean | string[]>>;
}

export interface ConnectParts {
  readonly way: McpWay;
  /** The server's protocol as discovered by an earlier connection. */
  readonly prior: PriorDiscovery | undefined;
  readonly limitMs: number;
  /** Longer messages, in bytes, are discarded without reading. */
  readonly longest: number;
  readonly elicit: Elicit | undefined;
  handleToolsChange(): void;
  handleEnd(why: string): void;
}

/** A connection to a server, over any protocol that it supports. */
export interface McpConnection {
  readonly era: PriorDiscovery;
  readonly instructions: string | undefined;
  readonly client: Client;
  /** The process ID of the server; 0 if it has no local process. */
  readonly pid: number;
  listTools(): Promise<readonly Tool[]>;
  call(tool: Tool, args: Readonly<Record<string, unknown>>, options: CallLimits): Promise<CallToolResult>;
  /** Names and addresses of its resources. */
  listResources(): Promise<readonly Resource[]>;
  read(uri: string, options: Pick<CallLimits, "signal" | "limitMs">): Promise<ReadResourceResult>;
  listPrompts(options: Pick<CallLimits, "signal" | "limitMs">): Promise<readonly Prompt[]>;
  getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    options: Pick<CallLimits, "signal" | "limitMs">,
  ): Promise<GetPromptResult>;
  hold(isHeld: boolean): void;
  getLastWords(): string;
  close(): Promise<void>;
}

/** The progress of a call, in the server's own words. */
export interface ProgressNote {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface CallLimits {
  readonly signal: AbortSignal;
  /** Limits without progress, and in total. */
  readonly limitMs: number;
  readonly longestMs: number;
  reportProgress(note: ProgressNote): void;
}

/** This client's identification for servers. */
const US = { name: "autogpt", version: "1.0.0" };

/** A program that never answers an unknown request uses the earlier protocol. At an address, a person may have to sign in first. */
const PROBE_MS = 8_000;

/** Connects to a server. A program that ends when asked for its protocol is restarted with the earlier protocol. */
export async function connect(parts: ConnectParts): Promise<McpConnection> {
  if (parts.prior || parts.way.kind === "address") return connectOnce(parts);
  const until = Date.now() + parts.limitMs;
  return connectOnce(parts).catch((error: unknown) => {
    const limitMs = until - Date.now();
    if (!/closed|ended/i.test(String(error)) || limitMs <= 0) throw error;
    return connectOnce({ ...parts, prior: { kind: "legacy" }, limitMs });
  });
}

async function connectOnce(parts: ConnectParts): Promise<McpConnection> {
  const { way, prior, limitMs, elicit } = parts;
  const state: { isOpen: boolean; process?: ServerProcess } = { isOpen: false };
  const probeMs = way.kind === "address" ? limitMs : Math.min(PROBE_MS, limitMs);
  const client = new Client(US, {
    capabilities: elicit ? { elicitation: { form: { applyDefaults: true }, url: {} } } : {},
    versionNegotiation: { mode: "auto", probe: { timeoutMs: probeMs } },
    listChanged: { tools: { autoRefresh: false, onChanged: () => parts.handleToolsChange() } },
    jsonSchemaValidator: UNCHECKED,
  });
  if (elicit)
    client.setRequestHandler("elicitation/create", async (request, { mcpReq }) => {
      const { action, content } = await elicit(request.params, mcpReq.signal);
      return content ? { action, content: { ...content } } : { action };
    });
  if (way.kind === "process") state.process = await way.start();
  const transport = makeResultsReadable(
    way.kind === "address"
      ? createHttpTransport(way, parts.longest)
      : new ProcessTransport(state.process ?? (await way.start()), parts.longest),
  );
  const handleClose = (): void => {
    if (state.isOpen) parts.handleEnd(transport instanceof ProcessTransport ? transport.why : "closed the connection");
    state.isOpen = false;
  };
  client.onclose = handleClose;
  try {
    await client.connect(transport, { timeout: limitMs, ...omitUndefined({ prior }) });
  } catch (error) {
    void client.close().catch(() => undefined);
    void transport.close().catch(() => undefined);
    throw error;
  }
  state.isOpen = true;
  const discover = client.getDiscoverResult();
  return {
    client,
    era: discover ? { kind: "modern", discover } : { kind: "legacy" },
    instructions: client.getInstructions(),
    pid: state.process?.pid ?? 0,
    ...createRequests(client, limitMs),
    hold: (isHeld) => state.process?.hold(isHeld),
    getLastWords: () => state.process?.getLastWords() ?? "",
    close: async () => {
      state.isOpen = false;
      await client.close().catch(() => undefined);
    },
  };
}

/** The requests to a server. */
function createRequests(
  client: Client,
  limitMs: number,
): Pick<McpConnection, "listTools" | "call" | "listResources" | "read" | "listPrompts" | "getPrompt"> {
  return {
    listTools: async () => (await client.listTools(undefined, { cacheMode: "refresh", timeout: limitMs })).tools,
    call: (tool, args, { signal, limitMs: timeout, longestMs, reportProgress }) =>
      client.callTool(
        { name: tool.name, arguments: { ...args } },
        {
          signal,
          timeout,
          maxTotalTimeout: longestMs,
          resetTimeoutOnProgress: true,
          toolDefinition: tool,
          onprogress: reportProgress,
        },
      ),
    listResources: async () =>
      client.getServerCapabilities()?.resources
        ? (await client.listResources(undefined, { cacheMode: "refresh", timeout: limitMs })).resources
        : [],
    read: (uri, { signal, limitMs: timeout }) => client.readResource({ uri }, { signal, timeout, cacheMode: "bypass" }),
    listPrompts: async ({ signal, limitMs: timeout }) =>
      client.getServerCapabilities()?.prompts
        ? (await client.listPrompts(undefined, { signal, timeout, cacheMode: "refresh" })).prompts
        : [],
    getPrompt: (name, args, { signal, limitMs: timeout }) =>
      client.getPrompt({ name, arguments: { ...args } }, { signal, timeout }),
  };
}

/** Skips validation: results are quoted data, and a server's schema could be crafted to run forever. */
const UNCHECKED = {
  getValidator:
    <Value>() =>
    (input: unknown) => ({
      valid: true as const,
      data: input as NonNullable<Value>,
      errorMessage: undefined,
    }),
};
