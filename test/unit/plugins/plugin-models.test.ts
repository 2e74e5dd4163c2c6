import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { mock } from "node:test";
import { ModelError } from "../../../src/core/ports/model.ts";
import { ModelResolver } from "../../../src/models/model-resolver.ts";
import { PluginCatalog } from "../../../src/plugins/catalog.ts";
import { Consents } from "../../../src/plugins/consents.ts";
import { ExtensionPlugins } from "../../../src/plugins/extensions.ts";
import { HOOKS } from "../../../src/plugins/hooks.ts";
import type { Plugin, PluginSource } from "../../../src/plugins/plugin.ts";
import { PluginModels } from "../../../src/plugins/plugin-models.ts";
import { createPythonPluginSource } from "../../../src/plugins/python/python-plugins.ts";
import { DEFAULT_SETTINGS } from "../../../src/schema/read-settings.ts";
import { FakeModel, says } from "../../support/fake-model.ts";
import { tempFolders } from "../../support/temp-folders.ts";

/** A plugin for the template of classic AutoGPT. */
const ECHO = `
class Echo:
    def can_handle_post_prompt(self):
        return False

    def can_handle_chat_completion(self, messages, model, temperature, max_tokens):
        return True

    def handle_chat_completion(self, messages, model, temperature, max_tokens):
        return messages[-1]["content"] + "!"

    def can_handle_text_embedding(self, text):
        return True

    def handle_text_embedding(self, text):
        return [len(text), 1]
`;

const NEVER = new AbortController().signal;
const REQUEST = { messages: [{ role: "user", content: "Hello" }] } as const;

describe("models of plugins", () => {
  const tempFolder = tempFolders();

  function modelsIn(folder: string, source: PluginSource, consents = consentsIn(folder)): PluginModels {
    return new PluginModels(new PluginCatalog([source], consents, "editor"), {
      getPlace: () => ({ folder: join(folder, "models"), isTrusted: false, settings: DEFAULT_SETTINGS }),
      createRedactor: async () => (text) => text,
      idleMs: 1,
    });
  }

  function consentsIn(folder: string): Consents {
    return new Consents(join(folder, "consents.json"));
  }

  async function modelsOf(...plugins: readonly Plugin[]): Promise<PluginModels> {
    const source = new ExtensionPlugins(() => [], { findKey: async () => undefined, log: () => undefined });
    for (const plugin of plugins) source.register(plugin);
    return modelsIn(await tempFolder(), source);
  }

  it("answer in place of a model, under today's or the classic name of the hook", async () => {
    const models = await modelsOf(
      { id: "ours", model: ({ messages }) => ({ text: `ours: ${messages.at(-1)?.content}` }) },
      { id: "classic", chat_completion: () => ({ text: "classic" }) } as Plugin,
      { id: "other", report: () => undefined },
    );
    const listed = await models.list();
    const answers = listed.map(async (model) => (await model.create(5).complete(REQUEST, { signal: NEVER })).text);
    assert.deepEqual(
      { ids: listed.map(({ id }) => id), answers: await Promise.all(answers) },
      { ids: ["plugin:classic", "plugin:ours"], answers: ["classic", "ours: Hello"] },
    );
  });

  it("are also those of classic Python plugins, once the user has turned them on", async () => {
    const root = await tempFolder();
    const file = join(root, "user/echo/__init__.py");
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, ECHO);
    const consents = consentsIn(root);
    const source = createPythonPluginSource({
      classicBridge: join(import.meta.dirname, "../../../src/plugins/python/classic_bridge.py"),
      userFolder: join(root, "user"),
      storage: join(root, "storage"),
      named: [],
      findPythonInterpreter: async () => undefined,
    });
    const models = modelsIn(root, source, consents);
    const before = await models.list();
    const [found] = await source.find({ folder: root, isTrusted: false, settings: DEFAULT_SETTINGS });
    const { hash = "", shown = "" } = found?.consent ?? {};
    await consents.set({ key: "python echo", hash, shown, allowed: true });
    const [echo] = await models.list();
    const answer = async () => (await echo?.create(20).complete(REQUEST, { signal: NEVER }))?.text;
    const vectors = await (await models.findEmbedder("plugin:echo"))?.(["abc"]);
    assert.deepEqual(
      { before, id: echo?.id, answers: [await answer(), await answer()], vectors },
      {
        before: [],
        id: "plugin:echo",
        answers: ["Hello!", "Hello!"],
        vectors: { data: [{ index: 0, embedding: [3, 1] }] },
      },
    );
  }).timeout(30_000);

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
      findKey: async () => undefined,
      listHostModels: async () =>
        (await models.list()).map((model) => ({ ...model, family: model.id, isOptional: true as const })),
      steps: { key: "", server: "" } as never,
      getSettings: () => DEFAULT_SETTINGS,
      nothingSetUp: "Nothing is set up.",
    });
    const chosen = (smart: string) => ({
      ...DEFAULT_SETTINGS,
      model: { ...DEFAULT_SETTINGS.model, provider: "vscode" as const, smart },
    });
    const [named] = await models.list();
    const inUse = {
      named: (await resolver.findModelsInUse(chosen(named?.id ?? "")))?.smart.model,
      unnamed: await resolver.findModelsInUse(chosen("")),
    };
    release();
    assert.deepEqual({ ...inUse, after: await models.list() }, { named: named?.id, unnamed: undefined, after: [] });
  });

  it("may be vectors for the memory, by the name in the settings", async () => {
    const models = await modelsOf({
      id: "vectors",
      embedder: ({ texts }) => ({ vectors: texts.map((text) => [text.length, 1]) }),
    });
    const request = await models.findEmbedder("plugin:vectors");
    assert.deepEqual(
      { data: await request?.(["a", "bcd"]), other: await models.findEmbedder("plugin:none") },
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

  it("aren't waited for any longer than the hook's limit", async () => {
    const models = await modelsOf({ id: "vectors", embedder: () => new Promise<never>(() => undefined) });
    const request = await models.findEmbedder("plugin:vectors");
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const vectors = request?.(["a"]);
      mock.timers.tick(HOOKS.embedder.limitMs);
      await assert.rejects(async () => vectors, { message: "no answer within 10 s" });
    } finally {
      mock.timers.reset();
    }
  });
});
