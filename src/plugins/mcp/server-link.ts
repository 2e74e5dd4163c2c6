import type {
  CallToolResult,
  GetPromptResult,
  PriorDiscovery,
  Prompt,
  ReadResourceResult,
  Tool,
} from "@modelcontextprotocol/client";
import { waitUntilAborted } from "../../core/base/async.ts";
import { Emitter } from "../../core/base/emitter.ts";
import { getErrorMessage } from "../../core/base/errors.ts";
import { cutText, escapeInvisible } from "../../core/base/text.ts";
import type { McpServerValues } from "../../schema/mcp-values.ts";
import { DisplayError, displayText, getErrorText, type Sentence } from "../../texts/display-text.ts";
import type { PluginRun, ServerState } from "../plugin.ts";
import { mayBeChanged, type StartedFiles } from "../started/started-files.ts";
import type { LinkLimits, McpHost } from "./mcp-host.ts";
import type { ElicitAnswer, McpConnection, ProgressNote } from "./sdk-client.ts";
import { LONGEST_MESSAGE, type ServerProcess, startServer } from "./server-process.ts";
import { fillPlaceholders, type McpServer } from "./servers.ts";
import type { McpWay } from "./transports.ts";

const LIMITS: LinkLimits = {
  startMs: 30_000,
  callMs: 60_000,
  longestMs: 600_000,
  idleMs: 600_000,
  restarts: 3,
  againMs: 600_000,
};

/** True if one of the files exists. */
function hasFiles({ contents }: StartedFiles): boolean {
  return [...contents.values()].some((content) => content !== "");
}

/** The run for which a server is started. */
export interface LinkUser extends Pick<PluginRun, "getChanges" | "consent"> {
  /** The run had changed files before the server's files were checked. */
  readonly isLate?: boolean;
}

/** A call of a tool for a run. */
export interface RunningCall {
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly run: LinkUser & { readonly id: string };
  readonly signal: AbortSignal;
  reportOutput(chunk: string): void;
}

/** A server with one connection, which a host's runs share. It starts on demand, and restarts if it has ended. */
export class ServerLink {
  readonly server: McpServer;
  private readonly folder: string;
  private readonly host: McpHost;
  private readonly limits: LinkLimits;
  private opening: Promise<McpConnection> | undefined;
  private connection: McpConnection | undefined;
  /** A connection whose tools haven't been listed yet. */
  private made: McpConnection | undefined;
  private known: readonly Tool[] | undefined;
  /** When it ended unexpectedly, or failed to start. */
  private ends: number[] = [];
  private lastEnd = "";
  /** Why it couldn't start, or why it ended, until it starts again. */
  private failure: Sentence | undefined;
  /** The runs of the current calls; undefined for a call without a run. */
  private readonly running: (string | undefined)[] = [];
  private idle: NodeJS.Timeout | undefined;
  private readonly changes = new Emitter();
  private isClosed = false;

  constructor(server: McpServer, folder: string, host: McpHost) {
    this.server = server;
    this.folder = folder;
    this.host = host;
    const { timeoutSeconds } = server.values;
    this.limits = {
      ...LIMITS,
      ...(timeoutSeconds === undefined ? {} : { callMs: timeoutSeconds * 1000 }),
      ...host.limits,
    };
  }

  /** Its most recent list of tools; undefined before the first one. */
  get tools(): readonly Tool[] | undefined {
    return this.known;
  }

  /** The state for people. */
  get state(): ServerState {
    if (this.connection) return { kind: "running" };
    if (this.opening) return { kind: "starting" };
    return this.failure === undefined ? { kind: "idle" } : { kind: "failed", why: this.failure };
  }

  /** The server's description of itself. */
  get instructions(): string | undefined {
    return this.connection?.instructions;
  }

  /** Calls back when its tools have changed, until the returned function is called. */
  onChange(listener: () => void): () => void {
    return this.changes.subscribe(listener);
  }

  /** Returns the connection, or makes one, for a run or at the user's request. Throws a sentence if that fails. */
  ensureConnection(user?: LinkUser): Promise<McpConnection> {
    if (this.connection) return Promise.resolve(this.connection);
    this.opening ??= this.open(user)
      .catch((error: unknown) => {
        this.failure = getErrorText(error);
        throw error;
      })
      .finally(() => {
        this.opening = undefined;
        this.host.reportStateChange?.();
      });
    this.host.reportStateChange?.();
    return this.opening;
  }

  /** Calls a tool. Throws only an abort and sentences. */
  call({ tool, args, run, signal, reportOutput }: RunningCall): Promise<CallToolResult> {
    const { callMs, longestMs } = this.limits;
    return this.ask(
      run.id,
      signal,
      (connection) =>
        connection.call(tool, args, {
          signal,
          limitMs: callMs,
          longestMs,
          reportProgress: (note) => reportOutput(formatProgress(note)),
        }),
      run,
    );
  }

