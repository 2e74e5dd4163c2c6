import { join } from "node:path";
import * as vscode from "vscode";
import { lateProblemsRemark } from "../../commands/code/language-services.ts";
import type { Command } from "../../core/commands/command.ts";
import { commandsForWindow } from "../../core/commands/offered-commands.ts";
import { ContextBudget } from "../../core/context/context-budget.ts";
import type { CountTokens } from "../../core/context/tokens.ts";
import { type ModelPair, modelNames, Run, recordModels } from "../../core/events/run.ts";
import type { AgentDependencies } from "../../core/loop/agent.ts";
import { LiveRun } from "../../core/loop/live-run.ts";
import type { ThinkDependencies } from "../../core/loop/think.ts";
import type { Disk } from "../../core/ports/disk.ts";
import { ModelError } from "../../core/ports/model.ts";
import type { Profile } from "../../core/prompt/profile.ts";
import { localTime } from "../../core/prompt/prompt.ts";
import { openRunLog, rewriteLog } from "../../runs/log/run-log.ts";
import { redactedLog } from "../../runs/log/secrets.ts";
import { type ForkPoint, forkEvents, startFork } from "../../runs/store/fork-events.ts";
import { homeFolder, newRunId, runsFolder } from "../../runs/store/run-folder.ts";
import type { StoredRun } from "../../runs/store/run-store.ts";
import type { RunSummary } from "../../runs/store/run-summary.ts";
import {
  namedApprover,
  type SpawnedAgent,
  type SpawnOptions,
  startedAgent,
} from "../../runtime/subagents/spawn.ts";
import type { PolicyState } from "../../safety/policy/policy-state.ts";
import type { SavedRules } from "../../safety/policy/saved-rules.ts";
import type { ShellLanguage } from "../../safety/policy/shell-facts.ts";
import { withPolicy } from "../../safety/policy/with-policy.ts";
import { withProvenance } from "../../safety/provenance/with-provenance.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { Mode } from "../../schema/run-values.ts";
import type { Settings } from "../../schema/settings.ts";
import type { ServicesOptions } from "../../services/services.ts";
import type { Memories } from "../models/memories.ts";
import { foldersNow } from "../workspace/folders.ts";
import type { HostedRun, HostedRuns } from "./hosted-runs.ts";
import { ModelOfRun } from "./model-of-run.ts";
import { retryingLog } from "./patient-log.ts";
import { policyOfRun } from "./policy-of-run.ts";
import { readOnlyRun } from "./read-only-run.ts";
import { readSettings } from "./settings.ts";
import { startedBody } from "./started-body.ts";
import { fastOf, modelOf, reservedBy, type SubRun, type Wiring, type WiringPlace, wire } from "./wiring.ts";

/** What composing a run needs of the editor around it. */
export interface RunDependencies {
  readonly runs: HostedRuns;
  /** Where runs go when the workspace folder cannot be written. */
  readonly fallback: string;
  machine(): Promise<string>;
  /** All runs within reach, in brief. */
  listed(): Promise<readonly RunSummary[]>;
  /** Commands of other extensions. */
  extraCommands(): readonly Command[];
  /** The user's keys, so that they can be kept out of logs and prompts. */
  secretKeys(): Promise<readonly string[]>;
  models(settings: Settings): Promise<ModelPair>;
  readonly memories: Memories;
  /** How a model's tokens are counted. */
  countTokens(model: string): CountTokens;
  readonly away: Pick<ServicesOptions, "worker" | "keyFor">;
  /** What reads documents. */
  readonly documentWorker: string;
  /** How command lines are read. */
  shell(): Promise<ShellLanguage>;
  readonly disk: Disk;
  readonly taught: SavedRules;
}

/** A run to begin. */
export interface NewRun {
  readonly task: string;
  readonly profile: Profile;
  readonly folder: string;
  readonly settings: Settings;
  readonly models: ModelPair;
  readonly mode: Mode;
  /** The past that it takes over from another run. */
  readonly branch?: ForkPoint & { readonly parent: string };
  /** The `.autogpt` folder to keep it in; absent: that of its folder. */
  readonly home?: string;
  /** Set where it works for another run. */
  readonly sub?: SubRun;
}

