import { join } from "node:path";
import * as vscode from "vscode";
import type { ReachingOut } from "../away/away-parts.ts";
import type { AgentParts } from "../core/agent.ts";
import type { Command } from "../core/command.ts";
import { type Commands, commandSet } from "../core/commands.ts";
import type { Mode } from "../core/event.ts";
import { LiveRun } from "../core/live-run.ts";
import { localTime } from "../core/local-time.ts";
import type { Model, User } from "../core/ports.ts";
import type { Profile } from "../core/profile.ts";
import { Room } from "../core/room.ts";
import { Run } from "../core/run.ts";
import type { CountTokens } from "../core/tokens.ts";
import { withinBudget } from "../core/within-budget.ts";
import { RunMemory } from "../memory/run-memory.ts";
import { scanner } from "../node/scan.ts";
import type { ShellOfRun } from "../node/shell-of-run.ts";
import { type Branch, forkEvents, startFork } from "../runs/fork-events.ts";
import { preImages } from "../runs/pre-images.ts";
import { rewriteLog } from "../runs/rewrite-log.ts";
import { homeFolder, newRunId, runsFolder } from "../runs/run-folder.ts";
import { openRunLog } from "../runs/run-log.ts";
import { makeSecrets, type Secrets } from "../runs/secrets.ts";
import type { StoredRun } from "../runs/store.ts";
import type { RunSummary } from "../runs/summary.ts";
import { undoJournal } from "../runs/undo/journal.ts";
import type { Undo } from "../runs/undo/undo.ts";
import { withUndo } from "../runs/undo/with-undo.ts";
import { redactedLog, withSecrets } from "../runs/with-secrets.ts";
import type { Disk } from "../safety/disk.ts";
import { Grants } from "../safety/grants.ts";
import { Provenance } from "../safety/provenance.ts";
import type { ShellKnowledge } from "../safety/shell-facts.ts";
import type { TaughtRules } from "../safety/taught-rules.ts";
import { type PolicyState, withPolicy } from "../safety/with-policy.ts";
import { withProvenance } from "../safety/with-provenance.ts";
import { commandsAt } from "./editor-commands.ts";
import type { HostedRun, HostedRuns } from "./hosted-runs.ts";
import type { Memories } from "./memories.ts";
import { type ModelPair, modelNames } from "./model-desk.ts";
import { ModelOfRun } from "./model-of-run.ts";
import { policyOfRun } from "./policy-of-run.ts";
import { readOnlyRun } from "./read-only-run.ts";
import { readSettings, type Settings } from "./settings.ts";
import { startedBody } from "./started-body.ts";
import { editorUndo } from "./undo.ts";

/** What composing a run needs of the editor around it. */
export interface Composing {
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
  readonly away: Pick<ReachingOut, "worker" | "keyFor">;
  /** What reads documents. */
  readonly documentWorker: string;
  /** How command lines are read. */
  shell(): Promise<ShellKnowledge>;
  readonly disk: Disk;
  readonly taught: TaughtRules;
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
  readonly branch?: Branch & { readonly parent: string };
  /** The `.autogpt` folder to keep it in; absent: that of its folder. */
  readonly home?: string;
}

/** Puts the agent together from its parts: the one place where the editor's side of all ports meets. */
export class Composer {
  private readonly parts: Composing;

  constructor(parts: Composing) {
    this.parts = parts;
  }

  /** A new run, its first event written; `live.resume()` sets it going. */
  async begin(wanted: NewRun): Promise<HostedRun> {
    const { folder, settings, profile, branch } = wanted;
    const home = wanted.home ?? (await homeFolder(folder, this.parts.fallback));
    const id = newRunId(profile.name, new Date());
    const runHome = join(runsFolder(home), id);
    const wiring = await this.wire(runHome, folder, settings);
    const started = await startedBody(wanted, {
      id,
      home,
      machine: await this.parts.machine(),
      commands: wiring.commands,
    });
    const log = redactedLog(await openRunLog(runHome), wiring.secrets);
    const past = branch ? forkEvents(branch, started, new Date().toISOString()) : [];
    const run = branch ? await startFork(log, past) : await Run.start(log, started);
    for (const event of past) wiring.provenance.apply(event);
    if (wanted.mode === "continuous") wiring.grants.startContinuous(settings.run.continuousLimit);
    return this.host(run, wiring, runHome, folder, wanted.models);
  }

