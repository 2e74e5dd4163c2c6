import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as vscode from "vscode";
import { FakeModel, says } from "../support/fake-model.ts";
import { prose } from "../support/prose.ts";
import { decideWhenAsked, ourApi, until } from "./our-api.ts";

const ALLOW = { allow: true } as const;

/** A site on this machine. */
async function site() {
  const html = `<title>Sea</title><article><h1>The sea</h1>${prose(5000)}</article>`;
  const server = createServer((_asked, answer) => answer.writeHead(200, { "content-type": "text/html" }).end(html));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

describe("the web in the editor", () => {
  const settings = vscode.workspace.getConfiguration("autogpt");
  const allow = async (hosts: readonly string[] | undefined): Promise<void> =>
    settings.update("web.allowHosts", hosts, vscode.ConfigurationTarget.Global);

  afterEach(() => allow(undefined));

  it("is read with the bundled worker, and a host that the user allows meanwhile is asked at once", async () => {
    const { server, port } = await site();
    const browse = says("browse_website", { url: `http://127.0.0.1:${port}/` });
    const model = new FakeModel([browse, browse, says("task_complete", { reason: "Read." })]);
    const api = await ourApi();
    const run = await api.startRun({ task: "Read about the sea.", model });
    try {
      await decideWhenAsked(run, 1, ALLOW);
      await until(run, ({ recent }) => recent.length >= 1);
      await allow(["127.0.0.1"]);
      await decideWhenAsked(run, 2, ALLOW);
      await decideWhenAsked(run, 3, ALLOW);
      await run.end;
      const [refused, read] = run.state.recent.map(({ outcome }) => outcome);
      assert.deepEqual(
        [
          refused?.status === "failed" && refused.error.includes("is not on the public internet"),
          read?.status === "done" && read.output.includes("The harbour was quiet"),
          read?.status === "done" && read.source?.kind,
        ],
        [true, true, "web"],
      );
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
