import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PluginCatalog } from "../../../../src/plugins/catalog.ts";
import { Consents } from "../../../../src/plugins/consents.ts";
import { createOwnPluginSource, type PackagedPlugins } from "../../../../src/plugins/own/own-plugins.ts";
import { listOwnSecrets } from "../../../../src/plugins/own/own-settings.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { runOfPlugin } from "../../../support/plugin-bench.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant } from "../../../support/trees.ts";

describe("our own plugins", () => {
  const tempFolder = tempFolders();

  const catalog = async (config: object, { isTrusted = true, isWhole = true } = {}) => {
    const [folder, storage] = [await tempFolder(), await tempFolder()];
    const loaded: string[] = [];
    const packaged: PackagedPlugins = {
      loadEmail: () => {
        loaded.push("email");
        return import("../../../../packages/mail/src/email-plugin.ts");
      },
      loadOpenApi: () => {
        loaded.push("openapi");
        return import("../../../../packages/openapi/src/openapi-plugin.ts");
      },
    };
    const source = createOwnPluginSource({
      ...{ storage, findKey: async () => undefined, log: () => undefined },
      ...(isWhole ? packaged : {}),
    });
    const run = runOfPlugin(folder, { plugins: { config: { ...config } } });
    const plugins = new PluginCatalog([source], new Consents(join(storage, "consents.json")), "editor");
    const place = { folder, isTrusted, settings: run.settings };
    const states = async () =>
      (await plugins.list(place)).map(({ plugin: { id, adds }, state, problem }) => [
        id,
        state,
        problem === undefined ? adds : writeInEnglish(problem),
      ]);
    return { folder, plugins, place, run, states, loaded };
  };

  const MAIL = { user: "me@example.com", imap: "imap.example.com", smtp: "smtp.example.com" };
  const SPEC = {
    openapi: "3.0.0",
    servers: [{ url: "https://api.example.com" }],
    paths: { "/a": { get: {} } },
  };

  it("aren't there, and their code isn't read, unless the settings configure them", async () => {
    const { states, loaded } = await catalog({ other: { a: 1 }, email: {} });
    assert.deepEqual({ states: await states(), loaded }, { states: [], loaded: [] });
  });

  it("aren't there in a program without their packages", async () => {
    const { states } = await catalog({ email: MAIL, openapi: { pets: "spec.json" } }, { isWhole: false });
    assert.deepEqual(await states(), []);
  });

  it("read the code for mail once a run loads them", async () => {
    const { plugins, place, run, states, loaded } = await catalog({ email: MAIL });
    const listed = await states();
    const before = [...loaded];
    const [email] = await plugins.load(place, run);
    assert.deepEqual(
      { listed, before, after: loaded, hooks: email?.hooks },
      {
        listed: [["email", "on", ["read_emails", "send_email", "send_email_with_attachment"]]],
        before: [],
        after: ["email"],
        hooks: ["offer"],
      },
    );
  });

  it("wait for the user's consent to a description, and again once it has changed", async () => {
    const { folder, plugins, place, run, states } = await catalog({ openapi: { pets: "spec.json" } });
    await plant(folder, { "spec.json": JSON.stringify(SPEC) });
    const first = await states();
    const [listed] = await plugins.list(place);
    assert.ok(listed);
    const loadedBefore = await plugins.load(place, run);
    await plugins.answer(listed.plugin, folder, true);
    const allowed = await states();
    await writeFile(join(folder, "spec.json"), JSON.stringify({ ...SPEC, info: { title: "New" } }));
    assert.deepEqual(
      { first, loadedBefore: loadedBefore.length, allowed, changed: await states() },
      {
        first: [["openapi.pets", "new", ["pets_get_a"]]],
        loadedBefore: 0,
        allowed: [["openapi.pets", "on", ["pets_get_a"]]],
        changed: [["openapi.pets", "changed", ["pets_get_a"]]],
      },
    );
  });

  it("say what is wrong with their settings, each without a loss for the others", async () => {
    const { states } = await catalog({
      email: { user: "nobody" },
      openapi: {
        "no name": "a.json",
        gone: "gone.json",
        nothing: {},
        place: { url: "a.json", server: "ftp://x" },
      },
    });
    const problems = (await states()).map(([id, state, problem]) => [id, state, String(problem).slice(0, 60)]);
    assert.deepEqual(problems, [
      ["email", "broken", 'autogpt.plugins.config.email: "user" has to be a mail addres'],
      ["openapi.gone", "broken", problems[1]?.[2]],
      ["openapi.no name", "broken", "autogpt.plugins.config.openapi.no name: a name has up to 24 "],
      ["openapi.nothing", "broken", 'autogpt.plugins.config.openapi.nothing needs "url": the addr'],
      ["openapi.place", "broken", 'autogpt.plugins.config.openapi.place: "server" has to be a w'],
    ]);
    assert.match(String(problems[1]?.[2]), /^There is no description at /);
  });

  it("read no description of a workspace that isn't trusted", async () => {
    const { folder, states } = await catalog({ openapi: { pets: "spec.json" } }, { isTrusted: false });
    await plant(folder, { "spec.json": JSON.stringify(SPEC) });
    assert.deepEqual(await states(), [
      ["openapi.pets", "broken", "spec.json belongs to a workspace that you don't trust, so it isn't read."],
    ]);
  });

  it("name their secrets by servers, so that no other server gets them", () => {
    const secrets = (config: object) =>
      listOwnSecrets({ ...config }).map(({ address, variable }) => [address, variable]);
    assert.deepEqual(
      secrets({
        email: MAIL,
        openapi: {
          pets: "https://api.example.com/spec.json",
          "my-zoo": { url: "zoo.yaml", server: "https://zoo.example.com/v1" },
          local: "local.json",
        },
      }),
      [
        ["autogpt-plugin://email/me@example.com,imap.example.com:993,smtp.example.com:465", "EMAIL_PASSWORD"],
        ["autogpt-plugin://openapi.pets/https://api.example.com", "OPENAPI_KEY_PETS"],
        ["autogpt-plugin://openapi.my-zoo/https://zoo.example.com", "OPENAPI_KEY_MY_ZOO"],
      ],
    );
  });
});
