import * as vscode from "vscode";
import { Family } from "../agents/family.ts";
import { lessWhatIsReserved } from "../agents/purse.ts";
import { lentTo, type Spawned, type Spawning } from "../agents/spawning.ts";
import { NOTHING_UNDERWAY, type Underway } from "../core/affordable.ts";
import { type Commands, commandSet } from "../core/commands.ts";
import type { WorkspaceFolder } from "../core/event.ts";
import type { Model, Problems, User } from "../core/ports.ts";
import type { Run } from "../core/run.ts";
import { withinBudget } from "../core/within-budget.ts";
import { RunMemory } from "../memory/run-memory.ts";
import { committedFiles } from "../node/committed-files.ts";
import { scanner } from "../node/scan.ts";
import type { ShellOfRun } from "../node/shell-of-run.ts";
import { preImages } from "../runs/pre-images.ts";
import { makeSecrets, type Secrets } from "../runs/secrets.ts";
import { undoJournal } from "../runs/undo/journal.ts";
import type { Undo } from "../runs/undo/undo.ts";
import { withUndo } from "../runs/undo/with-undo.ts";
import { withSecrets } from "../runs/with-secrets.ts";
import { Grants } from "../safety/grants.ts";
import { Provenance } from "../safety/provenance.ts";
import { Beside } from "./beside.ts";
import type { Composing } from "./compose.ts";
import { commandsAt } from "./editor-commands.ts";
import type { ModelOfRun } from "./model-of-run.ts";
import { readSettings, type Settings } from "./settings.ts";
import { editorUndo } from "./undo.ts";

/** A run's parts that there are before its agent. */
export interface Wiring {
  /** The user's end and the run, once they are there. */
  readonly wired: { user: User | undefined; run?: Run; model?: ModelOfRun };
  readonly memory: RunMemory;
  readonly secrets: Secrets;
  readonly shell: ShellOfRun;
  readonly problems: Problems;
  /** Real paths of the folders it may work in. */
  folders(): readonly string[];
  readonly commands: Commands;
  readonly undo: Undo;
  readonly grants: Grants;
  readonly provenance: Provenance;
  readonly beside: Beside;
  /** Those that may work for it; an agent has none. */
  readonly agents?: Family;
  /** Set where it works for another run. */
  readonly sub?: SubRun;
}

/** What an agent gets from the run that it works for. */
export interface SubRun {
  readonly spawning: Spawning;
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
  spawn(spawning: Spawning, wiring: Pick<Wiring, "wired" | "secrets">): Promise<Spawned>;
}

/** Makes a run's parts. */
export async function wire(parts: Composing, place: WiringPlace): Promise<Wiring> {
  const { runHome, folder, settings, sub } = place;
  const wired: Wiring["wired"] = { user: undefined };
  const user: User = { ask: async (question, signal) => wired.user?.ask(question, signal) };
  const secrets = sub?.secrets ?? makeSecrets(await parts.secretKeys());
  const trust = { grants: new Grants(), provenance: new Provenance() };
  const memory = memoryOf(parts, folder, wired, trust.provenance);
  const made: { commands?: Commands } = {};
  const agents = sub
    ? undefined
    : new Family({
        ...trust,
        run: () => wired.run,
        commands: () => made.commands ?? commandSet([]),
        most: () => readSettings().agents.max,
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
    commandSet(sub ? lentTo(sub.spawning.wish, every) : every, settings.disabledCommands),
    secrets,
  );
  made.commands = commands;
  const kept = preImages(runHome);
  const journal = undoJournal(runHome, kept);
  return {
    ...given,
    beside: new Beside(),
    ...{ wired, memory, secrets, folders, shell, problems },
    commands: withUndo(commands, journal, {
      ...{ look: scanner(folders), folder },
      held: committedFiles(folders),
    }),
    undo: editorUndo(journal, kept, folder, folders),
  };
}

/** What of a run's budget is not its own to spend now. */
export function reservedBy({ agents, sub }: Pick<Wiring, "agents" | "sub">): Underway {
  return agents?.purse.reserved() ?? sub?.spawning.reserved() ?? NOTHING_UNDERWAY;
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
    () => wired.run && lessWhatIsReserved(wired.run.state, reservedBy(reserving)),
  );
}

function memoryOf(
  { memories, runs }: Composing,
  folder: string,
  wired: Wiring["wired"],
  provenance: Provenance,
): RunMemory {
  return new RunMemory({
    open: () => memories.open(folder),
    settings: () => readSettings(vscode.Uri.file(folder)).memory,
    toldInBrief: () => wired.run?.history.summary?.through ?? 0,
    fast: () => wired.model?.pair().fast,
    sources: () => provenance.sources,
    record: async (event) => wired.run?.record(event),
    notice: (text) => wired.run && runs.notice(wired.run.state.id, text),
  });
}
