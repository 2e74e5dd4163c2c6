import { setTimeout as wait } from "node:timers/promises";
import { runWithinTime } from "../core/base/async.ts";
import { isObject } from "../core/base/json.ts";
import { cutText, quoteAsData } from "../core/base/text.ts";
import type { Command } from "../core/commands/command.ts";
import { estimateTokens } from "../core/context/tokens.ts";
import type { AgentEventBody } from "../schema/events.ts";
import { isHookAnswer } from "../schema/host-validators.ts";
import {
  ANSWER_FIELDS,
  type HookAnswer,
  type HookName,
  type HookPayloads,
  type OfferedCommand,
} from "../schema/plugin-values.ts";
import { type DisplayText, displayText, type Sentence } from "../texts/display-text.ts";
import { createOfferedCommands } from "./foreign-command.ts";
import { HOOKS, MAX_FAILURES_IN_A_ROW, OFFER_TOKENS } from "./hooks.ts";
import type { LoadedPlugin } from "./plugin.ts";

type Hooked = Extract<AgentEventBody, { type: "hooked" }>;

/** The answer of a plugin to a hook, or why there is none. */
type Answered<Name extends HookName> =
  | { readonly plugin: LoadedPlugin; readonly answer: HookAnswer<Name> }
  | { readonly plugin: LoadedPlugin; readonly failed: string };

/** How plugins reach the run that they are loaded for. */
export interface PluginsOfRun {
  /** The number of the current step. */
  getCurrentStep(): number;
  /** Records the events of calls, before whatever is recorded next. Nothing waits for that. */
  record(events: readonly Hooked[]): void;
  notice(text: Sentence): void;
}

/** Additions of plugins to the head of a run's prompts. */
export interface Offers {
  readonly commands: readonly Command[];
  readonly constraints: readonly string[];
  readonly resources: readonly string[];
  readonly bestPractices: readonly string[];
}

export const NO_OFFERS: Offers = { commands: [], constraints: [], resources: [], bestPractices: [] };

/** A call after the plugins have seen it, and who changed it. */
interface ReviewedCall {
  readonly command: string;
  readonly args: HookPayloads["afterReply"]["args"];
  readonly by: readonly string[];
}

/** A text after the plugins have seen it, and who changed it. */
interface ReviewedText {
  readonly text: string;
  readonly by: readonly string[];
}

/** Opinions of plugins about a call, before it is approved. */
export interface CallVerdict {
  readonly deny?: DisplayText;
  readonly ask?: DisplayText;
  readonly args?: { readonly by: string; readonly args: Readonly<Record<string, unknown>> };
  /** Words for the model, each quoted with its plugin's name. */
  readonly add: readonly string[];
}

/** The first prompt waits no longer for connections: 3 seconds with all the rest that starts. */
const OPEN_MS = 2_800;

const MAX_ANSWER_CHARS = 1_000_000;

/** Time for the last lines to be reported when a run is over. */
const LAST_REPORT_MS = 500;

/** The plugins of one run: calls their hooks, limits their time, and keeps whatever goes wrong in one away from the others and the run. */
export class RunPlugins {
  private readonly plugins: readonly LoadedPlugin[];
  private readonly run: PluginsOfRun;
  private readonly isShared: boolean;
  private readonly reporting = new Set<Promise<unknown>>();
  private readonly failures = new Map<string, number>();
  private readonly unwritten: Hooked[] = [];

  constructor(plugins: readonly LoadedPlugin[], run: PluginsOfRun, isShared = false) {
    this.isShared = isShared;
    this.plugins = plugins;
    this.run = run;
  }

  /** The same plugins for an agent that works for the run. */
  createForAgent(run: PluginsOfRun): RunPlugins {
    return new RunPlugins(this.plugins, run, true);
  }

  /** Commands that came after the start. */
  listUnofferedCommands(): readonly Command[] {
    return this.plugins.flatMap((plugin) => plugin.listUnofferedCommands?.() ?? []);
  }

  /** True if any of them may have such commands. */
  get addsLater(): boolean {
    return this.plugins.some(({ listUnofferedCommands: behind }) => behind !== undefined);
  }

  has(hook: HookName): boolean {
    return this.plugins.some(({ hooks }) => hooks.includes(hook));
  }

