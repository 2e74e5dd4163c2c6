import path from "node:path";
import { ROOT } from "../../host/places.ts";
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

/** A window as on a machine where Ollama runs at its usual port: the played model. Nothing is set up. */
export async function openOllamaStage(wishes: Wishes = {}): Promise<Stage> {
  const model = await playedModel(OLLAMA);
  const vscode = await openVsCode({
    ...wishes,
    settings: { ...THEMES.light, ...wishes.settings },
    env: { REDIRECTED_PORT: `${OLLAMA_PORT}:${model.server.port}` },
    extensions: [path.join(ROOT, "test/fixtures/redirecting-extension")],
    whenClosed: () => model.close(),
  });
  return Object.assign(vscode, { model });
}

/** Answers of Ollama's own API, by which it is told from other servers. */
const OLLAMA = {
  "/api/tags": { models: [{ name: MODEL_NAME }] },
  "/api/show": { capabilities: ["completion", "tools"], model_info: { "any.context_length": 32_768 } },
  "/api/ps": { models: [] },
};

const OLLAMA_PORT = 11_434;

/** A stage of a suite's own. */
export async function openStage(wishes: Wishes): Promise<Stage> {
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
