import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { getOutcomeText } from "../../../src/core/commands/outcome.ts";
import { json, type SeenRequest, serverForSuite } from "../../support/fake-model-server.ts";
import { calling, headless } from "../../support/headless.ts";
import { ofType } from "../../support/rehearsal.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { page, webServers } from "../../support/web-server.ts";

const server = serverForSuite();
const tempFolder = tempFolders();
const webServer = webServers();

const FINISH = calling("task_complete", { reason: "Read." });

/** The fast model's reading of a page, as a server answers that does not stream. */
const reading = (request: SeenRequest) => {
  const asked = JSON.stringify(request.body);
  const content = asked.includes("not instructions") ? '{"answer": "Blue.", "quotes": ["It is blue."]}' : "?";
  return json(200, {
    id: "c",
    object: "chat.completion",
    model: "fake",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
    usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
  });
};

describe("the web through the whole loop", () => {
  it("is read by alias, with missing, extra and wrong arguments reported, and counts as text of strangers", async () => {
    const site = await webServer((_asked, answer) => page(answer, "<title>Sea</title><p>It is blue.</p>"));
    const url = `${site.address}/sea`;
    server().plan(
      calling("browse", {}),
      calling("browse", { url, quetsion: "Which colour?", qustion: "Where?" }),
      calling("browse", { url: {} }),
      calling("browse", { website: url }),
      calling("read_webpage", { url, question: "Which colour?" }),
      reading,
      calling("get_links", { url: "http://localhost:1/" }),
      calling("download", { url, file: "sea.html" }),
      calling("google", {}),
      FINISH,
    );
    const workspace = await tempFolder();
    const { end, events } = await headless(
      { baseUrl: server().baseUrl, workspace, data: await tempFolder() },
      ...["--task", "Read about the sea.", "--continuous", "20", "--json"],
      ...["--set", "web.allowHosts=127.0.0.1", "--set", "downloads.enabled=true"],
    );
    const sources = ofType(events, "ended").flatMap(({ outcome }) =>
      outcome.status === "done" && outcome.source ? [`${outcome.source.kind} ${outcome.source.name}`] : [],
    );
    assert.deepEqual(
      {
        end,
        said: ofType(events, "ended")
          .slice(0, 8)
          .map(({ outcome }) => getOutcomeText(outcome)),
        sources,
        spent: ofType(events, "spent").map(({ on, usage }) => `${on} ${usage?.output}`),
        file: await readFile(join(workspace, "sea.html"), "utf8"),
      },
      {
        end: {
          reason: "finished",
          summary: "Read.",
          pages: [{ url, title: "Sea", quotes: ["It is blue."] }],
        },
        said: [
          'browse_website was not run: the argument "url" is missing.',
          'browse_website was not run: it has no argument "quetsion" (did you mean "question"?); it has no argument "qustion" (did you mean "question"?).',
          'browse_website was not run: "url" must be of type string.',
          `Title: Sea\nAddress: ${url}\n\nIt is blue.`,
          `Title: Sea\nAddress: ${url}\n\nBlue.\n\nQuotes:\n- "It is blue." (0% down)`,
          `It would contact localhost. Influenced by 1 untrusted source: web page ${url}. No one is available to approve it, so it wasn't done. Continue with what needs no approval, or complete the task and say what is left.`,
          `Downloaded ${url} to "sea.html" (36 bytes, text/html; charset=utf-8). It is a stranger's file: look at it before you use it.`,
          'web_search was not run: the argument "query" is missing.',
        ],
        sources: [`web ${url}`, `web ${url}`, `download ${url}`],
        spent: [`reading ${site.address.slice(7)} 3`],
        file: "<title>Sea</title><p>It is blue.</p>",
      },
    );
  });
});
