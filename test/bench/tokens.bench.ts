import { get_encoding } from "tiktoken";
import { createAllCommands } from "../../src/commands/all.ts";
import { type Command, createPreparedCall } from "../../src/core/commands/command.ts";
import { createCommandSet } from "../../src/core/commands/command-set.ts";
import { ContextBudget } from "../../src/core/context/context-budget.ts";
import type { Completion, ModelRequest, ReplyFormat } from "../../src/core/ports/model.ts";
import type { ThoughtStyle } from "../../src/core/reply/reply.ts";
import { createNodeWorkspace } from "../../src/node/workspace.ts";
import { FakeModel } from "../support/fake-model.ts";
import { rehearsal } from "../support/rehearsal.ts";
import { check, exitWithChecks, table } from "./memory/report.ts";
import { cachedShare, runUsd, SERVICES, usagesOf } from "./tokens/money.ts";
import { fullThoughts, SCRIPT, type ScriptedStep, shortThought } from "./tokens/script.ts";

// Tokens of the first prompt and of a run of 100 calls. `npm run bench tokens`; counted with o200k_base, tools and schemas as JSON.

/** Commands that need a key, a program or a setting that a fresh installation lacks. */
const UNCONFIGURED = new Set(["web_search", "download_file", "generate_image", "read_audio_from_file", "send_tweet"]);

const encoding = get_encoding("o200k_base");
const counted = new Map<string, number>();

function count(text: string): number {
  const known = counted.get(text) ?? encoding.encode(text, [], []).length;
  counted.set(text, known);
  return known;
}

const COMMANDS = createAllCommands({ workspace: createNodeWorkspace({ folders: [] }) }).filter(
  ({ name }) => !UNCONFIGURED.has(name),
);

/** The real commands' descriptions with the script's outcomes. */
function scriptedCommands(): readonly Command[] {
  const outputs = new Map<string, string[]>();
  for (const { name, args, output } of SCRIPT) {
    const key = JSON.stringify([name, args]);
    outputs.set(key, [...(outputs.get(key) ?? []), output]);
  }
  return COMMANDS.map((command) => ({
    ...command,
    withheld: () => undefined,
    prepare: async (args) => {
      const output = outputs.get(JSON.stringify([command.name, args]))?.shift() ?? "";
      const finishes = command.name === "task_complete";
      return createPreparedCall("read", command.name, async () =>
        finishes ? { status: "finished", summary: "Done." } : { status: "done", output },
      );
    },
  }));
}

/** True for a call that the model makes in the reply of the one before: several reads or, if it can queue calls, an edit and its test. */
function isJoined(before: ScriptedStep, next: ScriptedStep | undefined, queues: boolean): next is ScriptedStep {
  const areReads = before.joins === true && next?.joins === true;
  return areReads || (queues && before.name === "edit_file" && next?.name === "execute_shell");
}

/** A model that plays the script, thinking aloud in a style. */
function scriptedModel(format: ReplyFormat, window: number, style: ThoughtStyle, queues = false): FakeModel {
  let at = 0;
  return new FakeModel(
    [
      async (request) => {
        const step = SCRIPT[at];
        if (!step) return reply(format, style, [{ name: "task_complete", args: { reason: "Done." }, output: "" }], at);
        const calls = [step];
        at++;
        for (
          let next = SCRIPT[at];
          request.parallelCalls && isJoined(calls[0] ?? step, next, queues);
          next = SCRIPT[at]
        ) {
          calls.push(next);
          at++;
        }
        return reply(format, style, calls, at);
      },
    ],
    [format],
    window,
  );
}

function reply(
  format: ReplyFormat,
  style: ThoughtStyle,
  steps: readonly ScriptedStep[],
  at: number,
): Partial<Completion> {
  const [first] = steps;
  if (!first) return {};
  const thoughts = style === "full" ? fullThoughts(first, at) : shortThought(first);
  if (format !== "tools")
    return { text: JSON.stringify({ thoughts, command: { name: first.name, args: first.args } }) };
  const calls = steps.map(({ name, args }, index) => ({
    id: `call_${at}_${index}`,
    name,
    arguments: JSON.stringify(style === "full" && index === 0 ? { thoughts, ...args } : args),
  }));
  return { text: typeof thoughts === "string" ? thoughts : "", calls, finish: "tool_calls" };
}

/** Tokens of each part of a request; the schema apart, because most servers don't render it into the prompt. */
interface RequestTokens {
  readonly tools: number;
  readonly messages: readonly number[];
  readonly schema: number;
}

function tokensOf({ tools, messages, schema }: ModelRequest): RequestTokens {
  return {
    tools: tools ? count(JSON.stringify(tools)) : 0,
    messages: messages.map((message) => count(JSON.stringify(message))),
    schema: schema ? count(JSON.stringify(schema.schema)) : 0,
  };
}

