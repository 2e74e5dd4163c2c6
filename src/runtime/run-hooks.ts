import { writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { callTool } from "../commands/agent/call-tool.ts";
import { cutText } from "../core/base/text.ts";
import type { Command } from "../core/commands/command.ts";
import type { CommandSet } from "../core/commands/command-set.ts";
import { splitDeferredTools } from "../core/commands/offered-commands.ts";
import { getOutcomeText, type Outcome, setOutcomeText } from "../core/commands/outcome.ts";
import type { Run, StartedBody } from "../core/events/run.ts";
import { getCurrentStep } from "../core/events/run-state.ts";
import type { User } from "../core/ports/approver.ts";
import type { CallOpinion, CheckedCall, StepHooks } from "../core/ports/step-hooks.ts";
import type { Agents } from "../core/ports/sub-agents.ts";
import type { Call, Proposal } from "../core/reply/reply.ts";
import { normalizeSlashes } from "../node/files/real-path.ts";
import { getOutputFile } from "../node/processes/outputs.ts";
import type { ProgramWalls } from "../node/processes/programs.ts";
import type { LoadedPlugin, PluginRun } from "../plugins/plugin.ts";
import { NO_OFFERS, type Offers, RunPlugins } from "../plugins/run-plugins.ts";
import type { RunChanges } from "../plugins/started/started-files.ts";
import type { Secrets } from "../runs/log/secrets.ts";
import type { AgentEvent, AgentEventBody } from "../schema/events.ts";
import type { HookPayloads } from "../schema/plugin-values.ts";
import type { WorkspaceFolder } from "../schema/run-values.ts";
import type { Settings } from "../schema/settings.ts";
import type { Sentence } from "../texts/display-text.ts";
import type { Host } from "./host.ts";
import { listOriginFolders } from "./isolated/isolated-host.ts";

/** The run that plugins are called for, as far as it exists already. */
export interface HookedRun {
  readonly late: { readonly run?: Run };
  /** Loads the plugins that may be used; none of them has run. */
  load(control: Required<Pick<PluginRun, "notice" | "stop">>): Promise<readonly LoadedPlugin[]>;
  /** Shows the user a notice. */
  notice(text: Sentence): void;
  /** Keeps the whole outcome of a step that a plugin rewrote. */
  keep(step: number, text: string): Promise<void>;
  /** Whether a command of this name may run programs. */
  mayRun(name: string): boolean;
}

/** A run whose plugins are opened. */
interface OpenedRun extends Pick<StartedBody, "task" | "profile"> {
  /** Tokens of its model's window; 0 if unknown. */
  readonly window?: number | undefined;
}

/** Limit on the characters of the last outcome that a note is asked for with. */
const OUTCOME_HEAD = 2_000;

/** The plugins of a run at the stages of its steps. */
export class RunHooks implements StepHooks {
  private readonly run: HookedRun;
  private readonly waiting: Extract<AgentEventBody, { type: "hooked" }>[] = [];
  private readonly ended = new AbortController();
  private plugins: RunPlugins;
  private opened: Promise<Offers> | undefined;
  private hasAskedToGoOn = false;
  private untold: Sentence[] | undefined = [];
  private deferred: readonly Command[] = [];
  private stopRun: () => void = () => undefined;
  /** Names of the commands that began and when they last did, those of the agents that work for the run included. */
  private begun = new Map<string, number>();
  /** Names of the files that they changed, and when. */
  private changed = new Map<string, number>();
  /** Commands of the plugins, for the agents that work for the run. */
  commands: readonly Command[] = [];

  constructor(run: HookedRun, plugins?: RunPlugins) {
    this.run = run;
    this.plugins = plugins ?? new RunPlugins([], this.port);
  }

  /** The same plugins for an agent that works for the run. */
  createForAgent(run: Pick<HookedRun, "late" | "keep" | "mayRun">): RunHooks {
    const hooks = new RunHooks({ ...this.run, ...run });
    hooks.begun = this.begun;
    hooks.changed = this.changed;
    hooks.plugins = this.plugins.createForAgent(hooks.port);
    hooks.opened = Promise.resolve(NO_OFFERS);
    return hooks;
  }

  /** Loads the plugins, once, and adds to the commands what they offer for the run. */
  open({ task, profile, window = 0 }: OpenedRun, commands: CommandSet): Promise<Offers> {
    const { name, role, goals } = profile;
    const names = commands.specs.map((spec) => spec.name);
    this.opened ??= this.load({ task, name, role, goals, commands: names }, commands, window);
    return this.opened;
  }

  /** Changes that the steps of the run, and of agents that work for it, may have made. */
  get changes(): RunChanges {
    const ran = [...this.begun].filter(([name]) => this.run.mayRun(name)).map(([, at]) => at);
    const lastAt = Math.max(0, ...ran, ...this.changed.values());
    return { isOpen: ran.length > 0, names: new Set(this.changed.keys()), lastAt };
  }

  /** Serves a run with this past: writes what happened before its log existed, and reports its lines. */
  async follow(run: Run, past: readonly AgentEvent[]): Promise<void> {
    this.hasAskedToGoOn = past.some((event) => event.type === "hooked" && isGoingOn(event));
    for (const event of past) this.look(event);
    run.onEvent((event) => {
      this.look(event);
      if (event.type === "replied" && event.reply.kind === "proposal")
        this.report(event.reply.thoughts.speak);
      if (event.type === "over") {
        if (event.end.reason === "finished") this.report(event.end.summary);
        void this.close();
      }
    });
    const first = this.waiting.splice(0);
    if (first.length > 0) await run.recordAll(first);
  }

  /** Serves a run that is live: its user hears what there is to tell, and a plugin may stop it. */
  async start({ task, profile, model }: StartedBody, commands: CommandSet, stop: () => void): Promise<void> {
    this.stopRun = stop;
    await this.open({ task, profile, window: model.contextWindow }, commands);
    const { untold = [] } = this;
    this.untold = undefined;
    for (const text of untold) this.run.notice(text);
  }

  /** Ends the plugins' processes. A later call starts them again. */
  async close(): Promise<void> {
    await this.plugins.close();
  }

  async collectNotes(signal: AbortSignal): Promise<readonly string[]> {
    const { run } = this.run.late;
    if (!run || !this.plugins.speaksUp) return [];
    const { state } = run;
    const last = state.recent.at(-1)?.outcome;
    const { input, output, discounted } = state.totals;
    const { tokens } = state.limits;
    return this.plugins.collectNotes(
      {
        step: getCurrentStep(state),
        goals: state.profile.goals,
        plan: state.plan.map(({ text, status }) => `[${status}] ${text}`),
        outcome: last ? cutText(getOutcomeText(last), OUTCOME_HEAD) : "",
        ...(tokens > 0 ? { tokensLeft: Math.max(0, tokens - input - output + discounted) } : {}),
      },
      signal,
    );
  }

  async reviewProposal(step: number, proposal: Proposal, signal: AbortSignal): Promise<Proposal> {
    if (!this.plugins.has("afterReply")) return proposal;
    const { thoughts, call } = proposal;
    const payload = { step, thoughts, command: call.name, args: call.args };
    const { command, args, by } = await this.plugins.reviewCall(payload, signal);
    return by.length === 0 ? proposal : { ...proposal, call: { name: command, args }, changedBy: [...by] };
  }

  async check({ step, call, prepared, hash }: CheckedCall, signal: AbortSignal): Promise<CallOpinion> {
    if (!this.plugins.has("beforeCommand")) return { add: [] };
    const { effect, touches, hosts = [], shell } = prepared;
    return this.plugins.check(
      {
        step,
        command: call.name,
        args: call.args,
        effect,
        touches: touches.map(({ path, how }) => ({ path, how })),
        hosts,
        ...(shell === undefined ? {} : { shell }),
        hash,
      },
      signal,
    );
  }

  async reviewOutcome(step: number, call: Call, outcome: Outcome, signal: AbortSignal): Promise<Outcome> {
    if (!this.plugins.has("afterCommand")) return outcome;
    if (outcome.status !== "done" && outcome.status !== "failed") return outcome;
    const files = "files" in outcome ? (outcome.files ?? []).map(({ file }) => file) : [];
    const about = { step, command: call.name, args: call.args, status: outcome.status, files };
    const first = getOutcomeText(outcome);
    const { text, by } = await this.plugins.reviewText(
      "afterCommand",
      (now) => ({ ...about, outcome: now }),
      first,
      signal,
    );
    if (by.length === 0) return outcome;
    if (!text.startsWith(first)) await this.run.keep(step, first);
    return setOutcomeText(outcome, text);
  }

  async goOn(summary: string, signal: AbortSignal): Promise<string | undefined> {
    if (!this.plugins.has("ending")) return undefined;
    const isAgain = this.hasAskedToGoOn;
    const why = await this.plugins.goOn({ summary, stopHookActive: isAgain }, signal);
    this.hasAskedToGoOn ||= why !== undefined;
    return isAgain ? undefined : why;
  }

  async collectKeptTexts(through: number): Promise<readonly string[]> {
    return this.plugins.has("beforeCompaction")
      ? this.plugins.collectKeptTexts({ through }, this.ended.signal)
      : [];
  }

  /** The person, or a plugin that may answer in their place, whoever is first. */
  wrapUser(user: User): User {
    return {
      ask: async (question, signal) => {
        if (!this.plugins.has("answer")) return user.ask(question, signal);
        const settled = new AbortController();
        const either = AbortSignal.any([signal, settled.signal]);
        const person = user.ask(question, either);
        const plugin = this.plugins.answer(question, either);
        try {
          return await Promise.race([person, plugin]);
        } finally {
          settled.abort(new Error("The question was answered."));
          await Promise.allSettled([person]);
        }
      },
    };
  }

  /** Agents whose tasks and answers the plugins see. */
  wrapAgents(agents: Agents): Agents {
    return {
      getMaxCount: () => agents.getMaxCount(),
      list: () => agents.list(),
      resolveAllowedCommands: (names) => agents.resolveAllowedCommands(names),
      delete: (id) => agents.delete(id),
      send: (id, message) => agents.send(id, message),
      start: async (request) => {
        const { name } = request;
        const createTaskInput = (task: string) => ({ name, task });
        const { text } = await this.plugins.reviewText(
          "beforeDelegate",
          createTaskInput,
          request.task,
          this.ended.signal,
        );
        return agents.start({ ...request, task: text });
      },
      answer: async (id, signal) => {
        const answer = await agents.answer(id, signal);
        if (typeof answer === "string" || answer.end.reason !== "finished") return answer;
        const { name } = answer.agent;
        const createAnswerInput = (text: string) => ({ name, answer: text });
        const { text } = await this.plugins.reviewText(
          "afterDelegate",
          createAnswerInput,
          answer.end.summary,
          signal,
        );
        return { ...answer, end: { ...answer.end, summary: text } };
      },
    };
  }

  /** Notes what may have changed files. */
  private look(event: AgentEvent): void {
    const at = Date.parse(event.at);
    if (event.type === "began") this.begun.set(event.command, at);
    if (event.type !== "ended" || !("files" in event.outcome)) return;
    for (const { file } of event.outcome.files ?? []) this.changed.set(basename(normalizeSlashes(file)), at);
  }

  private report(text: string): void {
    if (text.trim() !== "") this.plugins.report(text, this.ended.signal);
  }

  /** Commands that no prompt offers. */
  listUnofferedCommands(): readonly Command[] {
    return [...this.deferred, ...this.plugins.listUnofferedCommands()];
  }

  private async load(payload: HookPayloads["offer"], commands: CommandSet, window: number): Promise<Offers> {
    const stop = (why: Sentence): void => {
      this.notice(why);
      this.stopRun();
    };
    const loaded = await this.run.load({ notice: (text) => this.notice(text), stop });
    if (loaded.length === 0) return NO_OFFERS;
    this.plugins = new RunPlugins(loaded, this.port);
    const offers = await this.plugins.offer(payload, this.ended.signal);
    this.commands = offers.commands;
    const { offered, behind } = splitDeferredTools(offers.commands, window);
    this.deferred = behind;
    const hasMore = behind.length > 0 || this.plugins.addsLater;
    commands.add([...offered, ...(hasMore ? [callTool()] : [])], () => this.listUnofferedCommands());
    return offers;
  }

  private notice(text: Sentence): void {
    if (this.untold) this.untold.push(text);
    else this.run.notice(text);
  }

  private get port(): ConstructorParameters<typeof RunPlugins>[1] {
    return {
      getCurrentStep: () => (this.run.late.run ? getCurrentStep(this.run.late.run.state) : 1),
      notice: (text) => this.notice(text),
      record: (events) => {
        const { run } = this.run.late;
        if (run) run.recordSoon(events);
        else this.waiting.push(...events);
      },
    };
  }
}

function isGoingOn({ hook, result }: Extract<AgentEvent, { type: "hooked" }>): boolean {
  return hook === "ending" && result === "changed";
}

/** Where a run is that plugins are called for. */
interface HookedPlace {
  readonly runHome: string;
  readonly folder: string;
  listFolders(): readonly WorkspaceFolder[];
  readonly settings: Settings;
  /** Set where it works for another run, whose plugins it shares. */
  readonly sub?: { readonly hooks: RunHooks | undefined };
}

/** Parts of a run that exist before its plugins are loaded, but not before they are found. */
export interface MadeLater {
  /** The run's own commands. */
  own?: readonly Command[];
  walls?: ProgramWalls | undefined;
}

interface HookedParts {
  readonly late: HookedRun["late"];
  readonly made: MadeLater;
  readonly secrets: Secrets;
}

/** The plugins of a run, none of which is loaded yet; for an agent those of the run that it works for. */
export function createRunHooks(
  host: Host,
  { runHome, folder, listFolders, settings, sub }: HookedPlace,
  parts: HookedParts,
): RunHooks | undefined {
  const { plugins } = host;
  if (sub) return sub.hooks?.createForAgent(createHookedRun(runHome, parts));
  if (!plugins) return undefined;
  const { made, secrets } = parts;
  const origin = host.isolated && listOriginFolders(host.isolated.copy)[0]?.path;
  const place = { folder: origin ?? folder, isTrusted: host.workspace.isTrusted(), settings };
  const id = basename(runHome);
  const about = {
    id,
    folder,
    origin,
    listFolders: listFolders,
    home: runHome,
    settings,
    redact: secrets.redact,
  };
  const hooks: RunHooks = new RunHooks({
    ...createHookedRun(runHome, parts),
    load: (control) =>
      plugins.load(place, {
        ...about,
        walls: made.walls,
        ...(host.isolated ? { copies: host.storage.copies } : {}),
        // An isolated run changes its copy alone.
        ...(host.isolated ? {} : { getChanges: () => hooks.changes }),
        ...control,
      }),
    notice: (text) => host.log.notice(id, text, "warning"),
  });
  return hooks;
}

/** True for a command that may run programs, and for one that isn't known: these may change any file. */
function mayRun({ own = [] }: MadeLater, name: string): boolean {
  const command = own.find((one) => one.name === name);
  return !command || command.effect === "run" || (command.effect === "network" && command.category === "git");
}

function createHookedRun(
  runHome: string,
  { late, made, secrets }: HookedParts,
): Pick<HookedRun, "late" | "keep" | "mayRun"> {
  return {
    late,
    mayRun: (name) => mayRun(made, name),
    keep: (step, text) =>
      writeFile(getOutputFile(runHome, step), secrets.redact(text), { flag: "wx", mode: 0o600 }).catch(
        () => undefined,
      ),
  };
}
