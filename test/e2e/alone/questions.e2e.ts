import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { eventually } from "../support/eventually.ts";
import { THEMES } from "../support/pictures.ts";
import { decisions, startRun } from "../support/runs.ts";
import { openStage } from "../support/stage.ts";
import { shell } from "../support/steps.ts";
import { answerToast, openViewContainer } from "../support/workbench.ts";

describe("a question of a run that isn't in view", () => {
  const posts: { readonly question: string; readonly link: string }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += String(chunk);
    });
    request.on("end", () => {
      posts.push(JSON.parse(body));
      response.end();
    });
  });

  before(async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(0, "127.0.0.1", resolve);
    await promise;
  });

  after(() => void server.close());

  it("is a notification with its buttons, a count, and one POST to the user's address, whose link only names the run", async () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const stage = await openStage({ settings: { ...THEMES.ofSystem, "autogpt.notify.url": url } });
    const { page, folder } = stage;
    const thinking = Promise.withResolvers<void>();
    await startRun(stage, "Call", shell("echo from afar", { until: thinking.promise }));
    await openViewContainer(page, "Explorer");
    thinking.resolve();
    await page.locator(".activitybar .badge-content", { hasText: "1" }).first().waitFor();
    await eventually("A post", () => posts.length > 0);
    await answerToast(page, "Call: run this command? echo from afar", "Approve");
    await eventually("A decision", () => decisions(folder).length > 0);

    const [post] = posts;
    const decided = decisions(folder);
    await stage.close();
    assert.deepEqual(
      {
        posts: posts.length,
        question: post?.question,
        link: post?.link.replace(/\d{8}_\d{6}_[\w-]+$/, "RUN").replace(/^[\w-]+:/, "editor:"),
        decided,
      },
      {
        posts: 1,
        question: "Call: run this command? echo from afar",
        link: "editor://autogpt-vscode.autogpt/run?id=RUN",
        decided: ["1 allowed by user"],
      },
    );
  });
});
