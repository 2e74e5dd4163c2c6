import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { getOutcomeText } from "../../../src/core/commands/outcome.ts";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { calling, headless, runProgram } from "../../support/headless.ts";
import { mailServers, PASSWORD } from "../../support/mail-servers.ts";
import { ofType } from "../../support/rehearsal.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { plant } from "../../support/trees.ts";
import { webServers } from "../../support/web-server.ts";

const server = serverForSuite();
const tempFolder = tempFolders();
const webServer = webServers();

const FINISH = calling("task_complete", { reason: "Done." });
const MESSAGE = { to: ["ann@example.com"], subject: "Hello", body: "The whole text." };

describe("our own plugins on the command line", () => {
  const servers = mailServers();

  const place = async () => ({
    baseUrl: server().baseUrl,
    workspace: await tempFolder(),
    data: await tempFolder(),
    env: { EMAIL_PASSWORD: PASSWORD },
  });
  const config = (value: object) => ["--set", `plugins.config=${JSON.stringify(value)}`];

  it("send mail only when a person has seen it, whatever else is allowed", async () => {
    const { port, delivered } = await servers.smtp();
    const account = config({ email: { user: "me@example.com", smtp: `127.0.0.1:${port}` } });
    const allowing = ["--task", "Write to Ann.", "--continuous", "9", "--yes-to", "send_email", "--json"];
    const outcomes = [];
    for (const typed of [undefined, ["y", "y", "y"]]) {
      server().plan(calling("send_email", MESSAGE), FINISH);
      const setting = { ...(await place()), ...(typed ? { typed } : {}) };
      const { events, stderr } = await headless(setting, ...allowing, ...account);
      const [ended] = ofType(events, "ended");
      outcomes.push([
        ended ? getOutcomeText(ended.outcome) : undefined,
        delivered.length,
        stderr.includes(MESSAGE.body),
      ]);
    }
    assert.deepEqual(
      { refused: outcomes[0]?.slice(1), sent: outcomes[1] },
      { refused: [0, false], sent: ["Sent to ann@example.com.", 1, true] },
    );
  });

  it("offer the operations of an API once its description is allowed, and not after it has changed", async () => {
    const { address, asked } = await webServer((_request, answer) => answer.end('{"name":"Rex"}'));
    const setting = await place();
    const description = (title: string) =>
      JSON.stringify({
        openapi: "3.0.0",
        info: { title },
        servers: [{ url: address }],
        paths: { "/pets/{id}": { get: { summary: "Finds a pet." } } },
      });
    await plant(setting.workspace, { "spec.json": description("Pets") });
    const api = [...config({ openapi: { pets: "spec.json" } }), "--set", "web.allowHosts=127.0.0.1"];
    const run = async () => {
      server().plan(calling("pets_get_pets_by_id", { id: "7" }), FINISH);
      const { events } = await headless(
        setting,
        ...["--task", "Find pet 7.", "--yes-to", "pets_get_pets_by_id", "--json"],
        ...api,
      );
      const [ended] = ofType(events, "ended");
      return ended?.outcome.status === "done" ? ended.outcome.source?.name : ended?.outcome.status;
    };
    const waiting = await run();
    const allowed = await runProgram(setting, "plugins", "allow", "openapi.pets", ...api);
    const used = await run();
    await plant(setting.workspace, { "spec.json": description("Other pets") });
    const changed = await run();
    assert.deepEqual(
      { waiting, code: allowed.code, used, changed, asked },
      {
        waiting: "failed",
        code: 0,
        used: `openapi.pets: ${address}`,
        changed: "failed",
        asked: ["GET /pets/7"],
      },
    );
  });

  it("keep the many operations of an API out of the prompt, where they are found and called as what they are", async () => {
    const { address, asked } = await webServer((_request, answer) => answer.end("teapot"));
    const setting = await place();
    const spec = await readFile(new URL("../../fixtures/httpbin-spec.json", import.meta.url), "utf8");
    await plant(setting.workspace, { "httpbin.json": spec });
    const api = [
      ...config({ openapi: { httpbin: { url: "httpbin.json", server: address } } }),
      ...["--set", "web.allowHosts=127.0.0.1"],
    ];
    await runProgram(setting, "plugins", "allow", "openapi.httpbin", ...api);
    server().plan(
      calling("find_tools", { query: "status codes" }),
      calling("call_tool", { name: "httpbin_get_status_by_codes", args: { codes: "418" } }),
      FINISH,
    );
    const { events, stderr } = await headless(
      { ...setting, typed: ["y", "y", "y"] },
      ...["--task", "Get a teapot.", "--json"],
      ...api,
    );
    const [started] = ofType(events, "started");
    const [found, called] = ofType(events, "ended").map(({ outcome }) => outcome);
    assert.deepEqual(
      {
        offered: started?.commands.filter(({ name }) => name.startsWith("httpbin_")),
        found: found && getOutcomeText(found).includes("httpbin_get_status_by_codes"),
        source: called?.status === "done" ? called.source?.name : called,
        card: stderr.includes(`GET ${address}/status/418`),
        asked,
      },
      {
        offered: [],
        found: true,
        source: `openapi.httpbin: ${address}`,
        card: true,
        asked: ["GET /status/418"],
      },
    );
  });
});
