import { THEMES } from "./pictures.ts";
import { MODEL_NAME, type PlayedModel, playedModel } from "./played-model.ts";
import { openVsCode, openWindows, type VsCode, type Wishes } from "./vscode.ts";

/** A VS Code whose agent thinks with a played model. */
export interface Stage extends VsCode {
  readonly model: PlayedModel;
}

/** Gives the stage, from the first test on. */
export type OnStage = () => Stage;

/**
 * A stage that several suites play on, one after the other. Each calls the returned function; the first of them opens the
 * window, and it stays open until a suite plays on another stage, a test fails, or all is over.
 */
export function sharedStage(wishes: Wishes = {}): () => OnStage {
  let stage: Stage | undefined;
  return () => {
    beforeEach(async () => {
      if (stage && openWindows.has(stage)) return;
      for (const other of openWindows) await other.close();
      stage = await openStage(wishes);
    });
    return () => {
      if (!stage) throw new Error("The stage is set before the first test, not earlier.");
      return stage;
    };
  };
}

async function openStage(wishes: Wishes): Promise<Stage> {
  const model = await playedModel();
  const vscode = await openVsCode({
    ...wishes,
    settings: {
      ...THEMES.dark,
      "autogpt.model.baseUrl": model.baseUrl,
      "autogpt.model.smart": MODEL_NAME,
      "autogpt.model.contextWindow": 128_000,
      // A run that an earlier test left waiting asks no second time, and so takes no reply that is meant for another.
      "autogpt.model.timeoutSeconds": 0,
      ...wishes.settings,
    },
    whenClosed: () => model.close(),
  });
  return Object.assign(vscode, { model });
}
