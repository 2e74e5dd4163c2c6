import { ModelError } from "../../core/ports/model.ts";
import { displayText } from "../../texts/display-text.ts";
import { getHostName } from "../../texts/language.ts";
import type { HostModel, Provider, ProviderContext } from "../provider.ts";

const EDITOR_ONLY = displayText("trouble.editorOnly");

/** The host's own language models, which the host implements. They need no key. */
export const hostModels: Provider = {
  label: "VS Code",
  getKey: () => undefined,
  async findOrigin({ model }, context, isAuto) {
    if (!context.listHostModels && !isAuto) throw new ModelError("setup", EDITOR_ONLY);
    const models = await listHostModels(context);
    const isNamed = [model.smart, model.fast].some((name) => find(models, name) !== undefined);
    return isNamed || models.some(isUsual) ? { provider: "vscode", address: "", key: "" } : undefined;
  },
  async findSource(_settings, context) {
    const { length } = await listHostModels(context);
    return {
      name: getHostName(),
      state: length > 0 ? { kind: "connected", models: length } : { kind: "noChatModels" },
    };
  },
  async choose({ model }, _origin, context) {
    const models = await listHostModels(context);
    const smart = find(models, model.smart) ?? models.find(isUsual);
    return smart && { smart: smart.id, fast: (find(models, model.fast) ?? smart).id };
  },
  async create(name, { model }, _origin, context) {
    const found = find(await listHostModels(context), name);
    if (!found) throw new ModelError("setup", displayText("trouble.editorModelGone", { name }));
    return found.create(model.timeoutSeconds, model.contextWindow || undefined);
  },
  findEmbeddingConnection: () => undefined,
};

function isUsual({ isOptional }: HostModel): boolean {
  return isOptional === undefined;
}

async function listHostModels(context: ProviderContext): Promise<readonly HostModel[]> {
  return (await context.listHostModels?.()) ?? [];
}

function find(models: readonly HostModel[], name: string): HostModel | undefined {
  return models.find(({ id, name: shown, family }) => id === name || shown === name || family === name);
}