/** A run that can go on. */
type LiveHosted = HostedRun & Required<Pick<HostedRun, "live" | "grants" | "provenance">>;

/** What an agent's run takes from the one that it works for. */
interface Spawner {
  readonly wiring: Pick<Wiring, "wired" | "secrets">;
  readonly folder: string;
  readonly settings: Settings;
  readonly home: string;
}

/** Puts the agent together from its parts: the one place where the editor's side of all ports meets. */
export class RunComposer {
  private readonly parts: RunDependencies;

  constructor(parts: RunDependencies) {
    this.parts = parts;
  }

  /** A new run, its first event written; `live.resume()` sets it going. */
  async begin(wanted: NewRun): Promise<LiveHosted> {
    const { folder, settings, profile, branch, sub } = wanted;
    const home = wanted.home ?? (await homeFolder(folder, this.parts.fallback));
    const id = newRunId(sub?.spawning.request.name ?? profile.name, new Date());
    const runHome = join(runsFolder(home), id);
    const folders = foldersNow(folder, sub?.spawning.parent.head.folders);
    const wiring = await this.wire(runHome, { folder, folders, settings, ...(sub ? { sub } : {}) });
    const machine = await this.parts.machine();
    const { commands } = wiring;
    const started = sub
      ? startedAgent(sub.spawning, { id, machine, commands, model: modelNames(wanted.models) })
      : await startedBody(wanted, { id, machine, commands, folders });
    const log = retryingLog(redactedLog(await openRunLog(runHome), wiring.secrets), this.parts.runs, id);
    const past = branch ? forkEvents(branch, started, new Date().toISOString()) : [];
    const run = branch ? await startFork(log, past) : await Run.start(log, started);
    for (const event of past) learn(wiring, event);
    wiring.agents?.follow(run, past);
    if (wanted.mode === "continuous") wiring.grants.startContinuous(settings.run.continuousLimit);
    return this.host(run, wiring, runHome, folder, wanted.models);
  }

  /** A stored run, ready to be gone on with, or only to be read. Grants and continuous mode do not come back. */
  async open(stored: StoredRun): Promise<HostedRun> {
    const started = stored.events[0];
    if (started?.type !== "started") throw new Error(stored.readOnly ?? "The run can't be read.");
    if (stored.readOnly !== undefined || !vscode.workspace.isTrusted) {
      return readOnlyRun(
        stored,
        started.folder,
        stored.readOnly ?? "This folder is in Restricted Mode: runs are read-only here.",
      );
    }
    const { folder } = started;
    const wiring = await this.wire(stored.folder, {
      folder,
      folders: foldersNow(folder, started.folders),
      settings: readSettings(vscode.Uri.file(folder)),
    });
    if (stored.older) await rewriteLog(stored.folder, stored.events);
    const log = redactedLog(await openRunLog(stored.folder), wiring.secrets);
    const run = Run.from(retryingLog(log, this.parts.runs, stored.id), stored.events);
    for (const event of stored.events) learn(wiring, event);
    wiring.agents?.follow(run, stored.events);
    return this.host(run, wiring, stored.folder, started.folder, undefined);
  }

  /** A run with its wiring; where it is no agent's, those that may work for it. */
  private wire(runHome: string, place: Omit<WiringPlace, "runHome" | "spawn">): Promise<Wiring> {
    const { folder, settings } = place;
    return wire(this.parts, {
      ...place,
      runHome,
      spawn: (spawning, wiring) =>
        this.spawn(spawning, { ...{ wiring, folder, settings }, home: join(runHome, "../..") }),
    });
  }

  /** An agent that works for a run, as a run of its own. */
  private async spawn(
    spawning: SpawnOptions,
    { wiring, folder, settings, home }: Spawner,
  ): Promise<SpawnedAgent> {
    const { runs } = this.parts;
    const { smart, fast } = modelOf(wiring.wired).pair();
    const thinks = spawning.request.model === "smart" ? smart : fast;
    const hosted = await this.begin({
      ...{ task: spawning.request.task, profile: spawning.parent.state.profile, folder, settings, home },
      models: { smart: thinks, fast },
      mode: "ask",
      sub: { spawning, secrets: wiring.secrets },
    });
    runs.add(hosted);
    const { id, live, grants, provenance } = hosted;
    return {
      ...{ live, grants, provenance },
      close: async () => (runs.shown?.id === id ? undefined : runs.remove(id)),
    };
  }

