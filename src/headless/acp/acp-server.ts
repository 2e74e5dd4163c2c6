import { Readable, Writable } from "node:stream";
import {
  type AgentContext,
  agent,
  type InitializeResponse,
  MessageTooLargeError,
  methods,
  type NewSessionRequest,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type SessionInfo,
} from "@agentclientprotocol/sdk";
import { waitOrAbort } from "../../core/base/async.ts";
import { getErrorMessage } from "../../core/base/errors.ts";
import { cutText, escapeInvisible } from "../../core/base/text.ts";
import { ModelError } from "../../core/ports/model.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import { createSharedWorkers } from "../host.ts";
import type { RunOptions } from "../options.ts";
import { createRunStore, resolveWorkspaceFolder } from "../place.ts";
import { runWithSession, type Surroundings } from "../session.ts";
import { AcpSession, type EditorClient } from "./acp-session.ts";
import { readPrompt } from "./prompt-blocks.ts";
import { LONGEST_TITLE } from "./session-work.ts";

/** The choices of whoever starts the program, for all sessions. */
interface ServedSessions {
  readonly options: RunOptions;
  /** Sessions are in this folder or below it; absent: anywhere. */
  readonly limit: string | undefined;
  readonly version: string;
}

const ENVIRONMENT = {
  id: "environment",
  name: "API key in the environment",
  description:
    "Put the key of your model's service into its variable, OPENAI_API_KEY for OpenAI, where your editor's settings start autogpt acp, or name a server with --base-url there.",
};

/** Serves sessions over standard input and output until the input closes or the program is stopped. */
export async function serveAcp(served: ServedSessions, around: Surroundings): Promise<void> {
  const workers = createSharedWorkers(around.data);
  const sessions = new Map<string, AcpSession>();
  const app = new AcpApp(served, { ...around, workers }, sessions).create();
  const connection = app.connect(
    ndJsonStream(Writable.toWeb(around.stdout), Readable.toWeb(around.stdin) as ReadableStream<Uint8Array>),
  );
  await waitOrAbort(connection.closed, around.signal);
  await Promise.all([...sessions.values()].map((session) => session.close()));
  const isTooLarge = connection.signal.reason instanceof MessageTooLargeError;
  connection.close();
  await workers.close();
  if (isTooLarge)
    throw new Error(
      "The editor sent a message of more than 32 MB, so autogpt acp ended. Its runs can be loaded again: send less at once.",
    );
}

class AcpApp {
  private readonly served: ServedSessions;
  private readonly around: Surroundings;
  private readonly sessions: Map<string, AcpSession>;

  constructor(served: ServedSessions, around: Surroundings, sessions: Map<string, AcpSession>) {
    this.served = served;
    this.around = around;
    this.sessions = sessions;
  }

  create() {
    const { session } = methods.agent;
    return agent({ name: "autogpt" })
      .onRequest(methods.agent.initialize, () => this.describe())
      .onRequest(methods.agent.authenticate, () => answer(() => this.checkModel()))
      .onRequest(session.new, ({ params, client }) => answer(() => this.open(params, client)))
      .onRequest(session.load, ({ params, client }) => answer(() => this.reopen(params, client, true)))
      .onRequest(session.resume, ({ params, client }) => answer(() => this.reopen(params, client, false)))
      .onRequest(session.list, ({ params: { cwd } }) => answer(() => this.list(cwd ?? undefined)))
      .onRequest(session.close, ({ params: { sessionId } }) => answer(() => this.end(sessionId)))
      .onRequest(session.setMode, ({ params: { sessionId, modeId } }) =>
        answer(() => this.get(sessionId).setMode(modeId)),
      )
      .onRequest(session.prompt, ({ params: { sessionId, prompt } }) =>
        answer(async () => {
          const found = this.get(sessionId);
          return { stopReason: await found.sendPrompt(readPrompt(prompt, found.folder)) };
        }),
      )
      .onNotification(session.cancel, async ({ params: { sessionId } }) => {
        await this.sessions.get(sessionId)?.cancel();
      });
  }

