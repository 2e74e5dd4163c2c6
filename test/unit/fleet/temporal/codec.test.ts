import assert from "node:assert/strict";
import type { Payload } from "@temporalio/common";
import { createFleetKey } from "../../../../src/fleet/key.ts";
import { createFleetCodec } from "../../../../src/fleet/temporal/codec.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const payload = (text: string): Payload => ({
  metadata: { encoding: encode("json/plain"), own: new Uint8Array([0, 255, 10]) },
  data: encode(text),
});

describe("what Temporal's server stores", () => {
  it("is encrypted, comes back as it was, and is small although a question repeats its texts", async () => {
    const codec = createFleetCodec(await createFleetKey(await tempFolder()));
    const change = Array.from({ length: 20_000 }, () => Math.random().toString(36)).join("\n");
    const [sealed] = await codec.encode([payload(JSON.stringify([change, change, change, change]))]);
    const [empty] = await codec.encode([{}]);
    assert.ok(sealed?.data && empty);
    const opened = await codec.decode([sealed, empty]);
    const seen = Buffer.from(sealed.data);
    assert.deepEqual(
      {
        opened: opened.map(({ metadata, data }) => ({
          own: [...(metadata?.own ?? [])],
          same: Buffer.from(data ?? []).toString() === JSON.stringify([change, change, change, change]),
        })),
        plain: seen.includes(change.slice(0, 20)),
        isSmall: seen.length < change.length,
      },
      {
        opened: [
          { own: [0, 255, 10], same: true },
          { own: [], same: false },
        ],
        plain: false,
        isSmall: true,
      },
    );
  });

  it("is refused unless it was encrypted with the fleet's key", async () => {
    const [ours, theirs] = await Promise.all(
      [await tempFolder(), await tempFolder()].map(async (data) => createFleetCodec(await createFleetKey(data))),
    );
    assert.ok(ours && theirs);
    const [foreign] = await theirs.encode([payload("{}")]);
    const [own] = await ours.encode([payload("{}")]);
    assert.ok(foreign && own?.data);
    const changed = { ...own, data: own.data.map((byte, at) => (at === 30 ? byte ^ 1 : byte)) };
    const read = (one: Payload): Promise<string> =>
      ours.decode([one]).then(
        () => "read",
        () => "refused",
      );
    assert.deepEqual(
      {
        plain: await read(payload("{}")),
        foreign: await read(foreign),
        changed: await read(changed),
        own: await read(own),
      },
      { plain: "refused", foreign: "refused", changed: "refused", own: "read" },
    );
  });
});
