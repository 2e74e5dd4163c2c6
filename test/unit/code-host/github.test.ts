import assert from "node:assert/strict";
import type { CodeHost } from "../../../src/code-host/code-host.ts";
import { listCodeServers } from "../../../src/code-host/servers.ts";
import { openPlayed } from "../../support/code-hosts.ts";
import { type GitHubRepository, type GitHubServer, githubServer } from "../../support/github-server.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const temp = tempFolders();
const { signal } = new AbortController();

describe("GitHub by its API", () => {
  let played: GitHubServer;
  let repository: GitHubRepository;

  beforeEach(async () => {
    played = await githubServer(await temp());
    repository = played.addRepository("octo/tool", {
      checks: [
        {
          id: 7,
          name: "test",
          conclusion: "failure",
          details_url: null,
          html_url: "https://x/7",
          app: { slug: "github-actions" },
          output: {},
        },
        { id: 8, name: "lint", conclusion: "success", html_url: "https://x/8", output: {} },
        {
          id: 9,
          name: "cloud",
          conclusion: "timed_out",
          html_url: "https://x/9",
          app: { slug: "cloud" },
          output: { title: "Took too long" },
        },
      ],
      jobs: {
        7: {
          job: { id: 7, run_id: 70, name: "test", steps: [{ name: "Run npm test", conclusion: "failure" }] },
          log: "one\ntwo\n",
        },
      },
      runs: { 70: { id: 70, path: ".github/workflows/ci.yml@refs/heads/main" } },
      threads: [
        {
          isResolved: true,
          path: "a.ts",
          line: 1,
          comments: { nodes: [{ databaseId: 1, body: "Done", url: "u", author: null }] },
        },
        {
          isResolved: false,
          path: "b.ts",
          line: null,
          comments: { nodes: [{ databaseId: 2, body: "Why?", url: "u2", author: { login: "rev" } }] },
        },
      ],
    });
    repository.issues.set(13, { title: "A pull request", body: null, isPull: true });
    repository.issues.set(14, { title: "Gone", body: "", isDeleted: true });
  });

  afterEach(() => played.close());

  async function open(): Promise<CodeHost> {
    const server = listCodeServers({ enterprise: `${played.web}/api/v3` }).at(-1);
    assert.ok(server);
    return openPlayed({ server, owner: "octo", name: "tool" }, "good-token");
  }

  it("knows a pull request in place of an issue by its address", async () => {
    const { kind, address, body } = await (await open()).readIssue({ number: 13, isMergeRequest: false }, signal);
    assert.deepEqual(
      { kind, address, body },
      { kind: "pull request", address: `${played.web}/octo/tool/pull/13`, body: "" },
    );
  });

  it("lists the failed checks of all pages, and knows whose logs can be read", async () => {
    const checks = await (await open()).listFailedChecks("abc", signal);
    assert.deepEqual(
      checks.map(({ name, job, summary }) => ({ name, job, summary })),
      [
        { name: "test", job: 7, summary: "" },
        { name: "cloud", job: undefined, summary: "Took too long" },
      ],
    );
  });

  it("reads a log from the other origin without the token", async () => {
    const host = await open();
    const [job, log] = [await host.readJob(7, signal), await host.readLog(7, signal)];
    assert.deepEqual(
      {
        job,
        log,
        sent: played.logCalls.map(({ authorization }) => authorization),
        expired: await host.readLog(9, signal),
      },
      {
        job: { kind: "github", failedSteps: ["Run npm test"], workflow: ".github/workflows/ci.yml" },
        log: "one\ntwo\n",
        sent: [undefined],
        expired: undefined,
      },
    );
  });

  it("reads unresolved conversations, and sends a reply to one", async () => {
    const host = await open();
    const threads = await host.listReviewThreads(5, signal);
    assert.deepEqual(
      { threads, reply: await host.sendReply(5, "2", "Because.", signal) },
      {
        threads: [
          { replyTo: "2", file: "b.ts", line: undefined, comments: [{ author: "rev", body: "Why?" }], address: "u2" },
        ],
        reply: `${played.web}/octo/tool/pull/5#discussion_r99`,
      },
    );
  });

  it("says that an issue was deleted", async () => {
    const reading = (await open()).readIssue({ number: 14, isMergeRequest: false }, signal);
    await assert.rejects(reading, /#14 of octo\/tool was deleted/);
  });

  const FAILURES: readonly (readonly [string, number, object, Readonly<Record<string, string>>, number, RegExp])[] = [
    [
      "a rate limit",
      403,
      { message: "API rate limit exceeded" },
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" },
      1,
      /Try again in 1 second\./,
    ],
    [
      "a secondary limit",
      403,
      { message: "You have exceeded a secondary rate limit." },
      { "retry-after": "30" },
      1,
      /Try again in 30 seconds\./,
    ],
    [
      "an organization that demands more",
      403,
      { message: "Resource protected by SAML" },
      {},
      1,
      /says: Resource protected by SAML\. Ask an owner/,
    ],
  ];

  for (const [what, status, body, headers, times, expected] of FAILURES)
    it(`says what to do about ${what}`, async () => {
      const host = await open();
      played.failNext(status, body, headers, times);
      await assert.rejects(host.readFacts(signal), expected);
    });
});
