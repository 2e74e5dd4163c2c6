import { platform, release } from "node:os";
import { tighter } from "../core/budget.ts";
import type { Commands } from "../core/commands.ts";
import { SCHEMA, type WorkspaceFolder } from "../core/event.ts";
import { DEFAULT_DIRECTIVES } from "../core/prompt.ts";
import type { StartedBody } from "../core/run.ts";
import { modelNames } from "../core/run-models.ts";
import { forkLimits, stateAfter } from "../runs/fork-events.ts";
import type { NewRun } from "./compose.ts";
import { wordsOf } from "./words.ts";

/** What a new run is called, and where it is. */
interface Named {
  readonly id: string;
  readonly machine: string;
  readonly commands: Commands;
  /** All workspace folders, its own first. */
  readonly folders: readonly WorkspaceFolder[];
}

/** The first event of a new run or fork, with what the workspace has to say about how it shall work. */
export async function startedBody(
  { task, profile, folder, settings, models, mode, branch }: NewRun,
  { id, machine, commands, folders }: Named,
): Promise<StartedBody> {
  const { rules, unread } = await wordsOf(folder);
  const limits = tighter(settings.limits, { usd: profile.budgetUsd ?? 0 });
  return {
    type: "started",
    schema: SCHEMA,
    id,
    task,
    profile,
    directives: DEFAULT_DIRECTIVES,
    rules,
    ...(unread.length > 0 ? { unread } : {}),
    model: modelNames(models),
    limits: branch ? forkLimits(limits, stateAfter(branch.events, branch.step).totals) : limits,
    mode,
    commands: commands.specs,
    folder,
    ...(folders.length > 1 ? { folders } : {}),
    os: `${platform()} ${release()}`,
    machine,
    ...(branch ? { parent: branch.parent } : {}),
  };
}
