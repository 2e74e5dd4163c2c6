import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  type CallToolResult,
  createRequestStateCodec,
  fromJsonSchema,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { waitOrAbort } from "../../core/base/async.ts";
import { getErrorMessage } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { cutText } from "../../core/base/text.ts";
import { createSharedWorkers } from "../host.ts";
import type { RunOptions } from "../options.ts";
import type { Surroundings } from "../session.ts";
import { askPerson, canAsk, createPersonForm, parsePersonAnswer } from "./person-forms.ts";
import { PERSON_MS, ServedRun } from "./served-run.ts";

type ToolAnswer = CallToolResult | InputRequiredResult;

/** Returned by the client with the person's answer. It's signed, so that a client can't name another run or question. */
interface AskState {
  readonly run: string;
  readonly asked: string;
}

/** Clients that don't ask for progress often end a request after a minute. */
const PATIENCE_MS = 45_000;
/** Interval for reporting to a client that the run still works. */
const BEAT_MS = 10_000;
const MAX_TASK_CHARS = 50_000;
const MAX_MESSAGE_CHARS = 300;

const INSTRUCTIONS =
  "AutoGPT does a task in the folder that its user chose: it plans, edits files and runs programs there. What needs approval is put to the user; no tool approves.";

const RUN_ID = { run: { type: "string", description: "Id of a run, from run_task." } } as const;

const TASK_SCHEMA = fromJsonSchema<{ task: string }>({
  type: "object",
  properties: {
    task: {
      type: "string",
      minLength: 1,
      maxLength: MAX_TASK_CHARS,
      description: "What AutoGPT should do, with everything it has to know. It doesn't see this conversation.",
    },
  },
  required: ["task"],
  additionalProperties: false,
});

const RUN_SCHEMA = fromJsonSchema<{ run: string }>({
  type: "object",
  properties: RUN_ID,
  required: ["run"],
  additionalProperties: false,
});

const STATUS_SCHEMA = fromJsonSchema<Record<string, unknown>>({
  type: "object",
  properties: {
    ...RUN_ID,
    status: {
      type: "string",
      enum: ["working", "waiting", "finished", "exhausted", "stuck", "failed", "stopped", "crashed"],
    },
    step: { type: "number" },
    text: { type: "string", description: "What it does, asks, or came to." },
  },
  required: ["run", "status", "step", "text"],
});

/** Provides the agent as an MCP server over standard input and output, until the input closes or the program is stopped. */
export async function serveMcp(
  optionsFor: (task: string) => RunOptions,
  around: Surroundings,
  version: string,
): Promise<void> {
  const runs = new Map<string, ServedRun>();
  const codec = createRequestStateCodec<AskState>({
    key: randomBytes(32),
    ttlSeconds: PERSON_MS / 1000,
  });
  const workers = createSharedWorkers(around.data);
  const tools = new RunTools(optionsFor, { ...around, workers }, runs, codec.mint);
  const transport = new StdioServerTransport(around.stdin, around.stdout);
  const handle = serveStdio(() => tools.createServer(version, codec.verify), {
    transport,
    onerror: (error) => void around.stderr.write(`${error.message}\n`),
  });
  await waitOrAbort(Promise.race([once(around.stdin, "close"), once(around.stdin, "end")]), around.signal);
  await Promise.all([...runs.values()].map((run) => run.stop()));
  await handle.close();
  await workers.close();
}

class RunTools {
  private readonly optionsFor: (task: string) => RunOptions;
  private readonly around: Surroundings;
  private readonly runs: Map<string, ServedRun>;
  private readonly mint: (state: AskState) => Promise<string>;
  private latest: ServedRun | undefined;

  constructor(
    optionsFor: (task: string) => RunOptions,
    around: Surroundings,
    runs: Map<string, ServedRun>,
    mint: (state: AskState) => Promise<string>,
  ) {
    this.optionsFor = optionsFor;
    this.around = around;
    this.runs = runs;
    this.mint = mint;
  }

