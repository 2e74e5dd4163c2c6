import { platform, release } from "node:os";
import { omitUndefined } from "../core/base/objects.ts";
import { getTighterLimits } from "../core/budget/budget.ts";
import type { CommandSet } from "../core/commands/command-set.ts";
import { COMMAND } from "../core/commands/command-traits.ts";
import { getModelNames, type ModelPair, type StartedBody } from "../core/events/run.ts";
import { createPictureFields } from "../core/loop/live-run.ts";
import type { Profile } from "../core/prompt/profile.ts";
import { createDefaultDirectives, createIsolatedDirectives } from "../core/prompt/prompt-texts.ts";
import type { Offers } from "../plugins/hook-answers.ts";
import { computeForkLimits, computeStateAfterStep, type ForkPoint } from "../runs/store/fork-events.ts";
import type { CheckedPicture } from "../runs/store/run-pictures.ts";
import type { StoredRun } from "../runs/store/run-store.ts";
import { LOG_VERSION } from "../schema/formats.ts";
import { getRunLimits } from "../schema/read-settings.ts";
import type { AttachedPicture, Directives, Mode, Source, WorkspaceFolder } from "../schema/run-values.ts";
import type { Settings } from "../schema/settings.ts";
import type { RepositoryInstructions } from "./instructions/read-instructions.ts";
import type { FolderWords } from "./instructions/run-instructions.ts";
import type { SubRun } from "./subagents/spawn.ts";

/** How the user follows the copying and can cancel it. */
interface Copying {
  readonly signal: AbortSignal;
  /** Another isolated run whose copy, as it is now, is copied in place of the workspace. */
  readonly from?: Pick<StoredRun, "id" | "folder">;
  /** Called with the number of files that were copied so far. */
  reportProgress?(files: number): void;
}

/** A run to begin. */
export interface NewRun {
  /** From `createRunId`, where it has to be known in advance. */
  readonly id?: string;
  readonly task: string;
  readonly profile: Profile;
  readonly folder: string;
  readonly settings: Settings;
  readonly models: ModelPair;
  readonly mode: Mode;
  /** For an isolated run: how its copy is made. */
  readonly copying?: Copying;
  /** The user's own permanent instructions, before the workspace's. */
  readonly instructions?: RepositoryInstructions["rules"];
  /** The past that the run takes over from another run. */
  readonly branch?: ForkPoint & { readonly parent: string };
  /** Pictures that belong to the task. */
  readonly pictures?: readonly CheckedPicture[];
  /** Untrusted sources that the task comes from. */
  readonly sources?: readonly Source[];
  /** The `.autogpt` folder that stores the run; absent: that of its folder. */
  readonly home?: string;
  /** Set if the run works for another run. */
  readonly sub?: SubRun;
}

/** Identity and place of a new run. */
interface RunIdentity {
  readonly id: string;
  readonly machine: string;
  /** The local day on which it begins. */
  readonly day: string;
  readonly commands: CommandSet;
  readonly words: FolderWords & Pick<StartedBody, "agents">;
  /** Set for an isolated run. */
  readonly isolated?: StartedBody["isolated"];
  /** See `renderWorkspacePicture`. */
  readonly picture?: string | undefined;
  /** The task's pictures, as they are kept. */
  readonly attached: readonly AttachedPicture[];
  /** Additions of plugins to the head of the prompts. */
  readonly offers: Offers;
  /** All workspace folders, its own first. */
  readonly folders: readonly WorkspaceFolder[];
}

/** The first event of a new run or fork, with the workspace's own instructions for the agent. */
export async function createFirstEvent(
  { task, profile, folder, settings, models, mode, branch, instructions = [], sources }: NewRun,
  { id, machine, day, commands, picture, attached, folders, words, isolated, offers }: RunIdentity,
): Promise<StartedBody> {
  const { rules, later, skills, moreSkills, agents = [], unread } = words;
  const names = commands.specs.map(({ name }) => name);
  const limits = getTighterLimits(getRunLimits(settings.run), { usd: profile.budgetUsd ?? 0 });
  return {
    type: "started",
    schema: LOG_VERSION,
    id,
    task,
    profile,
    directives: addOffers(
      isolated ? createIsolatedDirectives(names, isolated.hosts ?? []) : createDefaultDirectives(names),
      offers,
    ),
    rules: [...instructions, ...rules],
    ...(later.length > 0 ? { laterRules: later } : {}),
    ...(skills.length > 0 && names.includes(COMMAND.readSkill) ? { skills, moreSkills } : {}),
    ...(agents.length > 0 && names.includes(COMMAND.startAgent) ? { agents: [...agents] } : {}),
    ...(unread.length > 0 ? { unread } : {}),
    model: getModelNames(models),
    limits: branch ? computeForkLimits(limits, computeStateAfterStep(branch.events, branch.step).totals) : limits,
    mode,
    ...omitUndefined({ strategy: profile.strategy }),
    commands: commands.specs,
    folder,
    ...(folders.length > 1 ? { folders } : {}),
    ...omitUndefined({ isolated }),
    os: `${platform()} ${release()}`,
    day,
    ...omitUndefined({ picture }),
    machine,
    ...createPictureFields(attached),
    ...(sources ? { sources: [...sources] } : {}),
    ...(branch ? { parent: branch.parent } : {}),
  };
}

function addOffers(own: Directives, offers: Offers): Directives {
  return {
    constraints: [...own.constraints, ...offers.constraints],
    resources: [...own.resources, ...offers.resources],
    bestPractices: [...own.bestPractices, ...offers.bestPractices],
  };
}
