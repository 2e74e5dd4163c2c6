import { writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { callTool } from "../commands/agent/call-tool.ts";
import type { HiddenCommands } from "../commands/agent/find-tools.ts";
import { runWithinTime } from "../core/base/async.ts";
import { omitUndefined } from "../core/base/objects.ts";
import { cutText } from "../core/base/text.ts";
import type { Command } from "../core/commands/command.ts";
import type { CommandSet } from "../core/commands/command-set.ts";
import { splitDeferredTools } from "../core/commands/offered-commands.ts";
import { getOutcomeText, type Outcome, setOutcomeText } from "../core/commands/outcome.ts";
import type { Run, StartedBody } from "../core/events/run.ts";
import { getCurrentStep } from "../core/events/run-state.ts";
import type { User } from "../core/ports/approver.ts";
import type { CommandSpec } from "../core/ports/model.ts";
import type { CallOpinion, CheckedCall, StepHooks } from "../core/ports/step-hooks.ts";
import type { Agents } from "../core/ports/sub-agents.ts";
import { listHiddenCommands } from "../core/prompt/prompt.ts";
import type { Call, Proposal } from "../core/reply/reply.ts";
import { normalizeSlashes } from "../node/files/real-path.ts";
import { getOutputFile } from "../node/processes/outputs.ts";
import {
  applyTextAnswer,
  createCallOpinion,
  createOffers,
  NO_OFFERS,
  type Offers,
  quotePluginAnswer,
  quoteUserAnswer,
  type TextHook,
} from "../plugins/hook-answers.ts";
import { HookCalls, type HookedEvent, type HookedRun } from "../plugins/hook-calls.ts";
import type { LoadedPlugin, PluginRun } from "../plugins/plugin.ts";
import type { RunChanges } from "../plugins/started/started-files.ts";
import type { Secrets } from "../runs/log/secrets.ts";
import type { AgentEvent } from "../schema/events.ts";
import type { HookPayloads } from "../schema/plugin-values.ts";
import type { WorkspaceFolder } from "../schema/run-values.ts";
import type { Settings } from "../schema/settings.ts";
import type { Sentence } from "../texts/display-text.ts";
import type { Host } from "./host.ts";
import type { RunPrograms } from "./inert-programs.ts";
import { listOriginFolders } from "./isolated/isolated-host.ts";

/** How plugins are loaded for a run, and what becomes of their words. */
export interface RunPluginsDependencies {
  /** Loads the plugins that may be used, and runs none of them. */
  load(control: Required<Pick<PluginRun, "notice" | "stop" | "getChanges">>): Promise<readonly LoadedPlugin[]>;
  /** Shows the user a notice. */
  notice(text: Sentence): void;
  /** Keeps the whole outcome of a step that a plugin rewrote. */
  keep(step: number, text: string): Promise<void>;
}

/** A run whose plugins are opened. */
interface OpenedRun extends Pick<StartedBody, "task" | "profile"> {
  /** Tokens of its model's window; 0 if unknown. */
  readonly window?: number | undefined;
}

/** The commands of a run: all that are offered, and those of them that are ours. */
export interface OpenedCommands {
  readonly commands: CommandSet;
  readonly own: readonly Command[];
}

/** The first prompt waits at most this long for connections, so that startup takes 3 seconds in total. */
const OPEN_MS = 2_800;

/** Limit on the characters of the last outcome in a request for a note. */
const OUTCOME_HEAD = 2_000;

/** Time for reporting the last lines after a run ends, in milliseconds. */
const LAST_REPORT_MS = 500;

/** The plugins of a run: when each hook is called, with which payload, and what its answers do to the run. */
export class RunPlugins implements StepHooks, HiddenCommands {
  private readonly parts: RunPluginsDependencies;
  private readonly isShared: boolean;
  private readonly ended = new AbortController();
  private readonly reporting = new Set<Promise<unknown>>();
  /** Names of the commands that began and when they last began, including those of agents that work for the run. */
  private readonly begun: Map<string, number>;
  /** Names of the files that the commands changed, and when. */
  private readonly changed: Map<string, number>;
  private calls: HookCalls;
  /** Undefined until the first event is written. */
  private run: Run | undefined;
  /** Events of calls from before that. */
  private readonly early: HookedEvent[] = [];
  private opened: Promise<Offers> | undefined;
  private hasAskedToGoOn = false;
  /** Notices from before the run is live. */
  private earlyNotices: Sentence[] | undefined = [];
  private deferred: readonly Command[] = [];
  private own: readonly Command[] = [];
  private stopRun: () => void = () => undefined;
  /** Commands of the plugins, for the agents that work for the run. */
  commands: readonly Command[] = [];

  /** With a parent, which is of the run that this one works for, it has the same plugins. */
  constructor(parts: RunPluginsDependencies, parent?: RunPlugins) {
    this.parts = parts;
    this.isShared = parent !== undefined;
    this.begun = parent?.begun ?? new Map();
    this.changed = parent?.changed ?? new Map();
    this.calls = new HookCalls(parent?.calls.plugins ?? [], this.port);
    if (parent) this.opened = Promise.resolve(NO_OFFERS);
  }

  /** The same plugins for an agent that works for the run. */
  createForAgent(keep: RunPluginsDependencies["keep"]): RunPlugins {
    return new RunPlugins({ ...this.parts, keep }, this);
  }

  /** Loads the plugins once, and adds the commands that they offer for the run. */
  open(opened: OpenedRun, commands: OpenedCommands): Promise<Offers> {
    this.opened ??= this.load(opened, commands);
    return this.opened;
  }

  /** Serves a run with this past: writes the events from before its log existed, and reports its lines. */
  async follow(run: Run, past: readonly AgentEvent[]): Promise<void> {
    this.run = run;
    this.hasAskedToGoOn = past.some((event) => event.type === "hooked" && isGoingOn(event));
    for (const event of past) this.look(event);
    run.onEvent((event) => {
      this.look(event);
      if (event.type === "replied" && event.reply.kind === "proposal") this.report(event.reply.thoughts.speak);
      if (event.type === "over") {
        if (event.end.reason === "finished") this.report(event.end.summary);
        void this.close();
      }
    });
    const first = this.early.splice(0);
    if (first.length > 0) await run.recordAll(first);
  }

  /** Serves a run that is live: its user gets the notices so far, and a plugin may stop it. */
  async start({ task, profile, model }: StartedBody, commands: OpenedCommands, stop: () => void): Promise<void> {
    this.stopRun = stop;
    await this.open({ task, profile, window: model.contextWindow }, commands);
    const { earlyNotices = [] } = this;
    this.earlyNotices = undefined;
    for (const text of earlyNotices) this.parts.notice(text);
  }

  /** Ends the plugins' processes, once the last lines are reported. A later call starts them again; those of an agent's run stay for the run that it works for. */
  async close(): Promise<void> {
    await Promise.race([Promise.all(this.reporting), wait(LAST_REPORT_MS, undefined, { ref: false })]);
    if (this.isShared) return;
    await Promise.allSettled(this.calls.plugins.map((plugin) => plugin.close()));
  }

  async collectNotes(signal: AbortSignal): Promise<readonly string[]> {
    const { run, calls } = this;
    const mayHaveNotes = calls.has("beforeThinking") || calls.plugins.some(({ takeNews }) => takeNews);
    if (!run || !mayHaveNotes) return [];
    const { state } = run;
    const last = state.recent.at(-1)?.outcome;
    const { input, output, discounted } = state.totals;
    const { tokens } = state.limits;
    const payload = {
      step: getCurrentStep(state),
      goals: state.profile.goals,
      plan: state.plan.map(({ text, status }) => `[${status}] ${text}`),
      outcome: last ? cutText(getOutcomeText(last), OUTCOME_HEAD) : "",
      ...(tokens > 0 ? { tokensLeft: Math.max(0, tokens - input - output + discounted) } : {}),
    };
    const answers = await calls.callAll("beforeThinking", payload, signal);
    const news = calls.plugins.flatMap((plugin) => plugin.takeNews?.() ?? []);
    return [...news, ...answers.flatMap((one) => quotePluginAnswer(one, "beforeThinking", ({ note }) => note))];
  }

  async reviewProposal(step: number, proposal: Proposal, signal: AbortSignal): Promise<Proposal> {
    const { calls } = this;
    if (!calls.has("afterReply")) return proposal;
    return calls.recordCalls(
      (async () => {
        let { call } = proposal;
        const by: string[] = [];
        for (const plugin of calls.listPluginsWithHook("afterReply")) {
          const payload = { step, thoughts: proposal.thoughts, command: call.name, args: call.args };
          const one = await calls.call(plugin, "afterReply", payload, signal);
          if (!("answer" in one)) continue;
          const next = { name: one.answer.command ?? call.name, args: one.answer.args ?? call.args };
          if (JSON.stringify(next) === JSON.stringify({ name: call.name, args: call.args })) continue;
          by.push(plugin.name);
          call = next;
        }
        return by.length === 0 ? proposal : { ...proposal, call, changedBy: by };
      })(),
    );
  }

  async check({ step, call, prepared, hash }: CheckedCall, signal: AbortSignal): Promise<CallOpinion> {
    if (!this.calls.has("beforeCommand")) return { add: [] };
    const { effect, touches, hosts = [], shell } = prepared;
    const payload = {
      step,
      command: call.name,
      args: call.args,
      effect,
      touches: touches.map(({ path, how }) => ({ path, how })),
      hosts,
      ...omitUndefined({ shell }),
      hash,
    };
    return createCallOpinion(await this.calls.callAll("beforeCommand", payload, signal));
  }

  async reviewOutcome(step: number, call: Call, outcome: Outcome, signal: AbortSignal): Promise<Outcome> {
    if (!this.calls.has("afterCommand")) return outcome;
    if (outcome.status !== "done" && outcome.status !== "failed") return outcome;
    const files = "files" in outcome ? (outcome.files ?? []).map(({ file }) => file) : [];
    const about = { step, command: call.name, args: call.args, status: outcome.status, files };
    const first = getOutcomeText(outcome);
    const text = await this.reviewText("afterCommand", first, (now) => ({ ...about, outcome: now }), signal);
    if (text === undefined) return outcome;
    if (!text.startsWith(first)) await this.parts.keep(step, first);
    return setOutcomeText(outcome, text);
  }

  async goOn(summary: string, signal: AbortSignal): Promise<string | undefined> {
    if (!this.calls.has("ending")) return undefined;
    const isAgain = this.hasAskedToGoOn;
    const answers = await this.calls.callAll("ending", { summary, stopHookActive: isAgain }, signal);
    const [why] = answers.flatMap((one) => quotePluginAnswer(one, "ending", ({ goOn }) => goOn));
    this.hasAskedToGoOn ||= why !== undefined;
    return isAgain ? undefined : why;
  }

  async collectKeptTexts(through: number): Promise<readonly string[]> {
    const answers = await this.calls.callAll("beforeCompaction", { through }, this.ended.signal);
    return answers.flatMap((one) => quotePluginAnswer(one, "beforeCompaction", ({ keep }) => keep));
  }

  /** Asks both the person and any plugin that may answer in their place; the first answer counts. */
  wrapUser(user: User): User {
    return {
      ask: async (question, signal) => {
        if (!this.calls.has("answer")) return user.ask(question, signal);
        const settled = new AbortController();
        const either = AbortSignal.any([signal, settled.signal]);
        const person = user.ask(question, either);
        const plugin = this.answer(question, either);
        try {
          return await Promise.race([person, plugin]);
        } finally {
          settled.abort(new Error("The question was answered."));
          await Promise.allSettled([person]);
        }
      },
    };
  }

  /** Wraps the agents, so that plugins see their tasks and answers. */
  wrapAgents(agents: Agents): Agents {
    return {
      described: agents.described,
      getMaxCount: () => agents.getMaxCount(),
      list: () => agents.list(),
      resolveAllowedCommands: (names) => agents.resolveAllowedCommands(names),
      selectAllowedCommands: (names) => agents.selectAllowedCommands(names),
      delete: (id) => agents.delete(id),
      send: (id, message) => agents.send(id, message),
      start: async (request) => {
        const { name, task: first } = request;
        const { signal } = this.ended;
        const task = await this.reviewText("beforeDelegate", first, (now) => ({ name, task: now }), signal);
        return agents.start({ ...request, task: task ?? first });
      },
      answer: async (id, signal) => {
        const answer = await agents.answer(id, signal);
        if (typeof answer === "string" || answer.end.reason !== "finished") return answer;
        const { name } = answer.agent;
        const first = answer.end.summary;
        const summary = await this.reviewText("afterDelegate", first, (now) => ({ name, answer: now }), signal);
        return { ...answer, end: { ...answer.end, summary: summary ?? first } };
      },
    };
  }

  listHidden(): readonly CommandSpec[] {
    return this.run ? listHiddenCommands(this.run.head, this.run.history) : [];
  }

  listCallableTools(): readonly Command[] {
    const later = this.calls.plugins.flatMap((plugin) => plugin.listUnofferedCommands?.() ?? []);
    return [...this.deferred, ...later];
  }

  /** The text after the plugins have seen it; undefined if none changed it. */
  private reviewText(
    hook: TextHook,
    first: string,
    createPayload: (text: string) => HookPayloads[TextHook],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { calls } = this;
    return calls.recordCalls(
      (async () => {
        let text: string | undefined;
        for (const plugin of calls.listPluginsWithHook(hook)) {
          const one = await calls.call(plugin, hook, createPayload(text ?? first), signal);
          text = applyTextAnswer(text ?? first, hook, one) ?? text;
        }
        return text;
      })(),
    );
  }

  /** The first answer of a plugin to a question. Never settles if none answers, so callers race and abort it. */
  private async answer(question: string, signal: AbortSignal): Promise<string> {
    const { calls } = this;
    const asked = calls
      .listPluginsWithHook("answer")
      .map(async (plugin) =>
        quoteUserAnswer(await calls.recordCalls(calls.call(plugin, "answer", { question }, signal))),
      );
    return Promise.any(asked).catch(() => new Promise<never>(() => undefined));
  }

  /** Notes events that may have changed files. */
  private look(event: AgentEvent): void {
    const at = Date.parse(event.at);
    if (event.type === "began") this.begun.set(event.command, at);
    if (event.type !== "ended" || !("files" in event.outcome)) return;
    for (const { file } of event.outcome.files ?? []) this.changed.set(basename(normalizeSlashes(file)), at);
  }

  /** Changes that the steps of the run, and of agents that work for it, may have made. */
  private getChanges(): RunChanges {
    const ran = [...this.begun].filter(([name]) => this.mayRun(name)).map(([, at]) => at);
    const lastAt = Math.max(0, ...ran, ...this.changed.values());
    return { isOpen: ran.length > 0, names: new Set(this.changed.keys()), lastAt };
  }

  /** True for a command that may run programs, and for an unknown one: both may change any file. */
  private mayRun(name: string): boolean {
    const command = this.own.find((one) => one.name === name);
    return !command || command.effect === "run" || (command.effect === "network" && command.category === "git");
  }

  /** Passes a line to the plugins that report. Doesn't wait for them. */
  private report(text: string): void {
    const { calls } = this;
    if (text.trim() === "") return;
    for (const plugin of calls.listPluginsWithHook("report")) {
      const reporting = calls
        .recordCalls(calls.call(plugin, "report", { text }, this.ended.signal))
        .catch(() => undefined)
        .finally(() => this.reporting.delete(reporting));
      this.reporting.add(reporting);
    }
  }

  private async load(
    { task, profile: { name, role, goals }, window = 0 }: OpenedRun,
    { commands, own }: OpenedCommands,
  ): Promise<Offers> {
    const payload = { task, name, role, goals, commands: commands.specs.map((spec) => spec.name) };
    this.own = own;
    const stop = (why: Sentence): void => {
      this.notice(why);
      this.stopRun();
    };
    const notice = (text: Sentence): void => this.notice(text);
    const plugins = await this.parts.load({ notice, stop, getChanges: () => this.getChanges() });
    if (plugins.length === 0) return NO_OFFERS;
    this.calls = new HookCalls(plugins, this.port);
    const { signal } = this.ended;
    await Promise.allSettled(plugins.map(({ open }) => open && runWithinTime(OPEN_MS, signal, open)));
    const offers = createOffers(plugins, await this.calls.callAll("offer", payload, signal), notice);
    this.commands = offers.commands;
    const { offered, behind } = splitDeferredTools(offers.commands, window);
    this.deferred = behind;
    const hasMore = behind.length > 0 || plugins.some(({ listUnofferedCommands }) => listUnofferedCommands);
    commands.add([...offered, ...(hasMore ? [callTool()] : [])], () => this.listCallableTools());
    return offers;
  }

  private notice(text: Sentence): void {
    if (this.earlyNotices) this.earlyNotices.push(text);
    else this.parts.notice(text);
  }

  private get port(): HookedRun {
    return {
      getCurrentStep: () => (this.run ? getCurrentStep(this.run.state) : 1),
      notice: (text) => this.notice(text),
      record: (events) => {
        if (this.run) this.run.recordSoon(events);
        else this.early.push(...events);
      },
    };
  }
}

function isGoingOn({ hook, result }: HookedEvent): boolean {
  return hook === "ending" && result === "changed";
}

/** The place of a run for which plugins are called. */
interface HookedPlace {
  readonly runHome: string;
  readonly folder: string;
  listFolders(): readonly WorkspaceFolder[];
  readonly settings: Settings;
  /** Set if the run works for another run, whose plugins it shares. */
  readonly sub?: { readonly plugins: RunPlugins };
}

/** Creates the plugins of a run without loading any; an agent gets those of the run that it works for. */
export function createRunPlugins(
  host: Host,
  { runHome, folder, listFolders, settings, sub }: HookedPlace,
  { secrets, walls }: { readonly secrets: Secrets; readonly walls: RunPrograms["walls"] },
): RunPlugins {
  const keep = (step: number, text: string): Promise<void> =>
    writeFile(getOutputFile(runHome, step), secrets.redact(text), { flag: "wx", mode: 0o600 }).catch(() => undefined);
  if (sub) return sub.plugins.createForAgent(keep);
  const origin = host.isolated && listOriginFolders(host.isolated.copy)[0]?.path;
  const place = { folder: origin ?? folder, isTrusted: host.workspace.isTrusted(), settings };
  const id = basename(runHome);
  const about = { id, folder, origin, listFolders, home: runHome, settings, redact: secrets.redact, walls };
  return new RunPlugins({
    keep,
    load: async ({ getChanges, ...control }) =>
      (await host.plugins?.load(place, {
        ...about,
        // An isolated run changes its copy alone.
        ...(host.isolated ? { copies: host.storage.copies } : { getChanges }),
        ...control,
      })) ?? [],
    notice: (text) => host.log.notice(id, text, "warning"),
  });
}