  /** True if any of them may have something for the end of a prompt. */
  get speaksUp(): boolean {
    return this.plugins.some(
      ({ hooks, takeNews }) => takeNews !== undefined || hooks.includes("beforeThinking"),
    );
  }

  /** Commands and directives for the head of the prompts. Plugins get a limited time to make their commands ready. */
  async offer(payload: HookPayloads["offer"], signal: AbortSignal): Promise<Offers> {
    const opening = this.plugins.map(({ open }) => open && runWithinTime(OPEN_MS, signal, open));
    await Promise.allSettled(opening);
    const offered = await this.callAll("offer", payload, signal);
    const commands: Command[] = this.plugins.flatMap((plugin) => plugin.listCommands?.() ?? []);
    const texts = { constraints: [] as string[], resources: [] as string[], bestPractices: [] as string[] };
    let left = OFFER_TOKENS;
    for (const one of offered) {
      if (!("answer" in one)) continue;
      const { plugin, answer } = one;
      let room = Math.min(left, HOOKS.offer.tokens ?? 0);
      for (const kind of ["constraints", "resources", "bestPractices"] as const)
        for (const text of answer[kind] ?? []) {
          const line = quoteAsData(text, describePlugin(plugin));
          const tokens = estimateTokens(line);
          if (tokens > room) continue;
          room -= tokens;
          left -= tokens;
          texts[kind].push(line);
        }
      if (plugin.run)
        commands.push(
          ...createOfferedCommands(plugin, this.selectUsableCommands(plugin, answer.commands ?? [])),
        );
    }
    return { commands, ...texts };
  }

  /** A rule of the user's may allow a tool of a server by its name, which no other command gets. */
  private selectUsableCommands(
    { kind, name }: LoadedPlugin,
    offered: readonly OfferedCommand[],
  ): readonly OfferedCommand[] {
    const isServers = (one: OfferedCommand): boolean => kind !== "own" && one.name.includes("__");
    for (const one of offered.filter(isServers))
      this.run.notice(displayText("plugins.serverName", { name, command: one.name }));
    return offered.filter((one) => !isServers(one));
  }

  /** Notes for the end of the next prompt, each quoted with its plugin's name. */
  async collectNotes(
    payload: HookPayloads["beforeThinking"],
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const answers = await this.callAll("beforeThinking", payload, signal);
    const news = this.plugins.flatMap((plugin) => plugin.takeNews?.() ?? []);
    return [
      ...news,
      ...answers.flatMap((one) => quotePluginAnswer(one, "beforeThinking", ({ note }) => note)),
    ];
  }

  /** The call that counts after the plugins have seen the reply, and who changed it. */
  reviewCall(payload: HookPayloads["afterReply"], signal: AbortSignal): Promise<ReviewedCall> {
    return this.recordCalls(this.review(payload, signal));
  }

  private async review(payload: HookPayloads["afterReply"], signal: AbortSignal): Promise<ReviewedCall> {
    let { command, args } = payload;
    const by: string[] = [];
    for (const plugin of this.listPluginsWithHook("afterReply")) {
      const one = await this.call(plugin, "afterReply", { ...payload, command, args }, signal);
      if (!("answer" in one)) continue;
      const next = { command: one.answer.command ?? command, args: one.answer.args ?? args };
      if (JSON.stringify(next) === JSON.stringify({ command, args })) continue;
      by.push(plugin.name);
      ({ command, args } = next);
    }
    return { command, args, by };
  }

  /** Collects the opinions of the plugins about a call. A guard that can't answer has the user asked. */
  async check(payload: HookPayloads["beforeCommand"], signal: AbortSignal): Promise<CallVerdict> {
    const answers = await this.callAll("beforeCommand", payload, signal);
    const deny = answers.flatMap((one) => explainDecision(one, "plugins.deny", ({ deny }) => deny))[0];
    const ask = answers.flatMap((one) =>
      "failed" in one && one.plugin.isGuard
        ? [displayText("plugins.guardFailed", { name: one.plugin.name, why: one.failed })]
        : explainDecision(one, "plugins.ask", (answer) => answer.ask),
    )[0];
    const changed = answers.findLast((one) => "answer" in one && one.answer.args !== undefined);
    const args = changed && "answer" in changed ? changed.answer.args : undefined;
    return {
      ...(deny ? { deny } : {}),
      ...(ask ? { ask } : {}),
      ...(args && changed ? { args: { by: changed.plugin.name, args } } : {}),
      add: answers.flatMap((one) => quotePluginAnswer(one, "beforeCommand", ({ add }) => add)),
    };
  }

