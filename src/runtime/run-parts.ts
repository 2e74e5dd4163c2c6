import { basename } from "node:path";
import { omitUndefined } from "../core/base/objects.ts";
import type { Command } from "../core/commands/command.ts";
import type { CommandSet } from "../core/commands/command-set.ts";
import { createCommandSet } from "../core/commands/command-set.ts";
import type { ModelPair, StartedBody } from "../core/events/run.ts";
import { UserRequests } from "../core/loop/user-requests.ts";
import type { Model, ModelTraits } from "../core/ports/model.ts";
import { getStrategy } from "../core/strategies/strategies.ts";
import { RunMemory } from "../memory/recall/run-memory.ts";
import type { SandboxGuard } from "../node/sandbox/sandbox-guard.ts";
import { findEnvironmentSecrets } from "../runs/log/named-secrets.ts";
import { makeSecrets, type Secrets } from "../runs/log/secrets.ts";
import { readPicture } from "../runs/store/run-pictures.ts";
import { createUndoJournal, loadOwnFiles } from "../runs/undo/journal.ts";
import { createPreImages } from "../runs/undo/pre-images.ts";
import type { Undo } from "../runs/undo/undo.ts";
import { mayHoldSecrets } from "../safety/paths/sensitive.ts";
import { Grants } from "../safety/policy/grants.ts";
import type { OwnFiles } from "../safety/policy/verdict.ts";
import { Provenance } from "../safety/provenance/provenance.ts";
import type { Skill, WorkspaceFolder } from "../schema/run-values.ts";
import type { Settings } from "../schema/settings.ts";
import type { Host } from "./host.ts";
import type { RunPrograms } from "./inert-programs.ts";
import { createFileFinder, createRunReaders } from "./ingest/file-finder.ts";
import { createRunCommands, createRunPrograms, type RunCommands } from "./run-commands.ts";
import { createUndoFiles } from "./run-files.ts";
import { RunModel } from "./run-model.ts";
import { createRunPlugins, type RunPlugins } from "./run-plugins.ts";
import { createRunUndo } from "./run-undo.ts";
import { RunCosts } from "./services/run-costs.ts";
import { BudgetPool } from "./subagents/budget-pool.ts";
import { createDescribedAgents } from "./subagents/described-agents.ts";
import { type SpawnedAgent, type SpawnOptions, type SubRun, selectAgentCommands } from "./subagents/spawn.ts";
import { SubAgents } from "./subagents/sub-agents.ts";
import { wrapPart } from "./wrappers.ts";

/** A run's parts that exist before its first event. */
export interface RunParts extends Omit<RunCommands, "extra">, Pick<RunPrograms, "shell" | "git" | "walls" | "dispose"> {
  readonly memory: RunMemory;
  readonly secrets: Secrets;
  /** The folders that it may work in, with their names. */
  listOpenFolders(): readonly WorkspaceFolder[];
  readonly commands: CommandSet;
  readonly undo: Undo;
  readonly grants: Grants;
  readonly provenance: Provenance;
  readonly budget: BudgetPool;
  readonly costs: RunCosts;
  readonly model: RunModel;
  readonly requests: UserRequests;
  readonly plugins: RunPlugins;
  /** The agents that may work for the run; a sub-agent has none. */
  readonly agents?: SubAgents;
  /** Set where it works for another run. */
  readonly sub?: SubRun;
  /** Paths that the run has changed and created. */
  loadOwnFiles(): Promise<OwnFiles>;
}

/** Parts of a run that its agents share. */
export interface SpawningRun extends Pick<RunParts, "model" | "secrets" | "costs" | "plugins"> {
  readonly guard: SandboxGuard | undefined;
}

/** Where a run is to be. */
export interface RunPartsOptions {
  readonly runHome: string;
  readonly folder: string;
  /** All folders that the run works in now, its own first. */
  listFolders(): readonly WorkspaceFolder[];
  readonly settings: Settings;
  /** Absent for a stored run until it's resumed. */
  readonly models?: ModelPair;
  readonly strategy?: StartedBody["strategy"];
  /** Names or categories of the only commands that the profile allows; absent: all. */
  readonly only?: readonly string[] | undefined;
  readonly sub?: SubRun;
  /** The skills that its prompts list. */
  readonly skills?: readonly Skill[] | undefined;
  /** The agents that it may start by name. */
  readonly described?: readonly Skill[] | undefined;
  /** The form of edits to offer to the model of a new run; the log of a stored run contains its form. */
  readonly edits?: ModelTraits["edits"] | undefined;
  spawn(spawning: SpawnOptions, parent: SpawningRun): Promise<SpawnedAgent>;
}