  /** A stored run, ready to be gone on with, or only to be read. Grants and continuous mode do not come back. */
  async open(stored: StoredRun): Promise<HostedRun> {
    const started = stored.events[0];
    if (started?.type !== "started") throw new Error(stored.readOnly ?? "The run cannot be read.");
    if (stored.readOnly !== undefined || !vscode.workspace.isTrusted) {
      return readOnlyRun(
        stored,
        started.folder,
        stored.readOnly ?? "This folder is in Restricted Mode: runs can be read, not gone on with.",
      );
    }
    const wiring = await this.wire(
      stored.folder,
      started.folder,
      readSettings(vscode.Uri.file(started.folder)),
    );
    if (stored.older) await rewriteLog(stored.folder, stored.events);
    const run = Run.from(redactedLog(await openRunLog(stored.folder), wiring.secrets), stored.events);
    for (const event of stored.events) wiring.provenance.apply(event);
    return this.host(run, wiring, stored.folder, started.folder, undefined);
  }

  private async wire(runHome: string, folder: string, settings: Settings): Promise<Wiring> {
    const wired: Wiring["wired"] = { user: undefined };
    const user: User = { ask: async (question, signal) => wired.user?.ask(question, signal) };
    const memory = new RunMemory({
      open: () => this.parts.memories.open(folder),
      settings: () => readSettings(vscode.Uri.file(folder)).memory,
      toldInBrief: () => wired.run?.history.summary?.through ?? 0,
      record: async (event) => wired.run?.record(event),
      notice: (text) => wired.run && this.parts.runs.notice(wired.run.state.id, text),
    });
    const secrets = makeSecrets(await this.parts.secretKeys());
    const { folders, all, shell } = await commandsAt({
      runHome,
      folder,
      settings,
      user,
      memory: settings.memory.enabled ? memory : undefined,
      redact: secrets.redact,
      documentWorker: this.parts.documentWorker,
      away: { ...this.parts.away, fast: async () => fastOf(wired) },
    });
    const commands = withSecrets(
      commandSet([...all, ...this.parts.extraCommands()], settings.disabledCommands),
      secrets,
    );
    const kept = preImages(runHome);
    const journal = undoJournal(runHome, kept);
    return {
      wired,
      memory,
      secrets,
      folders,
      shell,
      commands: withUndo(commands, journal, { look: scanner(folders), folder }),
      undo: editorUndo(journal, kept, folder, folders),
      grants: new Grants(),
      provenance: new Provenance(),
    };
  }

  private host(
    run: Run,
    wiring: Wiring,
    home: string,
    folder: string,
    models: ModelPair | undefined,
  ): HostedRun {
    const { commands, grants, provenance, undo, wired, memory } = wiring;
    const { id } = run.state;
    wired.run = run;
    run.onEvent((event, state) => {
      provenance.apply(event);
      memory.apply(event, state);
      if (event.type !== "over") return;
      grants.endAll();
      void wiring.shell.processes?.endAll("not kept");
    });
    const policy = policyOfRun(this.parts, wiring, folder);
    const settings = () => readSettings(vscode.Uri.file(folder));
    const model = new ModelOfRun(models, () => settings().model);
    const compose = async (live: LiveRun): Promise<Omit<AgentParts, "gate">> => {
      if (wiring.shell.problem !== undefined) this.parts.runs.notice(id, wiring.shell.problem);
      await model.ready(() => this.parts.models(settings()));
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
      policy,
      commands,
      ...(wiring.shell.processes ? { processes: wiring.shell.processes } : {}),
      undo,
      home,
      folder,
      useModels: async (pair) => {
        model.use(pair);
        await run.record({ type: "changed", model: modelNames(pair) });
      },
      dispose: async () => {
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
  ): Omit<AgentParts, "gate"> {
    const { runs } = this.parts;
    return {
      thinking: model.thinking({
        localTime,
        room: new Room({ fast: () => model.fast(), count: this.parts.countTokens }),
        recall: (state, signal) => wiring.memory.recall(state, signal),
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
      approver: withPolicy(live.approver, policy),
      patient: true,
      output: (step, chunk) => runs.output(live.id, step, chunk),
    };
  }
}

function fastOf({ model, run }: Wiring["wired"]): Model {
  if (!model) throw new Error("The run has no model yet.");
  return withinBudget(model.fast(), () => run?.state);
}

/** A run's parts that there are before its agent. */
export interface Wiring {
  /** The user's end and the run, once they are there. */
  readonly wired: { user: User | undefined; run?: Run; model?: ModelOfRun };
  readonly memory: RunMemory;
  readonly secrets: Secrets;
  readonly shell: ShellOfRun;
  /** Real paths of the folders it may work in. */
  folders(): readonly string[];
  readonly commands: Commands;
  readonly undo: Undo;
  readonly grants: Grants;
  readonly provenance: Provenance;
}
