import assert from "node:assert/strict";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { calling, headless } from "../../support/headless.ts";
import { findTestBrowser } from "../../support/real-browser.ts";
import { ofType } from "../../support/rehearsal.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { page, webServers } from "../../support/web-server.ts";

const model = serverForSuite();
const tempFolder = tempFolders();
const DONE = calling("task_complete", { reason: "Looked." });

describe("a run that uses the browser", function () {
  this.timeout(60_000);
  const server = webServers();
  let program: string | undefined;

  before(async function () {
    program = await findTestBrowser();
    if (program === undefined) this.skip();
  });

  const run = async (typed: readonly string[], ...flags: readonly string[]) => {
    const place = { baseUrl: model().baseUrl, workspace: await tempFolder(), data: await tempFolder(), typed };
    const set = ["--set", `web.browser=${program}`, "--set", "memory.enabled=false"];
    const { events, end } = await headless(place, "--task", "Look.", "--json", ...set, ...flags);
    const decided = ofType(events, "decided").map(({ by, rule, allow }) => `${allow} ${by} ${rule}`);
    const ended = ofType(events, "ended").map(({ outcome }) => outcome);
    return { decided, ended, end: end.reason };
  };

  it("finds its commands, is asked once for an origin of this machine, and shows the model a picture", async () => {
    const { port } = await server((_asked, answer) =>
      page(answer, `<title>Shop</title><button onclick="console.error('boom')">Buy</button>`),
    );
    model().plan(
      calling("find_tools", { query: "browser page click screenshot" }),
      calling("open_page", { url: `localhost:${port}` }),
      calling("click", { ref: "e2" }),
      calling("type_text", { ref: "e2", press: "Enter" }),
      calling("screenshot"),
      DONE,
    );
    const asked = model().requests.length;
    const { decided, ended, end } = await run(["y"]);
    const prompts = model()
      .requests.slice(asked)
      .flatMap(({ body }) => body ?? []);
    const offers = prompts.map(({ messages: [head] }) => JSON.stringify(head).includes("open_page"));
    assert.deepEqual(
      {
        end,
        decided: decided.slice(1, -1),
        offers: [offers[0], offers.at(-1)],
        pictures: JSON.stringify(prompts.at(-1)).split('"type":"image_url"').length - 1,
        sources: ended.map((outcome) => "source" in outcome && outcome.source?.kind).slice(1, -1),
        error: ended.some((outcome) => outcome.status === "done" && outcome.output.includes("[error] boom")),
      },
      {
        end: "finished",
        decided: [
          "true user local-origin",
          "true rule approved-origin",
          "true rule approved-origin",
          "true rule no-effect",
        ],
        offers: [false, true],
        pictures: 1,
        sources: ["web", "web", "web", "web"],
        error: true,
      },
    );
  });

  it("opens no page of this machine without a person's yes, whatever is approved in advance", async () => {
    const { port, asked } = await server((_asked, answer) => page(answer, "secret"));
    model().plan(calling("open_page", { url: `http://localhost:${port}/` }), calling("read_page"), DONE);
    const { decided, ended } = await run([], "--continuous", "20");
    assert.deepEqual(
      { decided: decided[0], asked, read: ended[1]?.status === "failed" && ended[1].error },
      {
        decided: "false rule local-origin",
        asked: [],
        read: "No page is open in the browser. Open one with open_page.",
      },
    );
  });

  it("opens one that the user's setting names under a grant, and gives no page a file that may hold secrets", async () => {
    const { port } = await server((_asked, answer) => page(answer, `<input type="file">`));
    model().plan(
      calling("write_to_file", { filename: "id_rsa", contents: "key" }),
      calling("open_page", { url: `http://localhost:${port}/` }),
      calling("click", { ref: "e2", file: "id_rsa" }),
      DONE,
    );
    const allowed = ["--set", `web.allowHosts=localhost:${port}`];
    const { decided, ended } = await run(["y"], "--continuous", "20", ...allowed);
    assert.deepEqual(
      { decided: decided[1], refused: ended[2]?.status === "failed" && ended[2].error },
      {
        decided: "true continuous continuous",
        refused: '"id_rsa" may hold secrets, so no page gets it. Take another file.',
      },
    );
  });
});
