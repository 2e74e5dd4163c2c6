import type * as vscode from "vscode";
import type { Model } from "../../core/ports/model.ts";
import type { ModelResolver } from "../../models/model-resolver.ts";
import { createPaidModel, type PaidModel } from "../../runtime/review/paid-model.ts";
import { getRunLimits } from "../../schema/read-settings.ts";
import { showMessage } from "../host/notifications.ts";
import type { RunLibrary } from "../host/run-library.ts";
import { readSettings } from "../host/settings.ts";

/** Dependencies of whatever has a model look at changes. */
export interface ReviewerDependencies {
  readonly desk: Pick<ModelResolver, "createModelPair">;
  readonly library: Pick<RunLibrary, "costs">;
  /** Creates a function that replaces secrets with marks. */
  createRedactor(): Promise<(text: string) => string>;
}

/** A model for a task in a folder, with the limits and budgets that the user has set for it. */
export function createTaskModel(
  { library }: ReviewerDependencies,
  model: Model,
  task: string,
  folder: vscode.Uri,
): PaidModel {
  return createPaidModel(model, {
    ...{ ledger: library.costs, folder: folder.fsPath, limits: getRunLimits(readSettings(folder).run), task },
    getSettings: () => readSettings(folder).run,
    warn: (text) => void showMessage("warning", text),
  });
}
