import { Family } from "../agents/family.ts";
import { lessWhatIsReserved } from "../agents/purse.ts";
import type { Spawned, Spawning } from "../agents/spawning.ts";
import { commandRoom } from "../core/command-room.ts";
import { type Commands, commandSet, type Withheld } from "../core/commands.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Model, User } from "../core/ports.ts";
import { completeProfile } from "../core/profile.ts";
import { Run } from "../core/run.ts";
import type { ModelPair } from "../core/run-models.ts";
import type { RunMemory } from "../memory/run-memory.ts";
import type { ShellOfRun } from "../node/shell-of-run.ts";
import { readProfile } from "../runs/profiles.ts";
import { openRunLog } from "../runs/run-log.ts";
import { makeSecrets, type Secrets } from "../runs/secrets.ts";
import { redactedLog, withSecrets } from "../runs/with-secrets.ts";
import type { Grants } from "../safety/grants.ts";
import { Provenance } from "../safety/provenance.ts";
import { heardLog } from "./heard-log.ts";
import { type HeadlessMemory, headlessMemory } from "./memory.ts";
import type { Options } from "./options.ts";
import { newPlace, type RunPlace, storedPlace, workspaceFolder } from "./place.ts";
import { runCommands } from "./run-commands.ts";
import { startOf } from "./start.ts";

/** A run whose log is open, and what its agent can do. */
export interface OpenRun {
  readonly run: Run;
  readonly commands: Commands;
  readonly memory: HeadlessMemory;
  /** What of others it has read so far. */
  readonly provenance: Provenance;
  /** Those that work for it. */
  readonly agents: Family;
  /** Real paths of the folders it may work in. */
  folders(): readonly string[];
  readonly shell: ShellOfRun;
}

export interface Opening {
  readonly options: Options;
  readonly models: ModelPair;
  /** Absent: nobody is there to answer questions. */
  readonly user: User | undefined;
  /** The user's own folder on this machine. */
  readonly data: string;
  readonly grants: Grants;
  /** Puts an agent together that works for the run. */
  spawn(spawning: Spawning, home: AgentHome): Promise<Spawned>;
  hear(event: AgentEvent): void;
  warn(sentence: string): void;
}

/** What an agent shares with the run that it works for. */
export interface AgentHome {
  /** Real path of the folder they work in. */
  readonly workspace: string;
  readonly place: RunPlace;
  readonly secrets: Secrets;
  readonly memory: RunMemory;
}

/** Opens a new run or a stored one. Throws a sentence when that cannot be done. */
export async function openRun(opening: Opening): Promise<OpenRun> {
  const { options, models, user, data, grants, spawn, hear, warn } = opening;
  const { task = "", resume } = options;
  const workspace = await workspaceFolder(options.workspace);
  const profile = completeProfile(
    task,
    options.profile === undefined ? {} : await readProfile(options.profile),
  );
  const place = await (resume === undefined
    ? newPlace(workspace, profile.name, data)
    : storedPlace(workspace, resume, data));
  const secrets = makeSecrets([options.apiKey, ...options.keys.map(({ key }) => key)]);
  const provenance = new Provenance();
  const remembered = headlessMemory({
    ...{ home: place.home, data, settings: options.settings.memory, fast: models.fast },
    ...{ redact: secrets.redact, warn },
    sources: () => provenance.sources,
  });
  const { memory } = remembered;
  const opened: { run?: Run; commands?: Commands } = {};
  const agents = new Family({
    ...{ grants, provenance },
    run: () => opened.run,
    commands: () => opened.commands ?? commandSet([]),
    most: () => options.settings.agents.max,
    continuousLimit: () => options.continuous,
    spawn: (spawning) => spawn(spawning, { workspace, place, secrets, memory }),
  });
  const { all, folders, shell } = await runCommands({
    ...{ options, models, workspace, user, memory, secrets, agents, runFolder: place.folder },
    purse: () => opened.run && lessWhatIsReserved(opened.run.state, agents.purse.reserved()),
  });
  if (shell.problem !== undefined) warn(shell.problem);
  const commands = withSecrets(commandSet(all), secrets);
  const log = heardLog(redactedLog(await openRunLog(place.folder), secrets), hear);
  const run =
    resume === undefined
      ? await Run.start(
          log,
          await startOf({ options, task, profile, workspace, place, models, commands, warn }),
        )
      : Run.from(log, place.events);
  opened.run = run;
  opened.commands = commands;
  for (const event of [run.head, ...place.events]) provenance.apply(event);
  run.onEvent((event) => provenance.apply(event));
  agents.follow(run, place.events);
  remembered.follow(run);
  const { withheld } = commandRoom(commands.specs, models.smart.contextWindow);
  if (withheld.length > 0) warn(noRoomFor(withheld, models.smart));
  return { run, commands, memory: remembered, provenance, agents, folders, shell };
}

function noRoomFor(withheld: readonly Withheld[], { name, contextWindow }: Model): string {
  const names = withheld.map((command) => command.name).join(", ");
  return `The window of ${name}, ${contextWindow.toLocaleString("en")} tokens, has no room for all commands. These are not offered: ${names}.`;
}