/** Makes a run's parts, each from those before it: what knows the run's events follows them once there is a first one. */
export async function createRunParts(host: Host, options: RunPartsOptions): Promise<RunParts> {
  const { runHome, folder, settings, sub } = options;
  const secrets =
    sub?.secrets ?? makeSecrets([...(await host.secrets.listKeys()), ...findEnvironmentSecrets(process.env)]);
  const provenance = new Provenance();
  const grants = new Grants(() => provenance.sources.length);
  const budget = new BudgetPool(sub?.spawning.computeMissingBudget);
  const costs = sub?.costs ?? createRunCosts(host, options);
  const model = createRunModel(host, options, costs);
  const memory = createRunMemory(host, options, { model, provenance });
  const place = { ...options, redact: secrets.redact };
  const programs = await createRunPrograms(host, place, sub?.guard);
  const { shell, git, walls, dispose } = programs;
  const plugins = createRunPlugins(host, options, { secrets, walls });
  const agents = sub
    ? undefined
    : new SubAgents({
        grants,
        provenance,
        budget,
        described: createDescribedAgents(host, folder, options.described, settings.model),
        getMaxAgentCount: () => host.getSettings(folder).agents.max,
        getContinuousLimit: () => host.getSettings(folder).run.continuousLimit,
        spawn: (spawning) => options.spawn(spawning, { model, secrets, costs, guard: shell.guard, plugins }),
      });
  const requests = new UserRequests();
  const user = host.approver.isPresent
    ? (host.approver.findUser(requests) ?? { ask: async () => undefined })
    : undefined;
  const { extra, ...runCommands } = await createRunCommands(host, {
    ...place,
    programs,
    user: user && plugins.wrapUser(user),
    memory: settings.memory.enabled ? memory : undefined,
    agents: agents && plugins.wrapAgents(agents),
    offer: sub ? undefined : plugins,
    isUnattended: () => grants.left > 0 || grants.continuousLeft > 0,
    getFastModel: async () => getFastModel({ model, budget }),
  });
  const kept = createPreImages(runHome);
  const { seen, files } = createUndoFiles(host, folder);
  const journal = createUndoJournal(runHome, kept, seen);
  const { own, listFolders } = runCommands;
  const undoing = { journal, kept, seen, files, folder, listFolders };
  const offered = listOfferedCommands(own, extra, options);
  const commands = wrapPart("commands", offered, {
    host,
    secrets,
    journal,
    seen,
    provenance,
    folder,
    listFolders,
  });
  agents?.offer(commands);
  return {
    ...runCommands,
    memory,
    secrets,
    commands,
    grants,
    provenance,
    budget,
    costs,
    model,
    requests,
    plugins,
    shell,
    git,
    walls,
    ...omitUndefined({ dispose, agents, sub }),
    listOpenFolders: options.listFolders,
    undo: createRunUndo({ ...undoing, explainProblem: host.workspace.explainUndoProblem }),
    loadOwnFiles: () => loadOwnFiles(journal),
  };
}

/** The commands of a run: its own, and those of others, which can't take the name of one of ours. */
function listOfferedCommands(
  own: readonly Command[],
  extra: readonly Command[],
  { settings, only, sub }: Pick<RunPartsOptions, "settings" | "only" | "sub">,
): CommandSet {
  const ours = sub ? selectAgentCommands(sub.spawning.request, own) : own;
  const commands = createCommandSet(ours, settings.commands.disabled, only);
  const all = [...extra, ...(sub?.plugins.commands ?? [])];
  commands.add(sub ? all.filter(({ name }) => sub.spawning.request.commands.includes(name)) : all);
  return commands;
}

/** The run's model for small tasks, limited to the run's budget. */
export function getFastModel({ model, budget }: Pick<RunParts, "model" | "budget">): Model {
  return wrapPart("smallTasks", model.getModelPair().fast, { budget });
}

/** Creates the costs of a run, which its agents share. */
function createRunCosts(host: Host, { folder, runHome }: RunPartsOptions): RunCosts {
  return new RunCosts({
    ledger: host.storage.costs,
    folder,
    getSettings: () => host.getSettings(folder).run,
    warn: (text) => host.log.notice(basename(runHome), text, "warning"),
  });
}

/**
 * Creates the model of a run, which reads the run's pictures when they are sent. An agent has the models of its run, which are limited
 * already.
 */
function createRunModel(
  host: Host,
  { models, folder, runHome, strategy, sub }: RunPartsOptions,
  costs: RunCosts,
): RunModel {
  return new RunModel(
    models,
    () => host.getSettings(folder).model,
    ({ file }) => readPicture(runHome, file),
    getStrategy(strategy),
    sub ? undefined : (model) => wrapPart("models", model, { costs }),
  );
}

function createRunMemory(
  host: Host,
  options: RunPartsOptions,
  { model, provenance }: Pick<RunParts, "model" | "provenance">,
): RunMemory {
  const { folder, runHome } = options;
  return new RunMemory({
    open: () => host.storage.openMemory(folder),
    getSettings: () => host.getSettings(folder).memory,
    getFastModel: () => model.getModelPair().fast,
    listSources: () => provenance.sources,
    isProtected: mayHoldSecrets,
    findFile: createFileFinder(createRunReaders(host, options)),
    notice: (text) => host.log.notice(basename(runHome), text),
  });
}
