import { PassThrough, type Writable } from "node:stream";
import { text } from "node:stream/consumers";
import type { RunEnd } from "../../src/core/commands/outcome.ts";
import { readOptions } from "../../src/headless/options.ts";
import { runCommandLine, type Subcommands } from "../../src/headless/program.ts";
import { runHeadless } from "../../src/headless/run-headless.ts";
import type { Surroundings } from "../../src/headless/session.ts";
import type { PackagedPlugins } from "../../src/plugins/own/own-plugins.ts";
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
  /** Further variables of the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** So that the server is asked for nothing but replies. */
const WINDOW = "model.contextWindow=16000";

/** Runs the agent without an editor, in this process. */
export async function headless(setting: HeadlessSetting, ...argv: readonly string[]): Promise<HeadlessRun> {
  const { baseUrl, workspace, apiKey = "a-test-key" } = setting;
  const args = ["--workspace", workspace, "--base-url", baseUrl, "--model", "fake", "--set", WINDOW, ...argv];
  const options = readOptions(args, { OPENAI_API_KEY: apiKey, ...setting.env });
  if (options === "help") throw new Error("No test asks for help here.");
  const { result: end, stdout, stderr } = await connected(setting, (around) => runHeadless(options, around));
  return { end, stdout, stderr, events: options.json ? eventsOf(stdout) : [] };
}

/** What the whole program printed, and its exit code. */
export interface ProgramRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The subcommands and plugins that the program's entry adds. */
const ADDED: Subcommands = {
  eval: async (...given) => (await import("../../packages/evals/src/eval-command.ts")).runEvalCommand(...given),
};

const PACKAGED: PackagedPlugins = {
  loadEmail: () => import("../../packages/mail/src/email-plugin.ts"),
  loadOpenApi: () => import("../../packages/openapi/src/openapi-plugin.ts"),
};

/** Runs the whole program in this process, the settings of the fake model in its environment. */
export async function runProgram(setting: HeadlessSetting, ...argv: readonly string[]): Promise<ProgramRun> {
  const env = {
    OPENAI_API_KEY: setting.apiKey ?? "a-test-key",
    OPENAI_BASE_URL: setting.baseUrl,
    AUTOGPT_MODEL_SMART: "fake",
    AUTOGPT_MODEL_CONTEXT_WINDOW: "16000",
    INIT_CWD: setting.workspace,
    ...setting.env,
  };
  const { result, stdout, stderr } = await connected(setting, (around) => runCommandLine(argv, env, around, ADDED));
  return { code: result, stdout, stderr };
}

/** Does something with streams of its own, and gives what was written to them. */
async function connected<T>(
  { data, typed, signal = new AbortController().signal }: HeadlessSetting,
  act: (around: Surroundings) => Promise<T>,
): Promise<{ readonly result: T; readonly stdout: string; readonly stderr: string }> {
  const stdin = Object.assign(new PassThrough(), { isTTY: typed !== undefined });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const said = [text(stdout), text(typed ? typing(stderr, stdin, typed) : stderr)];
  try {
    const result = await act({ stdin, stdout, stderr, data, signal, packaged: PACKAGED });
    stdout.end();
    stderr.end();
    const [out = "", err = ""] = await Promise.all(said);
    return { result, stdout: out, stderr: err };
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
