import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findApi, readDocuments } from "../../packages/openapi/src/openapi-plugin.ts";
import { isPrepared } from "../../src/core/commands/command.ts";
import { formatSecretAddress } from "../../src/plugins/call-context.ts";
import { StoredDescriptions } from "../../src/plugins/own/stored-descriptions.ts";
import { type PluginBench, pluginBench } from "../support/plugin-bench.ts";
import { type PythonServer, pythonWith, startServer } from "../support/python-servers.ts";
import { webServers } from "../support/web-server.ts";

const VARIABLE = "AUTOGPT_HTTPBIN_PYTHON";
const SERVE = "import sys; from httpbin import app; app.run(port=int(sys.argv[1]))";
const PLACE = { folder: "/", allowHosts: ["127.0.0.1"] };

describe("the operations of the real httpbin", function () {
  this.timeout(120_000);
  let httpbin: PythonServer | undefined;
  let folder = "";
  let origin = "";
  let bench: PluginBench;
  const server = webServers();

  before(async function () {
    const python = pythonWith("httpbin", VARIABLE);
    if (python === undefined) {
      console.log(
        `      Skipped: no httpbin. Install it with pip install "httpbin[mainapp]==0.10.4", and name its Python in ${VARIABLE}.`,
      );
      return this.skip();
    }
    folder = mkdtempSync(join(tmpdir(), "httpbin-"));
    httpbin = await startServer(python, (port) => ["-c", SERVE, String(port)], { path: "/get" });
    origin = new URL(httpbin.baseUrl).origin;
    const documents = await new StoredDescriptions(join(folder, "kept"), readDocuments).read(
      `${origin}/spec.json`,
      PLACE,
    );
    const api = findApi(documents, { name: "httpbin", server: origin, variables: {}, paths: [] }, origin);
    const keys = { [formatSecretAddress("openapi.httpbin", origin)]: "me:secret" };
    const plugin = api.createPlugin("openapi.httpbin");
    bench = await pluginBench(plugin, folder, { web: { allowHosts: ["127.0.0.1"] } }, keys);
  });
  after(async () => {
    await httpbin?.close();
    if (folder !== "") rmSync(folder, { recursive: true });
  });

  const answered = async (name: string, args: Readonly<Record<string, unknown>>): Promise<string> => {
    const outcome = await bench.call(name, args);
    return outcome.status === "done" ? outcome.output : JSON.stringify(outcome);
  };

  it("are those of the description that the unit tests use", async () => {
    const kept = JSON.parse(readFileSync(new URL("../fixtures/httpbin-spec.json", import.meta.url), "utf8"));
    const now = await (await fetch(`${origin}/spec.json`)).json();
    assert.deepEqual({ count: bench.specs.length, paths: now.paths }, { count: 78, paths: kept.paths });
  });

  it("answer calls with what was sent", async () => {
    const json = async (name: string, args: Readonly<Record<string, unknown>>): Promise<unknown> =>
      JSON.parse((await answered(name, args)).replace(/^HTTP[\s\S]*?\n\n/, ""));
    const anything = await json("httpbin_post_anything_by_anything", { anything: "a b&c" });
    const cookies = await json("httpbin_get_cookies_set_by_name_by_value", { name: "a", value: "b" });
    const status = await answered("httpbin_get_status_by_codes", { codes: "418" });
    const bytes = await answered("httpbin_get_bytes_by_n", { n: 2_000 });
    assert.deepEqual(
      {
        anything: [Object(anything).method, Object(anything).url],
        cookies,
        status: status.split("\n")[0],
        bytes: bytes.split("\n")[0],
      },
      {
        anything: ["POST", `${origin}/anything/a%20b&c`],
        cookies: { cookies: {} },
        status: "HTTP 418, 135 bytes",
        bytes: "HTTP 200, 2000 bytes",
      },
    );
  });

  it("get no key after a redirect to another origin, and none unless they want one", async () => {
    const seen: unknown[] = [];
    const other = await server((asked, answer) => {
      seen.push(asked.headers.authorization);
      answer.end("hello");
    });
    const prepared = await bench.prepare("httpbin_get_redirect_to", { url: `${other.address}/x` });
    assert.ok(isPrepared(prepared));
    const { status } = await bench.run(prepared);
    assert.deepEqual({ status, seen }, { status: "done", seen: [undefined] });
  });
});
