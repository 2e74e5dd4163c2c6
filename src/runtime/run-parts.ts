import type { HiddenCommands } from "../commands/agent/find-tools.ts";
import type { Command } from "../core/commands/command.ts";
import { type CommandSet, createCommandSet } from "../core/commands/command-set.ts";
import type { User } from "../core/ports/approver.ts";
import type { Model, ModelTraits } from "../core/ports/model.ts";
import { listHiddenCommands } from "../core/prompt/prompt.ts";
import { RunMemory } from "../memory/recall/run-memory.ts";
import type { SandboxGuard } from "../node/sandbox/sandbox-guard.ts";
import { findEnvironmentSecrets } from "../runs/log/named-secrets.ts";
import { makeSecrets, type Secrets } from "../runs/log/secrets.ts";
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
import { createFileFinder, createRunReaders } from "./ingest/file-finder.ts";
import { createFittingInstructions } from "./instructions/run-instructions.ts";
import { getRunModel, type LateParts, type SubRun } from "./late-parts.ts";
import { createRunCommands, type RunCommands } from "./run-commands.ts";
import { createUndoFiles } from "./run-files.ts";
import { createRunHooks, type MadeLater, type RunHooks } from "./run-hooks.ts";
import { createRunUndo } from "./run-undo.ts";
import { type SpawnedAgent, type SpawnOptions, selectAgentCommands } from "./subagents/spawn.ts";
import { SubAgents } from "./subagents/sub-agents.ts";
import { wrapPart } from "./wrappers.ts";

/** A run's parts that exist before its agent. */
export interface RunParts extends LateParts, Omit<RunCommands, "all" | "extra"> {
  readonly memory: RunMemory;
  readonly secrets: Secrets;
  /** The folders that it may work in, with their names. */
  openFolders(): readonly WorkspaceFolder[];
  readonly commands: CommandSet;
  readonly undo: Undo;
  readonly grants: Grants;
  readonly provenance: Provenance;
  /** Absent where there can be no plugins. */
  readonly hooks?: RunHooks;
  /** Paths that the run has changed and created. */
  loadOwnFiles(): Promise<OwnFiles>;
}

/** Parts of a run that its agents share. */
export interface SpawningRun extends Pick<RunParts, "late" | "secrets"> {
  readonly guard: SandboxGuard | undefined;
  readonly hooks: RunHooks | undefined;
}

/** Where a run is to be. */
export interface RunPartsOptions {
  readonly runHome: string;
  readonly folder: string;
  /** All that it works in now, its own first. */
  listFolders(): readonly WorkspaceFolder[];
  readonly settings: Settings;
  /** Names or categories of the only commands that the profile allows; absent: all. */
  readonly only?: readonly string[] | undefined;
  readonly sub?: SubRun;
  /** The skills that its prompts list. */
  readonly skills?: readonly Skill[] | undefined;
  /** The form of edits to offer to the model of a new run; a stored run has its offer in its log. */
  readonly edits?: ModelTraits["edits"] | undefined;
  spawn(spawning: SpawnOptions, parent: SpawningRun): Promise<SpawnedAgent>;
}

