import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json as readJson } from "node:stream/consumers";
import { COMMAND, isObject, type Usage } from "../../../../src/headless/library.ts";
import type { OracleCall } from "../suite.ts";
import { type AskedReply, type CountedOutcomes, countDoneCalls, readAsked, renderProgressAnswer } from "./asked.ts";
import { createReplyParts, type PlayedReply, writeReply } from "./replies.ts";
import { computeChance, spoilFor, spoilReply } from "./spoiler.ts";

/** A solution for one run of a task. */
export interface PlayedTask {
  /** Text of the task, which requests of sub-agents don't contain. */
  readonly task: string;
  readonly calls: readonly OracleCall[];
  readonly counted: CountedOutcomes;
  /** Share of spoiled replies, 0 to 1. */
  readonly spoil: number;
  /** Determines which replies are spoiled. */
  readonly place: readonly (string | number)[];
}

/** A server on loopback that speaks OpenAI's API and plays the solutions of tasks. */
export interface PlayerServer {
  /** Starts playing to a run; its requests go to the address that is returned. */
  play(task: PlayedTask): string;
  close(): Promise<void>;
}

/** The name and window of the model that players are. */
export const PLAYER_MODEL = { name: "player", contextWindow: 128_000 } as const;

interface PlayedRun {
  readonly task: PlayedTask;
  readonly prompts: string[];
  replies: number;
  /** Calls of the solution that were done at the last step. */
  done: number;
}

/** Starts a players' server on its own port. */
export async function startPlayerServer(): Promise<PlayerServer> {
  const runs: PlayedRun[] = [];
  const server = createServer((request, response) => {
    answer(request, response, runs).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    play: (task) => {
      runs.push({ task, prompts: [], replies: 0, done: 0 });
      return `http://127.0.0.1:${port}/${runs.length - 1}/v1`;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, runs: readonly PlayedRun[]): Promise<void> {
  const [, number = "", path = ""] = /^\/(\d+)\/v1\/(.*)$/.exec(request.url ?? "") ?? [];
  const run = runs[Number(number)];
  if (run && request.method === "GET" && path === "models")
    return sendJson(response, 200, {
      object: "list",
      data: [{ id: PLAYER_MODEL.name, object: "model", max_model_len: PLAYER_MODEL.contextWindow }],
    });
  if (!run || request.method !== "POST" || path !== "chat/completions")
    return sendJson(response, 404, { error: { message: "The player has nothing at this address." } });
  const body = await readJson(request);
  const asked = readAsked(isObject(body) ? body : {});
  const { completion, usage } = createReplyCompletion(run, asked);
  const id = `${number}_${run.replies}`;
  const { streamCompletion, createWholeCompletion } = await import("./wire.ts");
  if (!asked.isStreamed) return sendJson(response, 200, createWholeCompletion(completion, id, usage));
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of streamCompletion(completion, id, asked.wantsUsage ? usage : undefined)) response.write(piece);
  response.end();
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** The next reply to a run, with its tokens. */
function createReplyCompletion(
  run: PlayedRun,
  asked: AskedReply,
): { readonly completion: PlayedReply; readonly usage: Usage } {
  const input = estimateTokens(asked.prompt);
  const cached = countCachedTokens(asked.prompt, run.prompts);
  run.prompts.push(asked.prompt);
  run.replies++;
  const whole = createNextReply(run, asked);
  const room = asked.maxTokens * CHARS_PER_TOKEN;
  const isTooLong = measureReply(whole) > room;
  const completion = isTooLong ? cutReply(whole, room) : whole;
  return {
    completion,
    usage: { input, cached, output: Math.max(1, estimateTokens(measureReply(completion))) },
  };
}

/** The reply to a step's request: the next call of the solution, occasionally spoiled. */
function createNextReply(run: PlayedRun, asked: AskedReply): PlayedReply {
  const { task, replies } = run;
  if (asked.isPlanning) return { content: renderTaskList(task.calls.slice(run.done)), finish: "stop" };
  const done = countDoneCalls(task.calls, asked, task.counted);
  if (!asked.isStep) return { content: renderProgressAnswer(done), finish: "stop" };
  run.done = done;
  const isOwn = asked.messages.some(({ role, text }) => role === "user" && text.includes(task.task));
  const next = isOwn ? task.calls[done] : undefined;
  const parts = createReplyParts(next ?? COMPLETE, asked);
  const way = spoilFor(task.spoil, ...task.place, replies);
  return way === undefined
    ? writeReply(parts)
    : spoilReply(parts, way, computeChance("variant", ...task.place, replies));
}

/** The remaining solution as a planner's answer. */
function renderTaskList(calls: readonly OracleCall[]): string {
  return JSON.stringify({
    done: [],
    tasks: calls.slice(0, 10).map(({ command }, at) => `Call ${at + 1}: use ${command}.`),
  });
}

const COMPLETE: OracleCall = { command: COMMAND.finish, args: { reason: "All of the task is done." } };

const CHARS_PER_TOKEN = 4;
/** OpenAI counts cached tokens from this number on, in portions of `CACHED_PORTION`. */
const LEAST_CACHED = 1_024;
const CACHED_PORTION = 128;

function estimateTokens(text: string | number): number {
  return Math.ceil((typeof text === "number" ? text : text.length) / CHARS_PER_TOKEN);
}

/** Number of tokens at a prompt's start that an earlier prompt shares. */
function countCachedTokens(prompt: string, earlier: readonly string[]): number {
  const shared = Math.max(0, ...earlier.map((other) => countSharedChars(prompt, other)));
  const tokens = Math.floor(shared / CHARS_PER_TOKEN / CACHED_PORTION) * CACHED_PORTION;
  return tokens < LEAST_CACHED ? 0 : tokens;
}

function countSharedChars(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

function measureReply({ content, call }: PlayedReply): number {
  return (content ?? "").length + (call ? call.name.length + call.arguments.length : 0);
}

function cutReply(reply: PlayedReply, chars: number): PlayedReply {
  const { content, call } = reply;
  return {
    content: content?.slice(0, chars) ?? null,
    ...(call ? { call: { ...call, arguments: call.arguments.slice(0, chars) } } : {}),
    finish: "length",
  };
}