function promptTokens({ tools, messages }: RequestTokens): number {
  return messages.reduce((sum, tokens) => sum + tokens, tools);
}

/** Tokens that a request shares with the one before it, from its start. */
function sharedTokens(request: ModelRequest, before: ModelRequest | undefined): number {
  if (!before || JSON.stringify(request.tools) !== JSON.stringify(before.tools)) return 0;
  const changed = request.messages.findIndex(
    (message, at) => JSON.stringify(message) !== JSON.stringify(before.messages[at]),
  );
  const { tools, messages } = tokensOf(request);
  return messages.slice(0, changed).reduce((sum, tokens) => sum + tokens, tools);
}

interface Figures {
  /** Of the first prompt. */
  readonly first: RequestTokens;
  /** Prompts and replies of the whole run. */
  readonly total: number;
  readonly replies: number;
  /** Share of the prompts over 4,000 tokens that the prompt before already had. */
  readonly cached: number;
  readonly compactions: number;
  readonly largest: number;
  /** Calls that ran. */
  readonly done: number;
  readonly requests: readonly ModelRequest[];
  /** Tokens of each reply. */
  readonly outputs: readonly number[];
}

async function play(format: ReplyFormat, window: number, style: ThoughtStyle, queues = false): Promise<Figures> {
  const model = scriptedModel(format, window, style, queues);
  const commands = createCommandSet(scriptedCommands());
  const { live, log } = await rehearsal({
    answers: [],
    model,
    start: {
      task: "Make the parts of the order service agree on rounding, and prove it by tests.",
      profile: {
        name: "Fixer",
        role: "an engineer who repairs services carefully",
        goals: ["Every part rounds the same way", "The tests prove it", "Callers keep working"],
      },
      commands: commands.specs,
      model: { smart: "fake", fast: "fake", contextWindow: window },
    },
    parts: { commands },
    thinking: { contextBudget: new ContextBudget({ count: () => count }), thoughts: style },
  });
  live.resume();
  const end = await live.end;
  if (end.reason !== "finished") throw new Error(`The run ended as ${JSON.stringify(end)}.`);
  const outcomes = log.events.flatMap((event) =>
    event.type === "ended" ? [event.outcome, ...(event.also ?? [])] : [],
  );
  const done = outcomes.filter(({ status }) => status === "done").length;
  const prompts = model.requests.map((request, at) => ({
    tokens: promptTokens(tokensOf(request)),
    shared: sharedTokens(request, model.requests[at - 1]),
  }));
  const sent = prompts.reduce((sum, { tokens }) => sum + tokens, 0);
  const outputs = log.events.flatMap((event) =>
    event.type === "replied" ? count(event.text + event.calls.map((call) => call.arguments).join("")) : [],
  );
  const said = outputs.reduce((sum, tokens) => sum + tokens, 0);
  const large = prompts.slice(1).filter(({ tokens }) => tokens > 4_000);
  const [first = { messages: [] }] = model.requests;
  return {
    first: tokensOf(first),
    total: sent + said,
    replies: prompts.length,
    cached: large.reduce((sum, { shared }) => sum + shared, 0) / large.reduce((sum, { tokens }) => sum + tokens, 0),
    compactions: log.events.filter(({ type }) => type === "compacted").length,
    largest: Math.max(...prompts.map(({ tokens }) => tokens)),
    requests: model.requests,
    outputs,
    done,
  };
}

/** Figures of release 0.1.0 on the same script, with all five thoughts: the first prompt, and the whole run. */
const RELEASE: Readonly<Record<string, { readonly first: number; readonly total: number }>> = {
  "tools 128000": { first: 7506, total: 3_649_333 },
  "jsonSchema 128000": { first: 3106, total: 3_116_463 },
  "text 128000": { first: 3117, total: 3_117_574 },
  "tools 32000": { first: 7506, total: 2_234_631 },
  "jsonSchema 32000": { first: 3106, total: 1_882_678 },
  "text 32000": { first: 3117, total: 1_894_079 },
  "tools 8192": { first: 3612, total: 706_011 },
  "jsonSchema 8192": { first: 1672, total: 610_646 },
  "text 8192": { first: 1683, total: 611_757 },
  "tools 4096": { first: 2289, total: 406_075 },
  "jsonSchema 4096": { first: 1212, total: 310_297 },
  "text 4096": { first: 1223, total: 306_581 },
};

const WINDOWS = [128_000, 32_000, 8_192, 4_096] as const;
const FORMATS = ["tools", "jsonSchema", "text"] as const satisfies readonly ReplyFormat[];
type BenchFormat = (typeof FORMATS)[number];
const STYLES: readonly ThoughtStyle[] = ["full", "short"];

