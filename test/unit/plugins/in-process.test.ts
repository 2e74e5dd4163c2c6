import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isPrepared } from "../../../src/core/commands/command.ts";
import { formatSecretAddress } from "../../../src/plugins/call-context.ts";
import type { Plugin, PluginCommand } from "../../../src/plugins/plugin.ts";
import { pluginBench } from "../../support/plugin-bench.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { plant, type Tree } from "../../support/trees.ts";
import { webServers } from "../../support/web-server.ts";

describe("a plugin that is an object", () => {
  const tempFolder = tempFolders();
  const server = webServers();

  const offering = async (commands: readonly PluginCommand[], tree: Tree = {}, web = {}) => {
    const folder = await tempFolder();
    await plant(folder, tree);
    const plugin: Plugin = { id: "mine", name: "Mine", offer: () => ({ commands }) };
    const keys = { [formatSecretAddress("mine", "pass word")]: "hidden" };
    const settings = { web, plugins: { config: { mine: { a: 1 } } } };
    return { folder, ...(await pluginBench(plugin, folder, settings, keys)) };
  };

  const ANYTHING = { type: "object", properties: { to: { type: "string" }, file: { type: "string" } } };
  const DESCRIBED = { name: "deliver", description: "Delivers.", parameters: ANYTHING };

  it("shows what it would do and every argument that its words leave out, and names its sources", async () => {
    const bench = await offering([
      {
        ...DESCRIBED,
        prepare: ({ to }) => ({
          text: `Deliver to ${to}.`,
          hosts: ["post.example"],
          publishes: true,
          asks: "It can't be taken back.",
          run: () => ({ text: "Delivered.", source: "the postman" }),
        }),
      },
    ]);
    const plain = await bench.prepare("deliver", { to: "Ann" });
    const hiding = await bench.prepare("deliver", { to: "Ann", file: "evil\u200b.txt" });
    assert.ok(isPrepared(plain) && isPrepared(hiding));
    const { effect, preview, hosts, publishes, onlyByUser } = plain;
    assert.deepEqual(
      {
        effect,
        preview,
        hosts,
        publishes,
        onlyByUser,
        hiding: hiding.preview,
        outcome: await bench.run(plain),
      },
      {
        effect: "run",
        preview: { kind: "details", text: "Plugin Mine: deliver\nDeliver to Ann." },
        hosts: ["post.example"],
        publishes: true,
        onlyByUser: { rule: "plugin-asks", reason: "It can't be taken back." },
        hiding: {
          kind: "details",
          text: 'Plugin Mine: deliver\nDeliver to Ann.\n\nArguments: {\n  "to": "Ann",\n  "file": "evil⟨U+200B⟩.txt"\n}',
        },
        outcome: {
          status: "done",
          output: "Delivered.",
          source: { kind: "tool", name: "Mine: the postman" },
        },
      },
    );
  });

  it("reads files of the workspace by its rules, and does nothing once one of them has changed", async () => {
    const sent: string[] = [];
    const bench = await offering(
      [
        {
          ...DESCRIBED,
          async prepare({ file }, { readFile }) {
            const { label, bytes } = await readFile(String(file));
            return {
              text: `Deliver ${label}.`,
              run: () => `Sent ${sent.push(Buffer.from(bytes).toString())}`,
            };
          },
        },
      ],
      { "a.txt": "one" },
    );
    const outside = await bench.prepare("deliver", { file: "../../etc/passwd" });
    const first = await bench.prepare("deliver", { file: "a.txt" });
    assert.ok(isPrepared(first));
    const done = await bench.run(first);
    await writeFile(join(bench.folder, "a.txt"), "two");
    const stale = await bench.run(first);
    assert.deepEqual(
      {
        outside: isPrepared(outside) ? "prepared" : outside.status,
        touches: first.touches,
        fresh: await first.fresh(),
        statuses: [done.status, stale.status],
        sent,
      },
      {
        outside: "failed",
        touches: [{ path: join(bench.folder, "a.txt"), how: "read" }],
        fresh: false,
        statuses: ["done", "failed"],
        sent: ["one"],
      },
    );
  });

  it("gets its own settings and secrets, and asks only hosts that the user allows", async () => {
    const { address } = await server((_asked, answer) => answer.end("hello"));
    const command: PluginCommand = {
      ...DESCRIBED,
      async run(_args, { config, secret, fetch }) {
        const secrets = [await secret("pass word"), await secret("other")];
        const said = await fetch(address).then(
          ({ bytes }) => Buffer.from(bytes).toString(),
          () => "refused",
        );
        return JSON.stringify([config, secrets, said]);
      },
    };
    const outputs = [];
    for (const allowHosts of [["127.0.0.1"], []]) {
      const bench = await offering([command], {}, { allowHosts });
      const prepared = await bench.prepare("deliver", {});
      assert.ok(isPrepared(prepared));
      const outcome = await bench.run(prepared);
      outputs.push(outcome.status === "done" ? outcome.output : outcome);
    }
    assert.deepEqual(outputs, ['[{"a":1},["hidden",null],"hello"]', '[{"a":1},["hidden",null],"refused"]']);
  });

  it("fails in its own words, quoted as its own", async () => {
    const bench = await offering([
      {
        ...DESCRIBED,
        prepare: () => {
          throw new Error("There is no such street.");
        },
      },
    ]);
    assert.deepEqual(await bench.prepare("deliver", {}), {
      status: "failed",
      error: "There is no such street.",
      source: { kind: "tool", name: "Mine: deliver" },
    });
  });
});
