import { platform, release } from "node:os";
import { basename } from "node:path";
import { tighterLimits } from "../../core/budget/budget.ts";
import type { CommandSet } from "../../core/commands/command-set.ts";
import { modelNames, type StartedBody } from "../../core/events/run.ts";
import { DEFAULT_DIRECTIVES } from "../../core/prompt/prompt.ts";
import { nodeWorkspace } from "../../node/workspace.ts";
import {
  type RepositoryInstructions,
  readRepositoryInstructions,
} from "../../runs/profiles/repository-instructions.ts";
import { forkLimits, stateAfterStep } from "../../runs/store/fork-events.ts";
import { guardedReader } from "../../safety/paths/guarded-reader.ts";
import { LOG_VERSION } from "../../schema/formats.ts";
import { limitsOf } from "../../schema/read-settings.ts";
import type { WorkspaceFolder } from "../../schema/run-values.ts";
import type { NewRun } from "./compose.ts";

/** What a new run is called, and where it is. */
interface Named {
  readonly id: string;
  readonly machine: string;
  readonly commands: CommandSet;
  /** All workspace folders, its own first. */
  readonly folders: readonly WorkspaceFolder[];
}

/** The first event of a new run or fork, with what the workspace has to say about how it shall work. */
export async function startedBody(
  { task, profile, folder, settings, models, mode, branch }: NewRun,
  { id, machine, commands, folders }: Named,
): Promise<StartedBody> {
  const { rules, unread } = await folderWords(folder);
  const limits = tighterLimits(limitsOf(settings.run), { usd: profile.budgetUsd ?? 0 });
  return {
    type: "started",
    schema: LOG_VERSION,
    id,
    task,
    profile,
    directives: DEFAULT_DIRECTIVES,
    rules,
    ...(unread.length > 0 ? { unread } : {}),
    model: modelNames(models),
    limits: branch ? forkLimits(limits, stateAfterStep(branch.events, branch.step).totals) : limits,
    mode,
    commands: commands.specs,
    folder,
    ...(folders.length > 1 ? { folders } : {}),
    os: `${platform()} ${release()}`,
    machine,
    ...(branch ? { parent: branch.parent } : {}),
  };
}

/** Reads the repository's words in a folder for an agent's start. */
export async function folderWords(folder: string): Promise<RepositoryInstructions> {
  const workspace = nodeWorkspace({ folders: [{ name: basename(folder), path: folder }] });
  return readRepositoryInstructions(folder, guardedReader(workspace, workspace.folders(), process.platform));
}
