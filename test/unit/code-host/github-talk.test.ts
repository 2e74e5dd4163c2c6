import assert from "node:assert/strict";
import { GitHubTalk } from "../../../src/code-host/github-talk.ts";
import { findRemoteRepository } from "../../../src/code-host/remotes.ts";
import { listCodeServers } from "../../../src/code-host/servers.ts";
import { githubServer } from "../../support/github-server.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const temp = tempFolders();
const { signal } = new AbortController();

describe("the comments on an issue of GitHub", () => {
  it("are read from the newest backward, up to a limit", async () => {
    const played = await githubServer(await temp());
    try {
      const { issues } = played.addRepository("octo/tool");
      const write = (count: number) =>
        Array.from({ length: count }, (_, at) => ({ login: "ada", body: `comment ${at + 1}` }));
      for (const [at, count] of [0, 100, 250, 1310].entries())
        issues.set(at + 1, { title: "Talk", body: "", comments: write(count) });
      const repository = findRemoteRepository(`${played.web}/octo/tool`, listCodeServers({ enterprise: played.web }));
      assert.ok(repository);
      const load = () => import("../../../src/code-host/octokit-client.ts");
      const talk = await GitHubTalk.open(repository, "good-token", load, signal);
      const list = async (issue: number) => {
        const bodies = (await talk.listComments(issue)).map(({ body }) => body);
        return [bodies.length, bodies[0], bodies.at(-1)];
      };
      assert.deepEqual(
        { none: await list(1), one: await list(2), some: await list(3), many: await list(4) },
        {
          none: [0, undefined, undefined],
          one: [100, "comment 1", "comment 100"],
          some: [250, "comment 1", "comment 250"],
          many: [1010, "comment 301", "comment 1310"],
        },
      );
    } finally {
      await played.close();
    }
  });
});
