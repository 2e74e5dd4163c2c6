import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FleetClient } from "../../../../src/fleet/client/fleet-client.ts";
import type { FleetEvent } from "../../../../src/fleet/engine.ts";
import { createFleetKey } from "../../../../src/fleet/key.ts";
import type { DisplayError } from "../../../../src/texts/display-text.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

/** A client that dies after the first line that it reports, as long as a file says so, and otherwise reports what it was asked. */
const PLAYED = `
import { existsSync, rmSync } from "node:fs";
const dying = process.argv[1] + ".dies";
process.on("message", ({ id, method, args, abort }) => {
  if (abort) return;
  if (method === "stop") return process.send({ id, isAnswered: true, value: undefined });
  if (method !== "watch") return process.send({ id, isAnswered: true, value: { method, args, pid: process.pid } });
  const [run, log] = args;
  process.send({ id, event: { type: "stored", line: "after " + JSON.stringify(log) } }, () => {
    if (!existsSync(dying)) return process.send({ id, isAnswered: true });
    rmSync(dying);
    process.exit(3);
  });
});
process.on("disconnect", () => process.exit());
`;

describe("the client of fleets", () => {
  const tempFolder = tempFolders();
  const signal = AbortSignal.timeout(60_000);
  const clients: FleetClient[] = [];

  function openClient(program: string, idleMs?: number): FleetClient {
    const client = new FleetClient(program, idleMs === undefined ? {} : { idleMs });
    clients.push(client);
    return client;
  }

  async function playClient({ dies = false, idleMs }: { readonly dies?: boolean; readonly idleMs?: number } = {}) {
    const program = join(await tempFolder(), "client.mjs");
    await writeFile(program, PLAYED);
    if (dies) await writeFile(`${program}.dies`, "");
    const client = openClient(program, idleMs);
    const fleet = { name: "temporal://box:7233", folder: "/work", data: "/data", sender: "Ada" };
    return { client, engine: client.open(fleet) };
  }

  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  it("is one process for all calls, which is there from the first call on", async () => {
    const { client, engine } = await playClient();
    const before = client.isStarted;
    const answers = await Promise.all([engine.list(signal), engine.readLog("r", signal)]);
    const [first, second] = answers as unknown as readonly { readonly pid: number; readonly args: unknown }[];

    assert.deepEqual(
      { before, after: client.isStarted, same: first?.pid === second?.pid, asked: [first?.args, second?.args] },
      { before: false, after: true, same: true, asked: [[], ["r"]] },
    );
  });

  it("is started again when it dies, and reads on from where it stopped", async () => {
    const { engine } = await playClient({ dies: true });
    const events: FleetEvent[] = [];
    for await (const event of engine.watch("r", "one\n", signal)) events.push(event);

    assert.deepEqual(events, [
      { type: "stored", line: 'after "one\\n"' },
      {
        type: "connection",
        isLost: true,
        why: "The program that speaks to the fleet has ended (3). The runs there continue; try again, and reload the window if that doesn't help.",
      },
      { type: "connection", isLost: false },
      { type: "stored", line: 'after "one\\nafter \\"one\\\\n\\"\\n"' },
    ]);
  });

  it("reports the end of a call that has no answer", async () => {
    const { engine } = await playClient();

    assert.equal(await engine.stop("r", signal), undefined);
  });

  it("ends once nothing is asked any more", async () => {
    const { client, engine } = await playClient({ idleMs: 1 });
    await engine.list(signal);
    while (client.isStarted) await new Promise((resolve) => setTimeout(resolve, 5));

    assert.equal(client.isStarted, false);
  });

  it("passes on a sentence of the engine", async () => {
    const data = await tempFolder();
    await createFleetKey(data);
    const program = fileURLToPath(new URL("../../../../src/fleet/client/client-program.ts", import.meta.url));
    const engine = openClient(program).open({ name: "temporal://box/one/two", folder: data, data, sender: "Ada" });
    const why = await engine.list(signal).catch((error: DisplayError) => error.text);

    assert.deepEqual(why, { code: "temporal.badAddress", parameters: { text: "temporal://box/one/two" } });
  });
});
