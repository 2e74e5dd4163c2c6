import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  type ClientConnection,
  client,
  methods,
  ndJsonStream,
  type PromptRequest,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { PROGRAM } from "./program.ts";

/** Where an editor starts the agent, and with what. */
export interface EditorPlace {
  readonly workspace: string;
  readonly data: string;
  readonly baseUrl: string;
  /** No key, if it's "". */
  readonly key?: string;
}

/** What the person chooses: the id of an option, or undefined for a question that they dismiss. */
export type Choosing = (request: RequestPermissionRequest) => string | undefined | Promise<string | undefined>;

/** An editor with the agent's process. */
export interface Editor {
  readonly connection: ClientConnection;
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly updates: SessionUpdate[];
  readonly asked: RequestPermissionRequest[];
  /** What it wrote to standard error. */
  readonly said: Promise<string>;
  close(): Promise<number | null>;
}

/** The environment of the agent's process, whose model is a played one. */
export function acpEnvironment({ data, baseUrl, key = "a-test-key" }: EditorPlace): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? "",
    XDG_DATA_HOME: data,
    ...(key === "" ? {} : { OPENAI_API_KEY: key }),
    OPENAI_BASE_URL: baseUrl,
    AUTOGPT_MODEL_SMART: "fake",
    AUTOGPT_MODEL_CONTEXT_WINDOW: "16000",
  };
}

/** Starts `autogpt acp` as an editor does, with the SDK's client. */
export async function startEditor(
  place: EditorPlace,
  choose: Choosing = () => "approve",
  ...argv: readonly string[]
): Promise<Editor> {
  const child = spawn(process.execPath, [PROGRAM, "acp", ...argv], {
    cwd: place.data,
    env: acpEnvironment(place),
    stdio: ["pipe", "pipe", "pipe"],
  });
  const said = text(child.stderr);
  const exit = once(child, "exit");
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const connection = client({ name: "test" })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params);
      const optionId = await choose(params);
      return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
    })
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>));
  await connection.agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
  return {
    connection,
    child,
    updates,
    asked,
    said,
    close: async () => {
      child.stdin.end();
      const [code] = await exit;
      return code;
    },
  };
}

/** Sends a message of a person, and returns why the turn ended. */
export async function sendPrompt({ connection }: Editor, sessionId: string, words: string): Promise<string> {
  const given: PromptRequest = { sessionId, prompt: [{ type: "text", text: words }] };
  const { stopReason } = await connection.agent.request(methods.agent.session.prompt, given);
  return stopReason;
}

/** Opens a session, and returns its id. */
export async function openSession({ connection }: Editor, cwd: string, modeId?: string): Promise<string> {
  const { agent } = connection;
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
  if (modeId !== undefined) await agent.request(methods.agent.session.setMode, { sessionId, modeId });
  return sessionId;
}

/** The texts of one kind of chunk, joined. */
export function joinChunks(updates: readonly SessionUpdate[], kind: SessionUpdate["sessionUpdate"]): string {
  const texts = updates.flatMap((update) => {
    if (update.sessionUpdate !== kind) return [];
    const { sessionUpdate } = update;
    const isChunk =
      sessionUpdate === "agent_message_chunk" ||
      sessionUpdate === "agent_thought_chunk" ||
      sessionUpdate === "user_message_chunk";
    return isChunk && update.content.type === "text" ? [update.content.text] : [];
  });
  return texts.join("").trim();
}
