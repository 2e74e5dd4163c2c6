import * as vscode from "vscode";
import { createLessonFile } from "../../models/chat/lesson-file.ts";
import { IN_EDITOR, type NextSteps } from "../../models/http/endpoint.ts";
import { ModelResolver } from "../../models/model-resolver.ts";
import type { HostModel } from "../../models/provider.ts";
import type { PluginModel } from "../../plugins/plugin-models.ts";
import type { KeyRing } from "../../runtime/services/key-ring.ts";
import { displayText } from "../../texts/display-text.ts";
import { readSettings } from "../host/settings.ts";
import { createLmModel } from "./lm-model.ts";

/** Next steps for this window, which may be a remote one. */
export const EDITOR_STEPS: NextSteps = { ...IN_EDITOR, remote: vscode.env.remoteName };

/** The models for the editor: the configured provider's and VS Code's own. `storage`: the extension's own folder on this machine. */
export function createEditorModelResolver(
  keys: KeyRing,
  storage: string,
  others: () => Promise<readonly PluginModel[]>,
): ModelResolver {
  return new ModelResolver({
    findKey: (address) => keys.get(address),
    listHostModels: async () => [
      ...(await listChatModels()).map(createHostModel),
      ...(await others()).map(createPluginModel),
    ],
    steps: EDITOR_STEPS,
    getSettings: () => readSettings(),
    lessons: createLessonFile(storage),
    nothingSetUp: NOTHING_SET_UP,
  });
}

/** VS Code's models; empty if its service doesn't answer, so that pages needn't wait. */
export async function listChatModels(): Promise<readonly vscode.LanguageModelChat[]> {
  try {
    return await vscode.lm.selectChatModels();
  } catch {
    return [];
  }
}

function createHostModel(chat: vscode.LanguageModelChat): HostModel {
  const { id, name, family, vendor, maxInputTokens } = chat;
  const create: HostModel["create"] = (timeout, contextWindow) => createLmModel(chat, timeout, contextWindow);
  return { id, name, family, vendor, maxInputTokens, create };
}

function createPluginModel({ id, name, by, create }: PluginModel): HostModel {
  return { id, name, family: id, vendor: by, isOptional: true, create };
}

const NOTHING_SET_UP = displayText("models.nothingSetUp");