  /** A server with our tools, for one connection. */
  createServer(version: string, verify: (state: string, ctx: ServerContext) => Promise<AskState>): McpServer {
    const server = new McpServer(
      { name: "autogpt", title: "AutoGPT", version },
      { instructions: INSTRUCTIONS, requestState: { verify }, inputRequired: { legacyShim: false } },
    );
    const canAskPerson = (ctx: ServerContext): boolean => canAsk(server, ctx);
    server.registerTool(
      "run_task",
      {
        title: "Run a task with AutoGPT",
        description:
          "Has AutoGPT do a task in its folder, and returns what it came to. If it takes longer, the answer says so: then call run_status with the run's id. One run at a time.",
        inputSchema: TASK_SCHEMA,
        outputSchema: STATUS_SCHEMA,
        annotations: {
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: true,
        },
      },
      ({ task }, ctx) => callWithErrorAnswer(() => this.runTask(task, ctx, canAskPerson(ctx))),
    );
    server.registerTool(
      "run_status",
      {
        title: "Status of a run",
        description: "Waits until a run is over, for a limited time, and reports where it is.",
        inputSchema: RUN_SCHEMA,
        outputSchema: STATUS_SCHEMA,
        annotations: { readOnlyHint: true, openWorldHint: false },
      },
      ({ run }, ctx) => callWithErrorAnswer(() => this.follow(this.getRun(run), ctx, canAskPerson(ctx))),
    );
    server.registerTool(
      "stop_run",
      {
        title: "Stop a run",
        description: "Stops a run and the programs that it has started.",
        inputSchema: RUN_SCHEMA,
        outputSchema: STATUS_SCHEMA,
        annotations: {
          readOnlyHint: false,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      },
      ({ run }) =>
        callWithErrorAnswer(async () => {
          const stopped = this.getRun(run);
          await stopped.stop();
          return createStatusResult(stopped);
        }),
    );
    return server;
  }

  private async runTask(task: string, ctx: ServerContext, asks: boolean): Promise<ToolAnswer> {
    const { signal } = ctx.mcpReq;
    const state = ctx.mcpReq.requestState<AskState>();
    const run = state ? this.getRun(state.run) : await this.begin(task, asks);
    signal.addEventListener("abort", () => void run.stop(), { once: true });
    if (signal.aborted) await run.stop();
    return this.follow(run, ctx, asks);
  }

  private async begin(task: string, asks: boolean): Promise<ServedRun> {
    if (this.latest && !this.latest.isOver)
      throw new Error("A run is still at work. Wait for its end with run_status, or end it with stop_run.");
    const run = new ServedRun(this.optionsFor(task), this.around, asks);
    this.latest = run;
    this.runs.set(await run.waitForId(), run);
    return run;
  }

  private getRun(id: string): ServedRun {
    const run = this.runs.get(id);
    if (!run) throw new Error(`No run with the id ${id} was started here.`);
    return run;
  }

  /** Waits until the run is over, and lets the person answer its questions meanwhile. */
  private async follow(run: ServedRun, ctx: ServerContext, asks: boolean): Promise<ToolAnswer> {
    const { signal, inputResponses, envelope } = ctx.mcpReq;
    const state = ctx.mcpReq.requestState<AskState>();
    if (state) run.answer(state.asked, parsePersonAnswer(inputResponse(inputResponses, state.asked)));
    return reportWhileRunning(run, ctx, async () => {
      for (;;) {
        await waitForNews(run, ctx);
        signal.throwIfAborted();
        const { asked } = run;
        if (!asked || !asks) return createStatusResult(run);
        if (envelope) {
          const requestState = await this.mint({ run: await run.waitForId(), asked: asked.id });
          const inputRequests = { [asked.id]: inputRequired.elicit(createPersonForm(asked)) };
          return inputRequired({ inputRequests, requestState });
        }
        run.answer(asked.id, await askPerson(asked, ctx));
      }
    });
  }
}

async function callWithErrorAnswer(act: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
  try {
    return await act();
  } catch (error) {
    return { content: [{ type: "text", text: getErrorMessage(error) }], isError: true };
  }
}

/** Waits for news; if there are no progress reports, no longer than clients wait. */
async function waitForNews(run: ServedRun, ctx: ServerContext): Promise<void> {
  const { signal, _meta } = ctx.mcpReq;
  if (_meta?.progressToken !== undefined) return run.waitForQuestionOrEnd(signal);
  const late = AbortSignal.timeout(PATIENCE_MS);
  await run.waitForQuestionOrEnd(AbortSignal.any([signal, late])).catch((error: unknown) => {
    if (!late.aborted) throw error;
  });
}

/** Reports the run's steps to a client that requested progress, and shows between them that the run still works. */
async function reportWhileRunning<T>(run: ServedRun, ctx: ServerContext, act: () => Promise<T>): Promise<T> {
  const { _meta, notify } = ctx.mcpReq;
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return act();
  let progress = 0;
  const report = async (): Promise<void> => {
    progress++;
    const { text, status } = await run.getStatus();
    const message = status === "waiting" ? "Waiting for your decision." : cutText(text, MAX_MESSAGE_CHARS);
    await notify({ method: "notifications/progress", params: { progressToken, progress, message } });
  };
  const beat = (): void => void report().catch(() => undefined);
  const remove = run.onChange(beat);
  const timer = setInterval(beat, BEAT_MS);
  try {
    return await act();
  } finally {
    remove();
    clearInterval(timer);
  }
}

async function createStatusResult(run: ServedRun): Promise<CallToolResult> {
  const status = await run.getStatus();
  const text =
    status.status === "working" || status.status === "waiting"
      ? `The run ${status.run} is ${status.status}. Call run_status to wait for its end.\n${status.text}`
      : status.text;
  const isError = ["failed", "crashed", "stuck", "exhausted", "stopped"].includes(status.status);
  return {
    content: [{ type: "text", text }],
    structuredContent: { ...status },
    ...omitUndefined({ isError: isError || undefined }),
  };
}
