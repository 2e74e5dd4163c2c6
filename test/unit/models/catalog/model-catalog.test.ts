import assert from "node:assert/strict";
import { ModelCatalog } from "../../../../src/models/catalog/model-catalog.ts";

function counted() {
  const asked = { windows: 0, servers: 0 };
  let time = 0;
  const catalog = new ModelCatalog({
    getNow: () => time,
    askServed: async () => ({ contextWindow: ++asked.windows * 1000 }),
    findServers: async () => {
      asked.servers += 1;
      if (asked.servers === 1) throw new Error("no network");
      return [];
    },
  });
  const wait = (ms: number): void => {
    time += ms;
  };
  return { asked, catalog, wait };
}

describe("the catalog of models", () => {
  it("asks a server for a window once within 20 seconds, and again after that", async () => {
    const { catalog, wait, asked } = counted();
    const windowOf = async (model: string, address: string) =>
      (await catalog.fetchServedModel(model, address, "")).contextWindow;
    const first = await windowOf("a", "http://one");
    wait(19_999);
    const soon = await windowOf("a", "http://one");
    const other = await windowOf("a", "http://two");
    wait(1);
    const later = await windowOf("a", "http://one");

    assert.deepEqual(
      { first, soon, other, later, asked: asked.windows },
      { first: 1000, soon: 1000, other: 2000, later: 3000, asked: 3 },
    );
  });

  it("looks for local servers once within 20 seconds, again when asked to, and finds none when that fails", async () => {
    const { catalog, wait, asked } = counted();
    const failed = await catalog.listLocalServers();
    await catalog.listLocalServers();
    const soon = asked.servers;
    catalog.forgetLocalServers();
    await catalog.listLocalServers();
    const forgotten = asked.servers;
    wait(20_000);
    await catalog.listLocalServers();

    assert.deepEqual(
      { failed, soon, forgotten, later: asked.servers },
      { failed: [], soon: 1, forgotten: 2, later: 3 },
    );
  });
});
