import type { HiddenCommands } from "../commands/agent/find-tools.ts";
import type { Command } from "../core/commands/command.ts";
import { type CommandSet, commandSet } from "../core/commands/command-set.ts";
import type { User } from "../core/ports/approver.ts";
import type { Model, ModelTraits } from "../core/ports/model.ts";
import { hiddenCommands } from "../core/prompt/prompt.ts";
import { RunMemory } from "../memory/recall/run-memory.ts";
import type { SandboxGuard } from "../node/sandbox/sandbox-guard.ts";
import { secretsIn } from "../runs/log/named-secrets.ts";
import { makeSecrets, type Secrets } from "../runs/log/secrets.ts";
import { ownFiles, undoJournal } from "../runs/undo/journal.ts";
import { preImages } from "../runs/undo/pre-images.ts";
import type { Undo } from "../runs/undo/undo.ts";
import { mayHoldSecrets } from "../safety/paths/sensitive.ts";
import { Grants } from "../safety/policy/grants.ts";
import type { OwnFiles } from "../safety/policy/verdict.ts";
import { Provenance } from "../safety/provenance/provenance.ts";
import type { Skill, WorkspaceFolder } from "../schema/run-values.ts";
import type { Settings } from "../schema/settings.ts";
import type { Host } from "./host.ts";
import { fileFinder, runReaders } from "./ingest/file-finder.ts";
import { fittingInstructions } from "./instructions/run-instructions.ts";
import { type LateParts, modelOf, type SubRun } from "./late-parts.ts";
import { type RunCommands, runCommands } from "./run-commands.ts";
import { undoFilesOf } from "./run-files.ts";
import { hooksOf, type MadeLater, type RunHooks } from "./run-hooks.ts";
import { runUndo } from "./run-undo.ts";
import { agentCommands, type SpawnedAgent, type SpawnOptions } from "./subagents/spawn.ts";
import { SubAgents } from "./subagents/sub-agents.ts";
import { wrapped } from "./wrappers.ts";

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
  ownFiles(): Promise<OwnFiles>;
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
  folders(): readonly WorkspaceFolder[];
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
export async function runParts(host: Host, options: RunPartsOptions): Promise<RunParts> {
  const { runHome, folder, settings, sub } = options;
  const late: RunParts["late"] = {};
  const secrets = sub?.secrets ?? makeSecrets([...(await host.secrets.all()), ...secretsIn(process.env)]);
  const provenance = new Provenance();
  const grants = new Grants(() => provenance.sources.length);
  const memory = runMemory(host, options, { late, provenance });
  const made: MadeLater & { commands?: CommandSet; guard?: SandboxGuard | undefined } = {};
  const hooks = hooksOf(host, options, { late, made, secrets });
  const agents = sub
    ? undefined
    : new SubAgents({
        grants,
        provenance,
        run: () => late.run,
        commands: () => made.commands ?? commandSet([]),
        maxCount: () => host.settings(folder).agents.max,
        continuousLimit: () => host.settings(folder).run.continuousLimit,
        spawn: (spawning) => options.spawn(spawning, { late, secrets, guard: made.guard, hooks }),
      });
  const lateParts: LateParts = { late, ...(agents ? { agents } : {}), ...(sub ? { sub } : {}) };
  const { all, extra, ...ofCommands } = await runCommands(host, {
    ...options,
    user: host.approver.isPresent ? lateUser(late, hooks) : undefined,
    memory: settings.memory.enabled ? memory : undefined,
    agents: agents && hooks ? hooks.around(agents) : agents,
    offer: sub ? undefined : hiddenIn(late, hooks),
    unattended: () => grants.left > 0 || grants.continuousLeft > 0,
    redact: secrets.redact,
    guard: sub?.guard,
    fast: async () => fastModel(lateParts),
  });
  const kept = preImages(runHome);
  const { seen, files } = undoFilesOf(host, folder);
  const journal = undoJournal(runHome, kept, seen);
  const { folders } = ofCommands;
  const fitting = fittingInstructions(host, { folders: options.folders, late });
  const wrapping = { host, secrets, journal, seen, provenance, folder, folders, fitting };
  const offered = offeredCommands(all, extra, options);
  const commands = wrapped("commands", offered, wrapping);
  Object.assign(made, { commands, own: all, guard: ofCommands.shell.guard, walls: ofCommands.walls });
  return {
    ...lateParts,
    memory,
    secrets,
    ...ofCommands,
    openFolders: options.folders,
    commands,
    undo: runUndo({ journal, kept, seen, files, folder, folders, problem: host.workspace.undoProblem }),
    grants,
    provenance,
    ...(hooks ? { hooks } : {}),
    ownFiles: () => ownFiles(journal),
  };
}

/** The commands of a run: its own, and those of others, which get no name that one of ours has. */
function offeredCommands(
  own: readonly Command[],
  extra: readonly Command[],
  { settings, only, sub }: Pick<RunPartsOptions, "settings" | "only" | "sub">,
): CommandSet {
  const ours = sub ? agentCommands(sub.spawning.request, own) : own;
  const commands = commandSet(ours, settings.commands.disabled, only);
  const all = [...extra, ...(sub?.hooks?.commands ?? [])];
  commands.add(sub ? all.filter(({ name }) => sub.spawning.request.commands.includes(name)) : all);
  return commands;
}

/** The commands that the run's prompts don't offer. */
function hiddenIn(late: RunParts["late"], hooks: RunHooks | undefined): HiddenCommands {
  return {
    hidden: () => (late.run ? hiddenCommands(late.run.head, late.run.history) : []),
    ...(hooks ? { more: () => hooks.behind() } : {}),
  };
}

/** The user, as soon as the run is live, or a plugin that answers for them. */
function lateUser(late: RunParts["late"], hooks: RunHooks | undefined): User {
  const user: User = { ask: async (question, signal) => late.user?.ask(question, signal) };
  return hooks?.answering(user) ?? user;
}

/** The run's model for small tasks, which keeps to what the run may spend. */
export function fastModel(parts: LateParts): Model {
  return wrapped("smallTasks", modelOf(parts.late).pair().fast, parts);
}

function runMemory(
  host: Host,
  options: RunPartsOptions,
  { late, provenance }: Pick<RunParts, "late" | "provenance">,
): RunMemory {
  const { folder } = options;
  return new RunMemory({
    open: () => host.storage.memory(folder),
    settings: () => host.settings(folder).memory,
    summarizedUpTo: () => late.run?.history.summary?.through ?? 0,
    fast: () => late.model?.pair().fast,
    sources: () => provenance.sources,
    isProtected: mayHoldSecrets,
    findFile: fileFinder(runReaders(host, options)),
    record: async (event) => late.run?.record(event),
    notice: (text) => late.run && host.log.notice(late.run.state.id, text),
  });
}