  /** The text that counts after the plugins have seen it, and who changed it. */
  reviewText(
    hook: "afterCommand" | "beforeDelegate" | "afterDelegate",
    payloadOf: (text: string) => HookPayloads[typeof hook],
    first: string,
    signal: AbortSignal,
  ): Promise<ReviewedText> {
    return this.recordCalls(this.applyTextHook(hook, payloadOf, first, signal));
  }

  private async applyTextHook(
    hook: "afterCommand" | "beforeDelegate" | "afterDelegate",
    payloadOf: (text: string) => HookPayloads[typeof hook],
    first: string,
    signal: AbortSignal,
  ): Promise<ReviewedText> {
    let text = first;
    const by: string[] = [];
    for (const plugin of this.listPluginsWithHook(hook)) {
      const one = await this.call(plugin, hook, payloadOf(text), signal);
      if (!("answer" in one)) continue;
      const { replace, add } = one.answer;
      if (!replace && !add) continue;
      by.push(plugin.name);
      const mark = replace ? `rewritten by ${describePlugin(plugin)}` : describePlugin(plugin);
      const words = quoteAsData(limitHookText(replace ?? add ?? "", hook), mark);
      text = replace ? words : `${text}\n${words}`;
    }
    return { text, by };
  }

  /** The first plugin's answer to a question. Never settles without one, so it is to be raced and aborted. */
  async answer(question: string, signal: AbortSignal): Promise<string> {
    const asked = this.listPluginsWithHook("answer").map(async (plugin) => {
      const one = await this.recordCalls(this.call(plugin, "answer", { question }, signal));
      if ("answer" in one && one.answer.answer)
        return quoteAsData(
          one.answer.answer,
          `${describePlugin(plugin)}, which answered in the user's place`,
        );
      throw new Error("no answer");
    });
    return Promise.any(asked).catch(() => new Promise<never>(() => undefined));
  }

  /** Texts to keep in a summary. */
  async collectKeptTexts(
    payload: HookPayloads["beforeCompaction"],
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const answers = await this.callAll("beforeCompaction", payload, signal);
    return answers.flatMap((one) => quotePluginAnswer(one, "beforeCompaction", ({ keep }) => keep));
  }

  /** Why the run should go on; undefined if no plugin wants that. */
  async goOn(payload: HookPayloads["ending"], signal: AbortSignal): Promise<string | undefined> {
    const answers = await this.callAll("ending", payload, signal);
    return answers.flatMap((one) => quotePluginAnswer(one, "ending", ({ goOn }) => goOn))[0];
  }

  /** Passes a line on to the plugins that report. Nothing waits for them. */
  report(text: string, signal: AbortSignal): void {
    for (const plugin of this.listPluginsWithHook("report")) {
      const reporting = this.recordCalls(this.call(plugin, "report", { text }, signal))
        .catch(() => undefined)
        .finally(() => this.reporting.delete(reporting));
      this.reporting.add(reporting);
    }
  }

  /** Ends the plugins' processes, once the last lines are reported; those of an agent's run stay for the run that it works for. */
  async close(): Promise<void> {
    await Promise.race([Promise.all(this.reporting), wait(LAST_REPORT_MS, undefined, { ref: false })]);
    if (this.isShared) return;
    await Promise.allSettled(this.plugins.map((plugin) => plugin.close()));
  }

  private listPluginsWithHook(hook: HookName): readonly LoadedPlugin[] {
    return this.plugins.filter(({ hooks }) => hooks.includes(hook));
  }

  private callAll<Name extends HookName>(
    hook: Name,
    payload: HookPayloads[Name],
    signal: AbortSignal,
  ): Promise<readonly Answered<Name>[]> {
    return this.recordCalls(
      Promise.all(this.listPluginsWithHook(hook).map((plugin) => this.call(plugin, hook, payload, signal))),
    );
  }

