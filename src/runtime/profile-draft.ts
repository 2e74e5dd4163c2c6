import { type Completion, type CompletionOptions, type Model, ModelError } from "../core/ports/model.ts";
import { completeProfile, draftProfile, type Profile } from "../core/prompt/profile.ts";

/** A drafted profile. */
export interface DraftedProfile {
  readonly profile: Profile;
  /** Why it is not the model's own, as a sentence. */
  readonly notice?: string;
  /** The model's call, which the run pays for. */
  readonly completion?: Completion;
}

/**
 * Has a model draft a profile, or only new goals for one that is used again. When it can't, the task is the one goal and `notice` says
 * why.
 */
export async function draftedProfile(
  task: string,
  fast: () => Promise<Model>,
  completing: CompletionOptions,
  again?: Profile,
): Promise<DraftedProfile> {
  const fallback = completeProfile(task, { ...again, goals: [] });
  try {
    const { profile, completion } = await draftProfile(task, await fast(), completing, again && fallback);
    if (profile) return { profile, completion };
    return {
      profile: fallback,
      completion,
      notice: again
        ? "The model's draft couldn't be read, so your task is the only goal. Change it, or start."
        : "The model's draft could not be read. Fill in the profile, or start with these defaults.",
    };
  } catch (error) {
    completing.signal.throwIfAborted();
    if (!(error instanceof ModelError)) throw error;
    const what = again
      ? "No goals could be drafted, so your task is the only one."
      : "No profile could be drafted.";
    return { profile: fallback, notice: `${what} ${error.message}` };
  }
}
