import { omitUndefined } from "../core/base/objects.ts";
import type { Model } from "../core/ports/model.ts";
import { completeProfile, type Profile } from "../core/prompt/profile.ts";
import { createProfiles, readProfile } from "../runs/profiles/profiles.ts";
import { limitCommands, type OwnStart } from "../runtime/instructions/own-agents.ts";
import { type DraftedProfile, draftRunProfile } from "../runtime/profile-draft.ts";
import { writeInEnglish } from "../texts/display-text.ts";
import type { ProfileOptions } from "./options.ts";
import { getRunHomes } from "./place.ts";
import type { Session } from "./session.ts";
import { UsageError } from "./usage-error.ts";

interface ChosenProfile {
  readonly profile: Profile;
  readonly task: string;
  readonly draft?: DraftedProfile;
}

/** Who the agent is and what it should do, from a file, the flags, the last run, a model's draft or an agent's file. */
export async function chooseProfile(session: Session, fast: Model, start?: OwnStart): Promise<ChosenProfile> {
  const { options, loaded, workspace, around, warn } = session;
  const wanted = options.profile;
  const isAgent = start?.profile.name !== undefined;
  const last =
    !isAgent && (wanted.reuse || loaded.settings.run.reuseProfile)
      ? (await createProfiles(getRunHomes(workspace, around.data).own).findLastUsed())?.profile
      : undefined;
  const found = isAgent ? undefined : (last ?? loaded.profile);
  const stored = wanted.file === undefined ? found : await readProfile(wanted.file);
  const commands = limitCommands(stored?.commands, start?.profile.commands);
  const own: Partial<Profile> = {
    ...restrictProfileModel(stored, session),
    ...start?.profile,
    ...omitUndefined({ commands }),
    ...selectOverrides(wanted),
  };
  const task = options.task ?? own.goals?.join("\n") ?? "";
  if (task === "") throw new UsageError("No profile says what the agent should do. Say it with --task.");
  // A task of its own has goals of its own, unless a profile was named for it.
  const partial = last && wanted.file === undefined && options.task ? { ...own, goals: wanted.goals } : own;
  if (!wanted.draft) return { task, profile: completeProfile(task, partial) };
  const draft = await draftRunProfile(
    task,
    async () => fast,
    { signal: around.signal, notice: (text) => warn(writeInEnglish(text)) },
    stored && completeProfile(task, partial),
  );
  if (draft.notice !== undefined) warn(writeInEnglish(draft.notice));
  return { task, profile: { ...draft.profile, ...selectOverrides(wanted) }, draft };
}

/**
 * Removes the model from a profile, unless the command line names the profile's file. A repository can supply the last used profile, which
 * must not decide where code is sent.
 */
function restrictProfileModel(profile: Profile | undefined, { options, loaded, warn }: Session): Profile | undefined {
  if (profile?.model === undefined) return profile;
  const { model, ...rest } = profile;
  if (options.profile.file !== undefined && !loaded.given.has("model.smart")) {
    warn(`The profile ${options.profile.file} chooses the model ${model}.`);
    return profile;
  }
  warn(`The model ${model} of the profile ${profile.name} isn't used: name it with --model.`);
  return rest;
}

function selectOverrides({ name, role, goals, strategy }: ProfileOptions): Partial<Profile> {
  return {
    ...omitUndefined({ strategy, name, role }),
    ...(goals.length > 0 ? { goals } : {}),
  };
}