  private describe(): InitializeResponse {
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "autogpt", title: "AutoGPT", version: this.served.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
      authMethods: [ENVIRONMENT],
    };
  }

  /** Throws a sentence about the variable of the missing key. */
  private async checkModel(): Promise<Record<string, never>> {
    await runWithSession(this.served.options, this.createSilentSurroundings(), ({ host, workspace }) =>
      host.models.resolveModelPair(workspace),
    );
    return {};
  }

  private createSilentSurroundings(): Surroundings {
    return { ...this.around, stdin: new Readable({ read: () => undefined }), stdout: new Writable() };
  }

  private async open({ cwd, mcpServers }: NewSessionRequest, client: AgentContext) {
    const session = await this.start(cwd, client);
    session.leaveOut(mcpServers.map(({ name }) => name));
    session.announce();
    return { sessionId: session.id, modes: session.modes };
  }

  private async reopen(
    { sessionId, cwd, mcpServers = [] }: Partial<NewSessionRequest> & { sessionId: string; cwd: string },
    client: AgentContext,
    showsPast: boolean,
  ) {
    await this.end(sessionId);
    const session = await this.start(cwd, client, { id: sessionId, showsPast });
    session.leaveOut(mcpServers.map(({ name }) => name));
    session.announce();
    return { modes: session.modes };
  }

  private async start(
    cwd: string,
    client: AgentContext,
    stored?: { readonly id: string; readonly showsPast: boolean },
  ): Promise<AcpSession> {
    const workspace = await this.resolveFolder(cwd);
    const options = { ...this.served.options, workspace };
    const session = await AcpSession.open(options, this.around, createEditorClient(client), stored);
    this.sessions.set(session.id, session);
    return session;
  }

  private async resolveFolder(cwd: string): Promise<string> {
    const folder = await resolveWorkspaceFolder(cwd);
    const { limit } = this.served;
    if (limit === undefined || isAtOrBelow(folder, limit)) return folder;
    throw new Error(`autogpt acp was started for ${limit}. Open a folder in it, or start it without --workspace.`);
  }

  private async list(cwd: string | undefined): Promise<{ readonly sessions: SessionInfo[] }> {
    const folder = await this.resolveFolder(cwd ?? this.served.options.workspace);
    const runs = await createRunStore(folder, this.around.data).list();
    const sessions = runs
      .filter(({ isAgent, readOnly }) => isAgent === undefined && readOnly === undefined)
      .map(({ id, task, title, writtenMs }) => ({
        sessionId: id,
        cwd: folder,
        title: escapeInvisible(cutText((title ?? task).replace(/\s+/g, " "), LONGEST_TITLE)),
        updatedAt: new Date(writtenMs).toISOString(),
      }));
    return { sessions };
  }

  private async end(id: string): Promise<Record<string, never>> {
    const session = this.sessions.get(id);
    this.sessions.delete(id);
    await session?.close();
    return {};
  }

  private get(id: string): AcpSession {
    const session = this.sessions.get(id);
    if (!session) throw new RequestError(-32002, `No session with the id ${id} is open here. Load it first.`);
    return session;
  }
}

function createEditorClient(client: AgentContext): EditorClient {
  return {
    update: (sessionId, update) =>
      void client.notify(methods.client.session.update, { sessionId, update }).catch(() => undefined),
    ask: (request, signal) =>
      client.request(methods.client.session.requestPermission, request, {
        cancellationSignal: signal,
        stopWaitingOnCancel: true,
      }),
  };
}

/** Answers a request; an error is the sentence that people should read. */
async function answer<T>(act: () => Promise<T> | T): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    const code = error instanceof ModelError && error.trouble === "setup" ? NEEDS_KEY : INTERNAL;
    throw new RequestError(code, getErrorMessage(error));
  }
}

const NEEDS_KEY = -32_000;
const INTERNAL = -32_603;