/** Most tokens of the first prompt in a large window, and most of the run with short thoughts, against 0.1.0. */
const MOST_FIRST: Readonly<Record<BenchFormat, number>> = { tools: 3_500, jsonSchema: 2_500, text: 2_500 };
const MOST_SHORT: Readonly<Record<BenchFormat, number>> = { tools: 0.6, jsonSchema: 0.75, text: 0.75 };
const LARGE = "128000";
const LEAST_CACHED = 0.9;

function checkFigures(key: string, style: ThoughtStyle, { first, total, cached }: Figures): void {
  const before = RELEASE[key];
  const format = FORMATS.find((name) => key.startsWith(name)) ?? "text";
  const name = `${key}, ${style} thoughts`;
  const isLarge = key.endsWith(LARGE);
  if (isLarge) check(`${name}: first prompt`, promptTokens(first), MOST_FIRST[format]);
  if (isLarge) check(`${name}: not cached`, 1 - cached, 1 - LEAST_CACHED);
  const most = style === "short" && isLarge ? MOST_SHORT[format] : 1;
  if (before) check(`${name}: run against 0.1.0`, total / before.total, most);
}

const rows: string[][] = [];
const bounds: (() => void)[] = [];
for (const window of WINDOWS)
  for (const format of FORMATS)
    for (const style of STYLES) {
      const key = `${format} ${window}`;
      const figures = await play(format, window, style);
      const { first, total, cached } = figures;
      const before = RELEASE[key];
      rows.push([
        `${key} ${style}`,
        String(promptTokens(first)),
        String(first.tools),
        String(first.schema),
        String(total),
        before ? `${((100 * total) / before.total).toFixed(0)}%` : "",
        String(figures.replies),
        String(figures.compactions),
        `${(100 * cached).toFixed(1)}%`,
        String(figures.largest),
      ]);
      bounds.push(() => checkFigures(key, style, figures));
    }
table(
  "Tokens (o200k_base)",
  ["", "step 1", "tools", "schema", "run", "of 0.1.0", "replies", "compactions", "cached", "largest"],
  rows,
);
/** Most of the cost before that a run with Anthropic may have, and least share of OpenAI's cache in large prompts. */
const MOST_ANTHROPIC = 0.25;
const LEAST_OPENAI = 0.95;

/** The run of 100 steps with tools in a large window, in money. */
async function money(): Promise<void> {
  const { requests, outputs } = await play("tools", 128_000, "short");
  const figures = SERVICES.map(({ name, model, address, ...rules }) => {
    const [before, after] = [rules.before, rules.after].map((one) => usagesOf(requests, outputs, count, one));
    if (!before || !after) throw new Error("Two runs were played.");
    const [was, is] = [before, after].map((usages) => runUsd(usages, model, address));
    return {
      name,
      model,
      was: was ?? 0,
      is: is ?? 0,
      wasCached: cachedShare(before),
      cached: cachedShare(after),
    };
  });
  table(
    "Money (US dollars, tools in a window of 128,000 tokens, short thoughts)",
    ["", "before", "after", "ratio", "cached before", "cached after"],
    figures.map(({ name, model, was, is, wasCached, cached }) => [
      `${name} ${model}`,
      was.toFixed(3),
      is.toFixed(3),
      (is / was).toFixed(3),
      `${(100 * wasCached).toFixed(1)}%`,
      `${(100 * cached).toFixed(1)}%`,
    ]),
  );
  const of = (wanted: string) => figures.find(({ name }) => name === wanted);
  const [anthropic, openai] = [of("Anthropic"), of("OpenAI")];
  if (anthropic) check("Anthropic: cost against before", anthropic.is / anthropic.was, MOST_ANTHROPIC);
  if (openai) check("OpenAI: not cached", 1 - openai.cached, 1 - LEAST_OPENAI);
}

/** Most tokens of a run whose edits come with their tests in one reply, against one call a reply. */
const MOST_QUEUED = 0.95;

async function compareQueued(): Promise<void> {
  const figures = await Promise.all(
    STYLES.map(async (style) => {
      const [alone, together] = [await play("tools", 128_000, style), await play("tools", 128_000, style, true)];
      return { style, alone, together };
    }),
  );
  table(
    "An edit and its test in one reply (tools in a window of 128,000 tokens)",
    ["", "run", "in one reply", "ratio", "replies", "in one reply"],
    figures.map(({ style, alone, together }) => [
      style,
      String(alone.total),
      String(together.total),
      (together.total / alone.total).toFixed(3),
      String(alone.replies),
      String(together.replies),
    ]),
  );
  for (const { style, alone, together } of figures) {
    if (alone.done !== together.done) throw new Error(`${together.done} calls ran, and not ${alone.done}.`);
    check(`${style} thoughts, an edit and its test in one reply`, together.total / alone.total, MOST_QUEUED);
  }
}

for (const bound of bounds) bound();
await compareQueued();
await money();
exitWithChecks();