  private host(
    run: Run,
    wiring: Wiring,
    home: string,
    folder: string,
    models: ModelPair | undefined,
  ): LiveHosted {
    const { commands, grants, provenance, beside, undo, wired, memory, agents, sub } = wiring;
    const { id } = run.state;
    wired.run = run;
    provenance.apply(run.head);
    run.onEvent((event, state) => {
      learn(wiring, event);
      if (!sub) memory.apply(event, state);
      if (event.type !== "over") return;
      grants.endAll();
      void wiring.shell.processes?.endAll("not kept");
    });
    const policy = policyOfRun(this.parts, wiring, folder);
    const settings = () => readSettings(vscode.Uri.file(folder));
    const model = new ModelOfRun(models, () => settings().model);
    const compose = async (live: LiveRun): Promise<Omit<AgentDependencies, "gate">> => {
      if (wiring.shell.problem !== undefined) this.parts.runs.notice(id, wiring.shell.problem);
      await model.ready(() => this.parts.models(settings()));
      const idle = sub?.spawning.idleReason();
      if (idle !== undefined) throw new ModelError("setup", `${idle} Continue that run, or fork this one.`);
      await recordModels(run, model.pair());
      agents?.open();
      return this.agentParts(live, wiring, model, policy);
    };
    const live = new LiveRun(run, compose);
    wired.user = live.user;
    wired.model = model;
    return {
      id,
      run,
      live,
      grants,
      provenance,
      sideEvents: beside,
      policy,
      get commands() {
        return commandsForWindow(commands, run.history.contextWindow);
      },
      ...(wiring.shell.processes ? { processes: wiring.shell.processes } : {}),
      undo,
      home,
      folder,
      fast: () => fastOf(wired, wiring),
      useModels: async (pair) => {
        model.use(pair);
        await recordModels(run, pair);
      },
      dispose: async () => {
        await agents?.close().catch(() => undefined);
        await wiring.shell.processes?.endAll("all");
        await memory.settled();
        await run.close();
      },
    };
  }

  private agentParts(
    live: LiveRun,
    wiring: Wiring,
    model: ModelOfRun,
    policy: PolicyState,
  ): Omit<AgentDependencies, "gate"> {
    const { runs } = this.parts;
    const { sub, agents } = wiring;
    const asks = sub ? namedApprover(live.approver, sub.spawning.request.name) : live.approver;
    return {
      thinking: model.thinking({
        localTime,
        news: () => lateNews(wiring),
        contextBudget: new ContextBudget({
          fast: () => model.pair().fast,
          count: this.parts.countTokens,
          reserved: () => reservedBy(wiring),
          ...(agents ? { freed: (signal) => agents.freed(signal) } : {}),
        }),
        ...(sub ? {} : { recall: wiring.memory.recall.bind(wiring.memory) }),
        delta: (step, delta) => runs.delta(live.id, step, delta),
        restarted: (step) => runs.restarted(live.id, step),
        notice: (text) => runs.notice(live.id, text),
      }),
      commands: withProvenance(wiring.commands, {
        provenance: wiring.provenance,
        disk: this.parts.disk,
        folders: wiring.folders,
        shell: this.parts.shell,
      }),
      approver: withPolicy(asks, policy),
      pausesOnTrouble: sub === undefined,
      ...(agents ? { agents } : {}),
      output: (step, chunk) => runs.output(live.id, step, chunk),
    };
  }
}

/** Problems that the editor found after the outcome of their change, for the next prompt, redacted as in the log. */
function lateNews({ problems, secrets }: Wiring): ReturnType<NonNullable<ThinkDependencies["news"]>> {
  const late = problems.late();
  const remark = lateProblemsRemark(late);
  return { remarks: remark === undefined ? [] : [secrets.redact(remark)], read: late.markRead };
}

/** Takes in an event of the run, a past one or a new one. */
function learn({ provenance, beside }: Wiring, event: AgentEvent): void {
  provenance.apply(event);
  beside.add(event);
}
