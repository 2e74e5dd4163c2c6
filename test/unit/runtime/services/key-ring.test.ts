import assert from "node:assert/strict";
import { createKeyRing } from "../../../../src/runtime/services/key-ring.ts";
import { findAddressSetting } from "../../../../src/runtime/services/key-services.ts";
import { DEFAULT_SETTINGS } from "../../../../src/schema/read-settings.ts";

/** A key ring over maps in place of VS Code's stores. */
function ring() {
  const secrets = new Map<string, string>();
  const state = new Map<string, readonly string[]>();
  return createKeyRing(
    {
      get: async (name) => secrets.get(name),
      store: async (name, value) => void secrets.set(name, value),
      delete: async (name) => void secrets.delete(name),
    },
    {
      get: (name, fallback) => state.get(name) ?? fallback,
      update: async (name, value) => void state.set(name, value),
    },
    (address) =>
      findAddressSetting({ ...DEFAULT_SETTINGS, image: { ...DEFAULT_SETTINGS.image, baseUrl: "my server" } }, address),
  );
}

describe("a stored API key", () => {
  it("is handed out for its own origin, and for no address that merely looks like it", async () => {
    const keys = ring();
    await keys.set("https://models.example/v1", "the key");
    const addresses = [
      "https://models.example/v1",
      "https://models.example/other/path?x=1",
      "https://models.example:443",
      "HTTPS://Models.Example/",
      "http://models.example/v1",
      "https://models.example:8443/v1",
      "https://models.example.evil.test/v1",
      "https://evil.test/https://models.example/v1",
      "https://models.example@evil.test/v1",
      "https://evil.test/#@models.example",
      "https://xmodels.example/v1",
    ];
    const given = await Promise.all(addresses.map((address) => keys.get(address)));
    assert.deepEqual(
      addresses.filter((_address, index) => given[index] !== undefined),
      addresses.slice(0, 4),
    );
  });

  it("can't be stored for what is no web address, and the sentence names the setting that holds it", async () => {
    const keys = ring();
    const problems = await Promise.all(
      ["my server", "ftp://models.example"].map((address) =>
        keys.set(address, "the key").catch((error: Error) => error.message),
      ),
    );

    assert.deepEqual(
      { problems, stored: keys.listOrigins() },
      {
        problems: [
          '"my server" is not a web address. Set autogpt.image.baseUrl to one like https://api.openai.com/v1.',
          '"ftp://models.example" is not a web address.',
        ],
        stored: [],
      },
    );
  });

  it("is listed with the others by its origin alone, once", async () => {
    const keys = ring();
    for (const address of ["https://one.example/v1", "https://two.example/v1", "https://one.example/v2"])
      await keys.set(address, address);
    assert.deepEqual(
      { origins: keys.listOrigins(), all: await keys.listKeys() },
      {
        origins: ["https://one.example", "https://two.example"],
        all: ["https://one.example/v2", "https://two.example/v1"],
      },
    );
  });

  it("is gone once its origin is cleared, and others stay", async () => {
    const keys = ring();
    await keys.set("https://one.example/v1", "one");
    await keys.set("https://two.example/v1", "two");
    await keys.clear("https://one.example");
    assert.deepEqual(
      [await keys.get("https://one.example"), await keys.listKeys(), keys.listOrigins()],
      [undefined, ["two"], ["https://two.example"]],
    );
  });
});
