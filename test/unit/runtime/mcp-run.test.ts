import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { completeProfile } from "../../../src/core/prompt/profile.ts";
import { PluginCatalog } from "../../../src/plugins/catalog.ts";
import { McpSource } from "../../../src/plugins/mcp/mcp-source.ts";
import { createRunStoreForHomes } from "../../../src/runs/store/run-store.ts";
import { beginRun } from "../../../src/runtime/compose-run.ts";
import { FakeModel, says } from "../../support/fake-model.ts";
import { mcpParts, type PlayedServer, playedServer } from "../../support/mcp-servers.ts";
import { ofType } from "../../support/rehearsal.ts";
import { sampleOwner } from "../../support/sample-run.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { TEST_SETTINGS, testHost } from "../../support/test-host.ts";

const tempFolder = tempFolders();
const TASK = "Use the tools.";
const FINISH = says("task_complete", { reason: "Done." });

/** A whole run with these servers, whose user allows what is asked. */
async function runWith(
  servers: Readonly<Record<string, PlayedServer>>,
  answers: ConstructorParameters<typeof FakeModel>[0],
) {
  const [folder, data] = [await tempFolder(), await tempFolder()];
  const entries = Object.entries(servers).map(async ([name, played]) => {
    const file = join(data, `${name}.json`);
    await writeFile(file, JSON.stringify(played));
    return [name, playedServer(file)] as const;
  });
  const settings = { ...TEST_SETTINGS, mcp: { servers: Object.fromEntries(await Promise.all(entries)) } };
  const { host: mcp } = mcpParts(data);
  const source = new McpSource(mcp);
  const plugins = new PluginCatalog([source], mcp.consents, "commandLine");
  const place = { folder, isTrusted: true, settings };
  for (const { plugin } of await plugins.list(place)) await plugins.answer(plugin, folder, true);
  const model = new FakeModel(answers);
  const asked: string[] = [];
  const host = testHost({
    data,
    models: { smart: model, fast: model },
    settings,
    approver: {
      isPresent: true,
      isPatient: false,
      createApprover: () => ({
        decide: async ({ proposal, prepared }) => {
          const shown = prepared.preview.kind === "details" ? prepared.preview.text : "";
          asked.push(`${proposal.call.name}: ${shown.replace(/\n[\s\S]*?(?=\n\{)/, "")}`);
          return { decision: { allow: true }, by: "user", reason: "The user allowed it." };
        },
      }),
      findUser: () => undefined,
      listRules: () => [],
    },
    plugins,
  });
  const began = performance.now();
  const profile = completeProfile(TASK);
  const models = { smart: model, fast: model };
  const run = await beginRun(host, { task: TASK, profile, folder, settings, models, mode: "ask" });
  const waited = performance.now() - began;
  run.live.resume();
  await run.live.end;
  await run.dispose();
  await source.close();
  const { events } = await createRunStoreForHomes([join(folder, ".autogpt")], sampleOwner()).open(run.id);
  return { events, model, asked, waited };
}

describe("MCP servers around a run", function () {
  this.timeout(30_000);

  it("offer a few tools in each prompt", async () => {
    const { events, asked } = await runWith({ s: { tools: [{ name: "echo" }] } }, [says("s__echo", { a: 1 }), FINISH]);

    const [ended] = ofType(events, "ended");

    assert.deepEqual(
      { asked, outcome: ended?.outcome },
      {
        asked: ['s__echo: MCP server s: echo\n{\n  "a": 1\n}'],
        outcome: {
          status: "done",
          output: '{"a":1}',
          source: { kind: "tool", name: "MCP server s: echo" },
          summary: { code: "results.tool", parameters: { text: '{"a":1}' } },
        },
      },
    );
  });

  it("have many tools found and called, while the head of the prompts stays the same", async () => {
    const tools = Array.from({ length: 100 }, (_, n) => ({
      name: `paint_${n}`,
      description: `Paints a door in color ${n}.`,
    }));
    const { events, asked, model } = await runWith({ s: { tools } }, [
      says("find_tools", { query: "door in color 77" }),
      says("call_tool", { name: "s__paint_77", args: { wide: true } }),
      FINISH,
    ]);

    const heads = new Set(
      model.requests.map(({ messages, tools: offered }) => JSON.stringify([messages.slice(0, 2), offered])),
    );
    const [found, painted] = ofType(events, "ended").map(({ outcome }) => outcome);
    const [, call] = ofType(events, "replied").map(({ reply }) => reply.kind === "proposal" && reply.call.name);

    assert.deepEqual(
      {
        heads: heads.size,
        first: "output" in (found ?? {}) && /s__paint_77: /.test(JSON.stringify(found)),
        changed: ofType(events, "changed").flatMap(({ commands = [] }) => commands),
        call,
        asked,
        painted: painted?.status,
        names: JSON.stringify([...heads]).includes("paint_1"),
      },
      {
        heads: 1,
        first: true,
        changed: [],
        call: "s__paint_77",
        asked: ['s__paint_77: MCP server s: paint_77\n{\n  "wide": true\n}'],
        painted: "done",
        names: false,
      },
    );
  });

  it("that never answer hold up the first prompt for three seconds", async () => {
    const silent = { tools: [], isSilent: true };
    const { model, waited } = await runWith({ s: { tools: [{ name: "echo" }] }, silent }, [FINISH]);

    const text = JSON.stringify(model.requests[0]);

    assert.deepEqual(
      [waited < 20_000, text.includes("s__echo"), /MCP server \\+"silent\\+" isn't ready yet/.test(text)],
      [true, true, true],
    );
  });
});
