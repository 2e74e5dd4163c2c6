import { createUsageEvent, type Run } from "../core/events/run.ts";
import { type Completion, type CompletionOptions, type Model, ModelError } from "../core/ports/model.ts";
import { completeProfile, draftProfile, type Profile } from "../core/prompt/profile.ts";
import { DisplayError, displayText, joinSentences, type Sentence } from "../texts/display-text.ts";

/** A drafted profile. */
export interface DraftedProfile {
  readonly profile: Profile;
  /** Why the model didn't draft the profile, as a sentence. */
  readonly notice?: Sentence;
  /** The model's call, which the run pays for. */
  readonly completion?: Completion;
}

/** Has a model draft a profile, or only new goals for a reused one. If it can't, the task is the only goal and `notice` explains why. */
export async function draftRunProfile(
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
      notice: again ? displayText("trouble.redraftUnreadable") : displayText("trouble.draftUnreadable"),
    };
  } catch (error) {
    completing.signal.throwIfAborted();
    if (!(error instanceof ModelError)) throw error;
    const what = again ? displayText("trouble.noGoalsDrafted") : displayText("trouble.noProfileDrafted");
    return { profile: fallback, notice: joinSentences(what, error.text) };
  }
}

/**
 * Drafts the profile of a run that has started with defaults, while its steps run, and records it. A profile that the user has edited in
 * the meantime stays, and a failed draft leaves the defaults. `warn` gets the settings that the server doesn't accept.
 */
export async function draftInRun(
  run: Run,
  model: Model,
  again?: Profile,
  warn?: (text: Sentence) => void,
): Promise<void> {
  const before = run.state.profile;
  const over = new AbortController();
  const stopListening = run.onEvent((event) => {
    if (event.type === "over") over.abort(new DisplayError(displayText("trouble.endedBeforeDraft")));
  });
  try {
    const { signal } = over;
    const notice: CompletionOptions["notice"] = (text, kind) => kind === "warning" && warn?.(text);
    const completing = { signal, notice };
    const { profile, completion } = await draftProfile(run.state.task, model, completing, again && before);
    await run.record(createUsageEvent("draft", completion));
    if (!profile || run.state.end || run.state.profile !== before) return;
    const { name, role, goals } = profile;
    await run.record({ type: "changed", goals, ...(again ? {} : { profile: { name, role } }) });
  } catch (error) {
    if (!over.signal.aborted && !(error instanceof ModelError)) throw error;
  } finally {
    stopListening();
  }
}

/** Records the profile as the user has edited it. A budget replaces the run's limit on dollars. */
export async function recordProfile(run: Run, edited: Profile): Promise<void> {
  const { profile: before, limits } = run.state;
  const { name, role, goals, budgetUsd } = completeProfile(run.state.task, edited);
  const isRenamed = name !== before.name || role !== before.role;
  const hasGoals = JSON.stringify(goals) !== JSON.stringify(before.goals);
  const isLimited = budgetUsd !== undefined && budgetUsd !== limits.usd;
  if (!isRenamed && !hasGoals && !isLimited) return;
  await run.record({
    type: "changed",
    ...(isRenamed ? { profile: { name, role } } : {}),
    ...(hasGoals ? { goals } : {}),
    ...(isLimited ? { limits: { usd: budgetUsd } } : {}),
  });
}
