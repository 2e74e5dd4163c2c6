import { getErrorMessage } from "../core/base/errors.ts";
import { omitUndefined } from "../core/base/objects.ts";
import { escapeInvisible } from "../core/base/text.ts";
import { type Command, createPreparedCall, isPrepared, type PreparedCall } from "../core/commands/command.ts";
import type { Outcome, Source } from "../core/commands/outcome.ts";
import type { OfferedCommand } from "../schema/plugin-values.ts";
import { cleanForeignWords, parseForeignSchema } from "./foreign-schema.ts";
import type { LoadedPlugin, PreparedOffer } from "./plugin.ts";

type Args = Readonly<Record<string, unknown>>;

/** If there are many tools, plugins with more commands offer them through `find_tools`. */
const FEW_COMMANDS = 10;

/** The commands that a plugin describes. */
export function createOfferedCommands(plugin: LoadedPlugin, offered: readonly OfferedCommand[]): readonly Command[] {
  const commands = offered.map((one) => createOfferedCommand(plugin, one));
  return commands.length <= FEW_COMMANDS ? commands : commands.map((command) => ({ ...command, isDeferrable: true }));
}

/** A command that a plugin describes. Its card shows the plugin, the command and every argument. */
function createOfferedCommand(plugin: LoadedPlugin, offered: OfferedCommand): Command {
  const { name, description, parameters } = offered;
  // Ours check what they take from elsewhere themselves.
  const isOurs = plugin.kind === "own";
  return {
    name,
    aliases: [],
    category: "plugins",
    effect: "run",
    description: `${isOurs ? description : cleanForeignWords(description)} (added by the plugin "${plugin.name}")`,
    ...(isOurs && parameters ? { parameters } : parseForeignSchema(parameters)),
    prepare: (args, { signal }) =>
      runForeignAction(createSource(plugin, name), signal, async () => {
        const call = await plugin.prepare?.(name, args, signal);
        return describeCall(plugin, offered, args, call);
      }),
  };
}

function describeCall(
  plugin: LoadedPlugin,
  { name, hosts, publishes }: OfferedCommand,
  args: Args,
  call: PreparedOffer | undefined,
): PreparedCall {
  const isPublic = call ? call.publishes : publishes;
  const asked = call ? (call.hosts ?? hosts) : hosts;
  const text = formatCardText(args, call?.text);
  return createPreparedCall(
    "run",
    `Plugin ${plugin.name}: ${name}\n${text}`,
    ({ signal, output }) =>
      runForeignAction(createSource(plugin, name), signal, async () => {
        if (call && !(await call.isFresh())) throw new Error(CHANGED);
        const running = { signal, output };
        const result = await (call ? call.run(running) : plugin.run?.(name, args, running));
        const { text, source } = typeof result === "string" ? { text: result } : { text: "", ...result };
        return { status: "done", output: text, source: createSource(plugin, source ?? name) };
      }),
    {
      tool: { name, owner: plugin.name, text, hasOnlyArguments: call === undefined },
      ...omitUndefined({ hosts: asked, publishes: isPublic || undefined }),
      ...(call ? { touches: call.reads, fresh: () => call.isFresh() } : {}),
      ...(call?.asks === undefined ? {} : { onlyByUser: { rule: "plugin-asks", reason: call.asks } }),
    },
  );
}

const CHANGED = "A file has changed since the call was shown, so nothing was done. Ask for it again.";

function createSource({ name }: LoadedPlugin, what: string): Source {
  return { kind: "tool", name: `${name}: ${what}` };
}

/**
 * Runs foreign code and converts its errors to an outcome, because their texts are as untrusted as its results. Only an abort is thrown.
 */
export async function runForeignAction<T>(
  source: Source,
  signal: AbortSignal,
  act: () => Promise<T | Outcome>,
): Promise<T | Outcome> {
  try {
    return await act();
  } catch (error) {
    signal.throwIfAborted();
    return { status: "failed", error: getErrorMessage(error), source };
  }
}

/** All arguments of a call, for its card, each on a line. */
export function formatArguments(args: Args): string {
  const lines = Object.entries(args).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return lines.length === 0 ? "{}" : escapeInvisible(`{\n${lines.join(",\n")}\n}`);
}

/** The plugin's own text, followed by the arguments unless the text contains all of them. */
function formatCardText(args: Args, text: string | undefined): string {
  const all = formatArguments(args);
  if (text === undefined) return all;
  return isTold(args, text) ? escapeInvisible(text) : `${escapeInvisible(text)}\n\nArguments: ${all}`;
}

function isTold(value: unknown, text: string): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (typeof value === "object") return Object.values(value).every((item) => isTold(item, text));
  return text.includes(String(value));
}

/** Wraps a foreign command: it always counts as one that runs programs, and its texts are quoted as data. */
export function wrapForeignCommand(command: Command): Command {
  const source = { kind: "tool", name: command.name } as const;
  const quoteOutcome = (outcome: Outcome): Outcome =>
    outcome.status === "done" || outcome.status === "failed"
      ? { ...outcome, source: outcome.source?.isClean === undefined ? (outcome.source ?? source) : source }
      : outcome;
  return {
    ...command,
    effect: "run",
    async prepare(args, preparing) {
      const result = await command.prepare(args, preparing);
      if (!isPrepared(result)) return quoteOutcome(result);
      return { ...result, effect: "run", run: async (running) => quoteOutcome(await result.run(running)) };
    },
  };
}
