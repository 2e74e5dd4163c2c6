import type { ModelNames } from "./event.ts";
import type { Model } from "./ports.ts";
import type { Run } from "./run.ts";

/** The two models of a run; often the same one twice. */
export interface ModelPair {
  readonly smart: Model;
  readonly fast: Model;
}

/** What a run's first event says of its models. */
export function modelNames({ smart, fast }: ModelPair): ModelNames {
  return { smart: smart.name, fast: fast.name, contextWindow: smart.contextWindow };
}

/** Records which models the run continues with, if they changed. A smaller window that the run has learned of stays. */
export async function recordModels(run: Run, pair: ModelPair): Promise<void> {
  const before = run.state.model;
  const named = modelNames(pair);
  const isKnown = named.smart === before.smart && named.contextWindow === before.statedWindow;
  const { contextWindow, statedWindow } = before;
  const model = isKnown ? { ...named, contextWindow, ...(statedWindow ? { statedWindow } : {}) } : named;
  if (
    model.smart === before.smart &&
    model.fast === before.fast &&
    model.contextWindow === before.contextWindow
  )
    return;
  await run.record({ type: "changed", model });
}

/** Records that the model's window is smaller than stated. */
export async function recordWindow(run: Run, model: Model, contextWindow: number): Promise<void> {
  const { fast, statedWindow } = run.state.model;
  await run.record({
    type: "changed",
    model: { smart: model.name, fast, contextWindow, statedWindow: statedWindow ?? model.contextWindow },
  });
}

/** The model with the window that its server turned out to give it in this run. */
export function asLearned(model: Model, { smart, contextWindow, statedWindow }: ModelNames): Model {
  if (model.name !== smart || statedWindow === undefined || contextWindow >= model.contextWindow)
    return model;
  return {
    name: model.name,
    contextWindow,
    formats: model.formats,
    ...(model.costOf ? { costOf: (usage) => model.costOf?.(usage) } : {}),
    complete: (request, completing) => model.complete(request, completing),
  };
}