  /** Calls one hook of one plugin. Only an abort of the run is thrown. */
  private async call<Name extends HookName>(
    plugin: LoadedPlugin,
    hook: Name,
    payload: HookPayloads[Name],
    signal: AbortSignal,
  ): Promise<Answered<Name>> {
    const failed = this.failures.get(plugin.id) ?? 0;
    if (failed >= MAX_FAILURES_IN_A_ROW) return { plugin, failed: "it's off for this run" };
    const began = performance.now();
    const limitMs = HOOKS[hook].limitMs === 0 ? 0 : (plugin.limitMs ?? HOOKS[hook].limitMs);
    const one = await runWithinTime(limitMs, signal, async (inTime) => {
      const answer = parseHookAnswer(hook, await plugin.call(hook, payload, inTime));
      return { plugin, answer };
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      return { plugin, failed: cutText(error instanceof Error ? error.message : String(error), 300) };
    });
    const ms = Math.round((performance.now() - began) * 100) / 100;
    this.log(plugin, hook, ms, one);
    return one;
  }

  /** Writes the events of the calls together. All events are written in the order of their calls, so the step needn't wait for these. */
  private async recordCalls<T>(calls: Promise<T>): Promise<T> {
    try {
      return await calls;
    } finally {
      const events = this.unwritten.splice(0);
      if (events.length > 0) this.run.record(events);
    }
  }

  private log<Name extends HookName>(
    { id, name }: LoadedPlugin,
    hook: HookName,
    ms: number,
    one: Answered<Name>,
  ): void {
    const why = "failed" in one ? one.failed : formatChangedFields(one.answer);
    const result = "failed" in one ? "failed" : why === "" ? "none" : "changed";
    const count = "failed" in one ? (this.failures.get(id) ?? 0) + 1 : 0;
    this.failures.set(id, count);
    const step = this.run.getCurrentStep();
    this.unwritten.push({
      type: "hooked",
      ...{ step, plugin: id, hook, ms, result },
      ...(why === "" ? {} : { why }),
    });
    if (count === MAX_FAILURES_IN_A_ROW) this.run.notice(displayText("plugins.off", { name, count, why }));
  }
}

/** An answer as plain JSON of the right shape. Throws a sentence for anything else. */
function parseHookAnswer<Name extends HookName>(hook: Name, answer: unknown): HookAnswer<Name> {
  if (answer === undefined || answer === null) return {} as HookAnswer<Name>;
  const json = JSON.stringify(answer);
  if (json === undefined || json.length > MAX_ANSWER_CHARS)
    throw new Error("its answer is too long, or none");
  const value: unknown = JSON.parse(json);
  // Any other field has no meaning, whatever its name promises.
  const known = isObject(value) && ANSWER_FIELDS[hook].filter((name) => Object.hasOwn(value, name));
  const tagged: unknown = known && { ...Object.fromEntries(known.map((name) => [name, value[name]])), hook };
  if (!isHookAnswer(tagged)) throw new Error("its answer has the wrong form");
  const { hook: _hook, ...rest } = tagged;
  return rest as HookAnswer<Name>;
}

/** Names of the fields of an answer that change something. */
function formatChangedFields(answer: object): string {
  const fields = Object.entries(answer).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined && value !== "",
  );
  return fields.map(([name]) => name).join(", ");
}

/** The words of a plugin to the model, within the limit of the hook and quoted with its name. */
function quotePluginAnswer<Name extends HookName>(
  one: Answered<Name>,
  hook: HookName,
  pick: (answer: HookAnswer<Name>) => string | undefined,
): readonly string[] {
  const text = "answer" in one ? pick(one.answer) : undefined;
  return text ? [quoteAsData(limitHookText(text, hook), describePlugin(one.plugin))] : [];
}

/** The source of quoted words. A name can't end its own quotation. */
function describePlugin({ name }: LoadedPlugin): string {
  return `the plugin ${JSON.stringify(name)}`;
}

function explainDecision(
  one: Answered<"beforeCommand">,
  code: "plugins.deny" | "plugins.ask",
  pick: (answer: HookAnswer<"beforeCommand">) => string | undefined,
): readonly DisplayText[] {
  const why = "answer" in one ? pick(one.answer) : undefined;
  return why === undefined ? [] : [displayText(code, { name: one.plugin.name, why: cutText(why, 500) })];
}

function limitHookText(text: string, hook: HookName): string {
  const { tokens = 0 } = HOOKS[hook];
  return estimateTokens(text) <= tokens ? text : cutText(text, tokens * 3);
}