  /** Reads a resource. Throws only an abort and sentences. */
  read(uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
    const limitMs = this.limits.callMs;
    return this.ask(undefined, signal, (connection) => connection.read(uri, { signal, limitMs }));
  }

  /** Its task templates. Throws only an abort and sentences. */
  listPrompts(signal: AbortSignal): Promise<readonly Prompt[]> {
    const limitMs = this.limits.callMs;
    return this.ask(undefined, signal, (connection) => connection.listPrompts({ signal, limitMs }));
  }

  getPrompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<GetPromptResult> {
    const limitMs = this.limits.callMs;
    return this.ask(undefined, signal, (connection) => connection.getPrompt(name, args, { signal, limitMs }));
  }

  /** The addresses of its resources; none if it isn't connected. */
  async listResources(): Promise<readonly string[]> {
    const listed = await this.connection?.listResources().catch(() => []);
    return listed?.map(({ uri }) => uri) ?? [];
  }

  private async ask<Result>(
    run: string | undefined,
    signal: AbortSignal,
    act: (connection: McpConnection) => Promise<Result>,
    user?: LinkUser,
  ): Promise<Result> {
    const connection = await waitUntilAborted(this.ensureConnection(user), signal);
    this.running.push(run);
    this.updateIdleTimer(connection);
    try {
      return await waitUntilAborted(act(connection), signal);
    } catch (error) {
      signal.throwIfAborted();
      throw new Error(this.explainFailure(error, connection), { cause: error });
    } finally {
      this.running.splice(this.running.lastIndexOf(run), 1);
      this.updateIdleTimer(connection);
    }
  }

  /** Starts it at the user's request, however often it has failed. Throws a sentence. */
  async start(): Promise<void> {
    this.ends = [];
    await this.ensureConnection();
  }

  /** Reconnects for the runs that use it, as the cause of a failed connection may be gone. */
  async reconnect(): Promise<void> {
    this.ends = [];
    await this.close();
    if (this.changes.hasListeners) await this.ensureConnection().catch(() => undefined);
  }

  /** Ends the connection. A later call reconnects, unless the host closes. */
  async close(forGood = false): Promise<void> {
    this.isClosed ||= forGood;
    clearTimeout(this.idle);
    const connection = this.connection ?? this.made;
    this.connection = undefined;
    this.made = undefined;
    const opening = forGood ? this.opening?.then((one) => one.close()) : undefined;
    await Promise.allSettled([connection?.close(), opening]);
  }

  /** Throws a sentence if the server may not be started now. */
  private async demandStartable(user: LinkUser | undefined): Promise<void> {
    const { id, from, isSame, started } = this.server;
    if (this.isClosed) throw new DisplayError(displayText("mcp.closed", { name: id }));
    if (this.server.values.url === undefined && this.host.isTrusted?.() === false)
      throw new DisplayError(displayText("mcp.restricted", { name: id }));
    if (this.isGivenUp)
      throw new DisplayError(displayText("mcp.endsAgain", { name: id, count: this.ends.length, why: this.lastEnd }));
    if ((await isSame?.()) === false) throw new DisplayError(displayText("mcp.filesChanged", { name: id }));
    const changes = user?.getChanges?.();
    // The consent to a server of the user's own covers no files of a workspace.
    const isLate = from === "user" && user?.isLate === true;
    if (!started || !changes || !(mayBeChanged(started, changes) || (isLate && hasFiles(started)))) return;
    const agreed = await user?.consent?.();
    if (!(agreed?.allowed && (agreed.at ?? 0) > changes.lastAt))
      throw new DisplayError(displayText("mcp.filesUnknown", { name: id }));
  }

  /** Starts a process of the server. Connecting may take several, and a run can change the server's files between them. */
  private async startProcess(values: McpServerValues, user: LinkUser | undefined): Promise<ServerProcess> {
    await this.demandStartable(user);
    return startServer(this.server.id, values, this.folder);
  }

