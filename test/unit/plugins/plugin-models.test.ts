import assert from "node:assert/strict";
import { join } from "node:path";
import { ModelError } from "../../../src/core/ports/model.ts";
import { ModelResolver } from "../../../src/models/model-resolver.ts";
import { PluginCatalog } from "../../../src/plugins/catalog.ts";
import { Consents } from "../../../src/plugins/consents.ts";
import { ExtensionPlugins } from "../../../src/plugins/extensions.ts";
import type { Plugin } from "../../../src/plugins/plugin.ts";
import { PluginModels } from "../../../src/plugins/plugin-models.ts";
import { DEFAULT_SETTINGS } from "../../../src/schema/read-settings.ts";
import { FakeModel, says } from "../../support/fake-model.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const NEVER = new AbortController().signal;
const REQUEST = { messages: [{ role: "user", content: "Hello" }] } as const;

describe("models of plugins", () => {
  const tempFolder = tempFolders();

  async function modelsOf(...plugins: readonly Plugin[]): Promise<PluginModels> {
    const source = new ExtensionPlugins(() => [], { keyFor: async () => undefined, log: () => undefined });
    for (const plugin of plugins) source.register(plugin);
    const consents = new Consents(join(await tempFolder(), "consents.json"));
    const place = { folder: "", isTrusted: true, settings: DEFAULT_SETTINGS };
    return new PluginModels(new PluginCatalog([source], consents, "editor"), () => place);
  }

  it("answer in place of a model, under today's or the classic name of the hook", async () => {
    const models = await modelsOf(
      { id: "ours", model: ({ messages }) => ({ text: `ours: ${messages.at(-1)?.content}` }) },
      { id: "classic", chat_completion: () => ({ text: "classic" }) } as Plugin,
      { id: "other", report: () => undefined },
    );
    const listed = await models.list();
    const answers = listed.map(
      async (model) => (await model.create(5).complete(REQUEST, { signal: NEVER })).text,
    );
    assert.deepEqual(
      { ids: listed.map(({ id }) => id), answers: await Promise.all(answers) },
      { ids: ["plugin:classic", "plugin:ours"], answers: ["classic", "ours: Hello"] },
    );
  });

  it("that fail are an error which says to choose another", async () => {
    const models = await modelsOf({
      id: "bad",
      model: () => {
        throw new Error("Out of order.");
      },
    });
    const [bad] = await models.list();
    const failure = await bad
      ?.create(5)
      .complete(REQUEST, { signal: NEVER })
      .catch((error: unknown) => error);
    assert.ok(failure instanceof ModelError);
    assert.deepEqual(
      { trouble: failure.trouble, message: failure.message },
      {
        trouble: "setup",
        message:
          'The plugin bad couldn\'t answer in place of a model: Out of order. Choose another one with "AutoGPT: Select Model…".',
      },
    );
  });

  it("are used if settings name them, and never by themselves", async () => {
    const models = await modelsOf();
    const release = models.register({
      id: "lab",
      name: "The Lab",
      models: () => [new FakeModel([says("x")])],
    });
    const resolver = new ModelResolver({
      keyFor: async () => undefined,
      hostModels: async () =>
        (await models.list()).map((model) => ({ ...model, family: model.id, isOptional: true as const })),
      steps: { key: "", server: "" } as never,
      settings: () => DEFAULT_SETTINGS,
      nothingSetUp: "Nothing is set up.",
    });
    const chosen = (smart: string) => ({
      ...DEFAULT_SETTINGS,
      model: { ...DEFAULT_SETTINGS.model, provider: "vscode" as const, smart },
    });
    const [named] = await models.list();
    const inUse = {
      named: (await resolver.inUse(chosen(named?.id ?? "")))?.smart.model,
      unnamed: await resolver.inUse(chosen("")),
    };
    release();
    assert.deepEqual(
      { ...inUse, after: await models.list() },
      { named: named?.id, unnamed: undefined, after: [] },
    );
  });

  it("may be vectors for the memory, by the name in the settings", async () => {
    const models = await modelsOf({
      id: "vectors",
      embedder: ({ texts }) => ({ vectors: texts.map((text) => [text.length, 1]) }),
    });
    const request = await models.embeddings("plugin:vectors");
    assert.deepEqual(
      { data: await request?.(["a", "bcd"]), other: await models.embeddings("plugin:none") },
      {
        data: {
          data: [
            { index: 0, embedding: [1, 1] },
            { index: 1, embedding: [3, 1] },
          ],
        },
        other: undefined,
      },
    );
  });
});
