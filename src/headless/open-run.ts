import { type CommandSet, commandSet, type WithheldCommand } from "../core/commands/command-set.ts";
import { commandsThatFit } from "../core/commands/offered-commands.ts";
import { type ModelPair, Run } from "../core/events/run.ts";
import type { User } from "../core/ports/approver.ts";
import type { Model } from "../core/ports/model.ts";
import { completeProfile } from "../core/prompt/profile.ts";
import type { RunMemory } from "../memory/recall/run-memory.ts";
import type { RunShell } from "../node/sandbox/run-shell.ts";
import { openRunLog } from "../runs/log/run-log.ts";
import { makeSecrets, redactedLog, type Secrets, withSecrets } from "../runs/log/secrets.ts";
import { readProfile } from "../runs/profiles/profiles.ts";
import { withReserved } from "../runtime/subagents/budget-pool.ts";
import type { SpawnedAgent, SpawnOptions } from "../runtime/subagents/spawn.ts";
import { SubAgents } from "../runtime/subagents/sub-agents.ts";
import type { Grants } from "../safety/policy/grants.ts";
import { Provenance } from "../safety/provenance/provenance.ts";
import type { AgentEvent } from "../schema/events.ts";
import { heardLog } from "./heard-log.ts";
import { type HeadlessMemory, headlessMemory } from "./memory.ts";
import type { Options } from "./options.ts";
import { newPlace, type RunPlace, storedPlace, workspaceFolder } from "./place.ts";
import { runCommands } from "./run-commands.ts";
import { startOf } from "./start.ts";

/** A run whose log is open, and what its agent can do. */
export interface OpenRun {
  readonly run: Run;
  readonly commands: CommandSet;
  readonly memory: HeadlessMemory;
  /** What of others it has read so far. */
  readonly provenance: Provenance;
  /** Those that work for it. */
  readonly agents: SubAgents;
  /** Real paths of the folders it may work in. */
  folders(): readonly string[];
  readonly shell: RunShell;
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
  spawn(spawning: SpawnOptions, home: AgentHome): Promise<SpawnedAgent>;
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
  const opened: { run?: Run; commands?: CommandSet } = {};
  const agents = new SubAgents({
    ...{ grants, provenance },
    run: () => opened.run,
    commands: () => opened.commands ?? commandSet([]),
    maxCount: () => options.settings.agents.max,
    continuousLimit: () => options.continuous,
    spawn: (spawning) => spawn(spawning, { workspace, place, secrets, memory }),
  });
  const { all, folders, shell } = await runCommands({
    ...{ options, models, workspace, user, memory, secrets, agents, runFolder: place.folder },
    purse: () => opened.run && withReserved(opened.run.state, agents.budget.reserved()),
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
  const { withheld } = commandsThatFit(commands.specs, models.smart.contextWindow);
  if (withheld.length > 0) warn(noRoomFor(withheld, models.smart));
  return { run, commands, memory: remembered, provenance, agents, folders, shell };
}

function noRoomFor(withheld: readonly WithheldCommand[], { name, contextWindow }: Model): string {
  const names = withheld.map((command) => command.name).join(", ");
  return `The window of ${name}, ${contextWindow.toLocaleString("en")} tokens, has no room for all commands. These are not offered: ${names}.`;
}