  private async open(user: LinkUser | undefined): Promise<McpConnection> {
    const { server, host, limits } = this;
    const { id } = server;
    await this.demandStartable(user);
    const values = await fillPlaceholders(server, this.folder, host.findSecret);
    const sdk = await host.loadClient();
    const isProcess = values.url === undefined;
    const prior = isProcess ? ((await host.memory.findEra(server.hash)) as PriorDiscovery | undefined) : undefined;
    const way: McpWay = isProcess
      ? { kind: "process", start: () => this.startProcess(values, user) }
      : {
          kind: "address",
          url: values.url,
          headers: values.headers ?? {},
          auth: host.findSignIn?.(server, values.url),
          fetch: host.fetch,
        };
    const { elicitAnswer: elicit } = host;
    const parts = {
      way,
      limitMs: limits.startMs,
      longest: LONGEST_MESSAGE,
      elicit: elicit && this.elicitAnswer.bind(this, elicit),
      handleToolsChange: () => void this.refresh(),
      handleEnd: (why: string) => this.handleEnd(why),
    };
    try {
      const connecting = connectAgain((again) => sdk.connect({ ...parts, prior: again ? undefined : prior }), prior);
      // A server may name tools without end.
      const [connection, tools] = await limitTime(
        connecting.then(async (made) => {
          this.made = made;
          return [made, await made.listTools()] as const;
        }),
        limits.startMs,
        () => void connecting.then((late) => late.close()).catch(() => undefined),
      );
      this.connection = connection;
      this.failure = undefined;
      this.made = undefined;
      this.known = tools;
      if (isProcess && !prior) void host.memory.keepEra(server.hash, { ...connection.era }).catch(() => undefined);
      this.updateIdleTimer(connection);
      this.changes.fire();
      return connection;
    } catch (error) {
      this.ends.push(Date.now());
      this.lastEnd = cleanWords(getErrorMessage(error));
      await this.close();
      // A sentence of ours names the server already.
      if (error instanceof DisplayError) throw error;
      throw new DisplayError(displayText("mcp.notConnected", { name: id, why: this.lastEnd }));
    }
  }

  /** Asks the user on behalf of the run with the current call. Without a call, the server gets no answer. */
  private async elicitAnswer(
    ask: NonNullable<McpHost["elicitAnswer"]>,
    request: unknown,
    signal: AbortSignal,
  ): Promise<ElicitAnswer> {
    const run = this.running.at(-1);
    return run === undefined ? { action: "cancel" } : ask(this.server, run, request, signal);
  }

  private async refresh(): Promise<void> {
    const tools = await this.connection?.listTools().catch(() => undefined);
    if (!tools) return;
    this.known = tools;
    this.changes.fire();
  }

  private get isGivenUp(): boolean {
    const { restarts, againMs } = this.limits;
    this.ends = this.ends.filter((at) => at > Date.now() - againMs);
    return this.ends.length > restarts;
  }

  private handleEnd(why: string): void {
    this.ends.push(Date.now());
    this.lastEnd = why;
    this.failure = displayText("mcp.ended", { name: this.server.id, why });
    this.connection = undefined;
    clearTimeout(this.idle);
    this.host.reportStateChange?.();
  }

  /** A process without calls doesn't delay the program's end, and is stopped after a while. */
  private updateIdleTimer(connection: McpConnection): void {
    clearTimeout(this.idle);
    connection.hold(this.running.length > 0);
    if (this.running.length > 0) return;
    this.idle = setTimeout(() => void this.close(), this.limits.idleMs);
    this.idle.unref();
  }

  private explainFailure(error: unknown, connection: McpConnection): string {
    const name = `The MCP server "${this.server.id}"`;
    const said = getErrorMessage(error);
    if (this.connection !== connection) {
      const words = connection.getLastWords();
      const again = this.isGivenUp ? "It isn't started again for now." : "The next call starts it again.";
      return `${name} ${this.lastEnd || "closed the connection"} during the call.${words ? ` Its last words: ${cleanWords(words)}` : ""} ${again}`;
    }
    if (/timed? ?out/i.test(said))
      return `${name} didn't answer within ${this.limits.callMs / 1000} s, so the call was canceled. It may have had an effect.`;
    return `${name} reports an error: ${cleanWords(said)}`;
  }
}

/** Connects. The protocol from an earlier connection may be outdated; then it's determined again. */
async function connectAgain(
  connect: (again: boolean) => Promise<McpConnection>,
  prior: PriorDiscovery | undefined,
): Promise<McpConnection> {
  return connect(false).catch((error: unknown) => {
    if (!prior) throw error;
    return connect(true);
  });
}

async function limitTime<T>(connecting: Promise<T>, ms: number, giveUp: () => void): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`it didn't start within ${ms / 1000} s`)), ms);
  try {
    return await Promise.race([connecting, promise]);
  } catch (error) {
    giveUp();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function formatProgress({ progress, total, message }: ProgressNote): string {
  const share = total === undefined ? String(progress) : `${progress} of ${total}`;
  return `${message === undefined ? share : `${share}: ${cleanWords(message)}`}\n`;
}

/** Cleans a server's text for use in a sentence. */
function cleanWords(text: string): string {
  return escapeInvisible(cutText(text, 400));
}
