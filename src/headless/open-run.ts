import { type Commands, commandSet } from "../core/commands.ts";
import type { AgentEvent } from "../core/event.ts";
import type { User } from "../core/ports.ts";
import { completeProfile } from "../core/profile.ts";
import { Run } from "../core/run.ts";
import { withinBudget } from "../core/within-budget.ts";
import type { ShellOfRun } from "../node/shell-of-run.ts";
import { readProfile } from "../runs/profiles.ts";
import { openRunLog } from "../runs/run-log.ts";
import { makeSecrets } from "../runs/secrets.ts";
import { redactedLog, withSecrets } from "../runs/with-secrets.ts";
import { machineCommands } from "./commands.ts";
import { heardLog } from "./heard-log.ts";
import { type HeadlessMemory, headlessMemory } from "./memory.ts";
import type { Models } from "./models.ts";
import type { Options } from "./options.ts";
import { newPlace, storedPlace, workspaceFolder } from "./place.ts";
import { keysByOrigin } from "./service-keys.ts";
import { startOf } from "./start.ts";

/** A run whose log is open, and what its agent can do. */
export interface OpenRun {
  readonly run: Run;
  readonly commands: Commands;
  readonly memory: HeadlessMemory;
  /** What had happened before it was opened. */
  readonly past: readonly AgentEvent[];
  /** Real paths of the folders it may work in. */
  folders(): readonly string[];
  readonly shell: ShellOfRun;
}

export interface Opening {
  readonly options: Options;
  readonly models: Models;
  /** Absent: nobody is there to answer questions. */
  readonly user: User | undefined;
  /** The user's own folder on this machine. */
  readonly data: string;
  hear(event: AgentEvent): void;
  warn(sentence: string): void;
}

/** Opens a new run or a stored one. Throws a sentence when that cannot be done. */
export async function openRun({ options, models, user, data, hear, warn }: Opening): Promise<OpenRun> {
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
  const remembered = headlessMemory(place.home, secrets.redact, warn);
  const { memory } = remembered;
  const { sandbox, python, settings, baseUrl, apiKey, keys } = options;
  const { redact } = secrets;
  const runFolder = place.folder;
  const opened: { run?: Run } = {};
  const away = {
    settings,
    allowHosts: () => settings.web.allowHosts,
    keyFor: keysByOrigin([{ address: baseUrl, key: apiKey }, ...keys]),
    fast: async () => withinBudget(models.fast, () => opened.run?.state),
  };
  const made = await machineCommands({ workspace, runFolder, user, memory, sandbox, python, redact, away });
  const { all, folders, shell } = made;
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
  remembered.follow(run);
  return { run, commands, memory: remembered, past: place.events, folders, shell };
}