/** Makes a run's parts. */
export async function createRunParts(host: Host, options: RunPartsOptions): Promise<RunParts> {
  const { runHome, folder, settings, sub } = options;
  const late: RunParts["late"] = {};
  const secrets =
    sub?.secrets ?? makeSecrets([...(await host.secrets.listKeys()), ...findEnvironmentSecrets(process.env)]);
  const provenance = new Provenance();
  const grants = new Grants(() => provenance.sources.length);
  const memory = createRunMemory(host, options, { late, provenance });
  const made: MadeLater & { commands?: CommandSet; guard?: SandboxGuard | undefined } = {};
  const hooks = createRunHooks(host, options, { late, made, secrets });
  const agents = sub
    ? undefined
    : new SubAgents({
        ...{ grants, provenance, run: () => late.run },
        getCommands: () => made.commands ?? createCommandSet([]),
        getMaxAgentCount: () => host.getSettings(folder).agents.max,
        getContinuousLimit: () => host.getSettings(folder).run.continuousLimit,
        spawn: (spawning) => options.spawn(spawning, { late, secrets, guard: made.guard, hooks }),
      });
  const lateParts: LateParts = { late, ...(agents ? { agents } : {}), ...(sub ? { sub } : {}) };
  const { all, extra, ...ofCommands } = await createRunCommands(host, {
    ...options,
    user: host.approver.isPresent ? createLateUser(late, hooks) : undefined,
    memory: settings.memory.enabled ? memory : undefined,
    agents: agents && hooks ? hooks.wrapAgents(agents) : agents,
    offer: sub ? undefined : createHiddenCommands(late, hooks),
    isUnattended: () => grants.left > 0 || grants.continuousLeft > 0,
    redact: secrets.redact,
    guard: sub?.guard,
    getFastModel: async () => getFastModel(lateParts),
  });
  const kept = createPreImages(runHome);
  const { seen, files } = createUndoFiles(host, folder);
  const journal = createUndoJournal(runHome, kept, seen);
  const { listFolders } = ofCommands;
  const fitting = createFittingInstructions(host, { listFolders: options.listFolders, late });
  const undoing = { journal, kept, seen, files, folder, listFolders };
  const wrapping = { host, secrets, journal, seen, provenance, folder, listFolders, fitting };
  const offered = listOfferedCommands(all, extra, options);
  const commands = wrapPart("commands", offered, wrapping);
  Object.assign(made, { commands, own: all, guard: ofCommands.shell.guard, walls: ofCommands.walls });
  return {
    ...lateParts,
    memory,
    secrets,
    ...ofCommands,
    openFolders: options.listFolders,
    commands,
    undo: createRunUndo({ ...undoing, explainProblem: host.workspace.explainUndoProblem }),
    grants,
    provenance,
    ...(hooks ? { hooks } : {}),
    loadOwnFiles: () => loadOwnFiles(journal),
  };
}

/** The commands of a run: its own, and those of others, which get no name that one of ours has. */
function listOfferedCommands(
  own: readonly Command[],
  extra: readonly Command[],
  { settings, only, sub }: Pick<RunPartsOptions, "settings" | "only" | "sub">,
): CommandSet {
  const ours = sub ? selectAgentCommands(sub.spawning.request, own) : own;
  const commands = createCommandSet(ours, settings.commands.disabled, only);
  const all = [...extra, ...(sub?.hooks?.commands ?? [])];
  commands.add(sub ? all.filter(({ name }) => sub.spawning.request.commands.includes(name)) : all);
  return commands;
}

/** The commands that the run's prompts don't offer. */
function createHiddenCommands(late: RunParts["late"], hooks: RunHooks | undefined): HiddenCommands {
  return {
    listHidden: () => (late.run ? listHiddenCommands(late.run.head, late.run.history) : []),
    ...(hooks ? { listCallableTools: () => hooks.listUnofferedCommands() } : {}),
  };
}

/** The user, as soon as the run is live, or a plugin that answers for them. */
function createLateUser(late: RunParts["late"], hooks: RunHooks | undefined): User {
  const user: User = { ask: async (question, signal) => late.user?.ask(question, signal) };
  return hooks?.wrapUser(user) ?? user;
}

/** The run's model for small tasks, which keeps to what the run may spend. */
export function getFastModel(parts: LateParts): Model {
  return wrapPart("smallTasks", getRunModel(parts.late).getModelPair().fast, parts);
}

function createRunMemory(
  host: Host,
  options: RunPartsOptions,
  { late, provenance }: Pick<RunParts, "late" | "provenance">,
): RunMemory {
  const { folder } = options;
  return new RunMemory({
    open: () => host.storage.openMemory(folder),
    getSettings: () => host.getSettings(folder).memory,
    getSummarizedUpTo: () => late.run?.history.summary?.through ?? 0,
    getFastModel: () => late.model?.getModelPair().fast,
    listSources: () => provenance.sources,
    isProtected: mayHoldSecrets,
    findFile: createFileFinder(createRunReaders(host, options)),
    record: async (event) => late.run?.record(event),
    notice: (text) => late.run && host.log.notice(late.run.state.id, text),
  });
}
