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

/** Has a run's log say which models it goes on with, where they are others than before. */
export async function recordModels(run: Run, pair: ModelPair): Promise<void> {
  const model = modelNames(pair);
  const { smart, fast, contextWindow } = run.state.model;
  if (model.smart === smart && model.fast === fast && model.contextWindow === contextWindow) return;
  await run.record({ type: "changed", model });
}
