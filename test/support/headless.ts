import { PassThrough, type Writable } from "node:stream";
import { text } from "node:stream/consumers";
import type { RunEnd } from "../../src/core/commands/outcome.ts";
import { readOptions } from "../../src/headless/options.ts";
import { runHeadless } from "../../src/headless/run-headless.ts";
import type { AgentEvent } from "../../src/schema/events.ts";
import { callChunk, DONE, finish, type ServerAnswer, stream, usage } from "./fake-model-server.ts";

/** A model's answer that calls one tool. */
export function calling(name: string, args: object = {}): ServerAnswer {
  const thoughts = { text: `I shall ${name}.`, reasoning: "", plan: "", criticism: "", speak: "" };
  const call = { index: 0, id: "call_1", name, arguments: JSON.stringify({ thoughts, ...args }) };
  return stream(callChunk(call), finish("tool_calls"), usage(50, 10), DONE);
}

/** What a run in this process was connected to, and what it came to. */
export interface HeadlessRun {
  readonly end: RunEnd;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output, read as events. */
  readonly events: readonly AgentEvent[];
}

export interface HeadlessSetting {
  readonly baseUrl: string;
  readonly workspace: string;
  readonly data: string;
  /** What a person types; absent: nobody is there. */
  readonly typed?: readonly string[];
  readonly signal?: AbortSignal;
  readonly apiKey?: string;
}

/** So that the server is asked for nothing but replies. */
const WINDOW = "model.contextWindow=16000";

/** Runs the agent without an editor, in this process. */
export async function headless(setting: HeadlessSetting, ...argv: readonly string[]): Promise<HeadlessRun> {
  const {
    baseUrl,
    workspace,
    data,
    typed,
    signal = new AbortController().signal,
    apiKey = "a-test-key",
  } = setting;
  const args = ["--workspace", workspace, "--base-url", baseUrl, "--model", "fake", "--set", WINDOW, ...argv];
  const options = readOptions(args, { OPENAI_API_KEY: apiKey });
  if (options === "help") throw new Error("No test asks for help here.");
  const stdin = Object.assign(new PassThrough(), { isTTY: typed !== undefined });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const said = [text(stdout), text(typed ? typing(stderr, stdin, typed) : stderr)];
  try {
    const end = await runHeadless(options, { stdin, stdout, stderr, data, signal });
    stdout.end();
    stderr.end();
    const [out = "", err = ""] = await Promise.all(said);
    return { end, stdout: out, stderr: err, events: options.json ? eventsOf(out) : [] };
  } finally {
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
  }
}

/** Types the next line whenever a prompt appears; after the last one the terminal is closed. */
function typing(prompts: PassThrough, keyboard: Writable, lines: readonly string[]): PassThrough {
  const left = [...lines];
  const seen = new PassThrough();
  prompts.on("data", (chunk: Buffer) => {
    if (!chunk.toString().endsWith("> ")) return;
    const line = left.shift();
    if (line === undefined) keyboard.end();
    else keyboard.write(`${line}\n`);
  });
  prompts.pipe(seen);
  return seen;
}

function eventsOf(lines: string): AgentEvent[] {
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
