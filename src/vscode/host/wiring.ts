import * as vscode from "vscode";
import { NOTHING_RESERVED, type ReservedBudget, withinBudget } from "../../core/budget/reserved-budget.ts";
import { type CommandSet, commandSet } from "../../core/commands/command-set.ts";
import type { Run } from "../../core/events/run.ts";
import type { User } from "../../core/ports/approver.ts";
import type { Model } from "../../core/ports/model.ts";
import type { Problems } from "../../core/ports/workspace.ts";
import { RunMemory } from "../../memory/recall/run-memory.ts";
import { committedFiles } from "../../node/git/committed-files.ts";
import type { RunShell } from "../../node/sandbox/run-shell.ts";
import { scanner } from "../../node/search/folder-contents.ts";
import { SideEvents } from "../../panel/side-events.ts";
import { makeSecrets, type Secrets, withSecrets } from "../../runs/log/secrets.ts";
import { undoJournal } from "../../runs/undo/journal.ts";
import { preImages } from "../../runs/undo/pre-images.ts";
import type { Undo } from "../../runs/undo/undo.ts";
import { withUndo } from "../../runs/undo/with-undo.ts";
import { withReserved } from "../../runtime/subagents/budget-pool.ts";
import { agentCommands, type SpawnedAgent, type SpawnOptions } from "../../runtime/subagents/spawn.ts";
import { SubAgents } from "../../runtime/subagents/sub-agents.ts";
import { Grants } from "../../safety/policy/grants.ts";
import { Provenance } from "../../safety/provenance/provenance.ts";
import type { WorkspaceFolder } from "../../schema/run-values.ts";
import type { Settings } from "../../schema/settings.ts";
import { editorUndo } from "../review/undo.ts";
import type { RunDependencies } from "./compose.ts";
import { commandsAt } from "./editor-commands.ts";
import type { ModelOfRun } from "./model-of-run.ts";
import { readSettings } from "./settings.ts";

/** A run's parts that there are before its agent. */
export interface Wiring {
  /** The user's end and the run, once they are there. */
  readonly wired: { user: User | undefined; run?: Run; model?: ModelOfRun };
  readonly memory: RunMemory;
  readonly secrets: Secrets;
  readonly shell: RunShell;
  readonly problems: Problems;
  /** Real paths of the folders it may work in. */
  folders(): readonly string[];
  readonly commands: CommandSet;
  readonly undo: Undo;
  readonly grants: Grants;
  readonly provenance: Provenance;
  readonly beside: SideEvents;
  /** Those that may work for it; an agent has none. */
  readonly agents?: SubAgents;
  /** Set where it works for another run. */
  readonly sub?: SubRun;
}

/** What an agent gets from the run that it works for. */
export interface SubRun {
  readonly spawning: SpawnOptions;
  /** The same, so that what one hides in a text the other can find there. */
  readonly secrets: Secrets;
}

/** Where a run is to be. */
export interface WiringPlace {
  readonly runHome: string;
  readonly folder: string;
  /** All that it works in, its own first. */
  readonly folders: readonly WorkspaceFolder[];
  readonly settings: Settings;
  readonly sub?: SubRun;
  spawn(spawning: SpawnOptions, wiring: Pick<Wiring, "wired" | "secrets">): Promise<SpawnedAgent>;
}

/** Makes a run's parts. */
export async function wire(parts: RunDependencies, place: WiringPlace): Promise<Wiring> {
  const { runHome, folder, settings, sub } = place;
  const wired: Wiring["wired"] = { user: undefined };
  const user: User = { ask: async (question, signal) => wired.user?.ask(question, signal) };
  const secrets = sub?.secrets ?? makeSecrets(await parts.secretKeys());
  const trust = { grants: new Grants(), provenance: new Provenance() };
  const memory = memoryOf(parts, folder, wired, trust.provenance);
  const made: { commands?: CommandSet } = {};
  const agents = sub
    ? undefined
    : new SubAgents({
        ...trust,
        run: () => wired.run,
        commands: () => made.commands ?? commandSet([]),
        maxCount: () => readSettings().agents.max,
        continuousLimit: () => readSettings().run.continuousLimit,
        spawn: (spawning) => place.spawn(spawning, { wired, secrets }),
      });
  const given = { ...trust, ...(agents ? { agents } : {}), ...(sub ? { sub } : {}) };
  const { folders, all, shell, problems } = await commandsAt({
    ...{ runHome, folder, settings, user, agents },
    folders: place.folders,
    memory: settings.memory.enabled ? memory : undefined,
    redact: secrets.redact,
    documentWorker: parts.documentWorker,
    away: { ...parts.away, host: "editor", fast: async () => fastOf(wired, given) },
  });
  const every = [...all, ...parts.extraCommands()];
  const commands = withSecrets(
    commandSet(sub ? agentCommands(sub.spawning.request, every) : every, settings.commands.disabled),
    secrets,
  );
  made.commands = commands;
  const kept = preImages(runHome);
  const journal = undoJournal(runHome, kept);
  return {
    ...given,
    beside: new SideEvents(),
    ...{ wired, memory, secrets, folders, shell, problems },
    commands: withUndo(commands, journal, {
      ...{ look: scanner(folders), folder },
      held: committedFiles(folders),
    }),
    undo: editorUndo(journal, kept, folder, folders),
  };
}

/** What of a run's budget is not its own to spend now. */
export function reservedBy({ agents, sub }: Pick<Wiring, "agents" | "sub">): ReservedBudget {
  return agents?.budget.reserved() ?? sub?.spawning.reserved() ?? NOTHING_RESERVED;
}

/** The model of a run; it has one by the time that its agent is at work. */
export function modelOf({ model }: Wiring["wired"]): ModelOfRun {
  if (!model) throw new Error("The run has no model yet.");
  return model;
}

/** The run's model for small tasks, which keeps to what the run may spend. */
export function fastOf(wired: Wiring["wired"], reserving: Pick<Wiring, "agents" | "sub">): Model {
  return withinBudget(
    modelOf(wired).pair().fast,
    () => wired.run && withReserved(wired.run.state, reservedBy(reserving)),
  );
}

function memoryOf(
  { memories, runs }: RunDependencies,
  folder: string,
  wired: Wiring["wired"],
  provenance: Provenance,
): RunMemory {
  return new RunMemory({
    open: () => memories.open(folder),
    settings: () => readSettings(vscode.Uri.file(folder)).memory,
    summarizedUpTo: () => wired.run?.history.summary?.through ?? 0,
    fast: () => wired.model?.pair().fast,
    sources: () => provenance.sources,
    record: async (event) => wired.run?.record(event),
    notice: (text) => wired.run && runs.notice(wired.run.state.id, text),
  });
}
