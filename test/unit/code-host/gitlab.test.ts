import assert from "node:assert/strict";
import { join } from "node:path";
import type { CodeHost } from "../../../src/code-host/code-host.ts";
import { SignedOutError } from "../../../src/code-host/failures.ts";
import { quoteIssue } from "../../../src/code-host/issue-text.ts";
import { listCodeServers } from "../../../src/code-host/servers.ts";
import { openPlayed } from "../../support/code-hosts.ts";
import { type GitLabServer, gitlabServer } from "../../support/gitlab-server.ts";
import { git, makeRepository } from "../../support/repositories.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const temp = tempFolders();
const { signal } = new AbortController();

const note = (id: number, body: string, more: object = {}) => ({
  id,
  body,
  system: false,
  resolvable: true,
  resolved: false,
  author: { username: "rev" },
  ...more,
});
const position = (new_path: string, new_line: number | null) => ({ position: { new_path, old_path: "old", new_line } });

describe("GitLab by its API", () => {
  let played: GitLabServer;

  beforeEach(async () => {
    played = await gitlabServer(await temp());
    const { issues } = played.addRepository("group/sub/tool", {
      invited: new Set(["invited"]),
      discussions: [
        { id: "aa", notes: [note(1, "Done", { resolved: true, ...position("a.ts", 1) })] },
        {
          id: "bb",
          notes: [note(2, "Why?", position("b.ts", 4)), note(3, "changed this line", { system: true })],
        },
        { id: "cc", notes: [note(4, "A removed line", position("c.ts", null))] },
        { id: "dd", notes: [note(5, "About all of it")] },
        { id: "ee", notes: [note(6, "Not a thread", { resolvable: false, ...position("e.ts", 1) })] },
      ],
      pipelines: [
        { id: 1, sha: "abc", jobs: [{ id: 6, name: "old", status: "failed" }] },
        {
          id: 2,
          sha: "abc",
          jobs: [
            { id: 7, name: "test", status: "failed", failure_reason: "script_failure", trace: "one\ntwo\n" },
            { id: 8, name: "lint", status: "success" },
            { id: 9, name: "may fail", status: "failed", allow_failure: true },
            { id: 10, name: "build", status: "failed" },
          ],
        },
        { id: 3, sha: "def", jobs: [] },
      ],
    });
    issues.set(3, { title: "A change", body: "Why", isPull: true, comments: [{ login: "ada", body: "Good." }] });
    played.mostPerPage = 1;
  });

  afterEach(() => played.close());

  async function open(token = "good-token", name = "tool"): Promise<CodeHost> {
    const server = listCodeServers({ gitlab: played.web }).at(-1);
    assert.ok(server);
    return openPlayed({ server, owner: "group/sub", name }, token);
  }

  it("has merge requests beside issues, by numbers of their own and by their names", async () => {
    played.mostPerPage = 100;
    const { source, text } = quoteIssue(await (await open()).readIssue({ number: 3, isMergeRequest: true }, signal));
    assert.deepEqual(
      { source, text: text.split("\n\n") },
      {
        source: `${played.web}/group/sub/tool/-/merge_requests/3`,
        text: ["Merge request !3: A change", "By stranger", "Why", "Comment by ada:\nGood."],
      },
    );
  });

  it("lists the failed jobs of a commit's newest pipeline, of all pages", async () => {
    const host = await open();
    const checks = await host.listFailedChecks("abc", signal);
    assert.deepEqual(
      {
        checks: checks.map(({ name, job, summary }) => ({ name, job, summary })),
        none: await host.listFailedChecks("0", signal),
      },
      {
        checks: [
          { name: "test", job: 7, summary: "script_failure" },
          { name: "build", job: 10, summary: "" },
        ],
        none: [],
      },
    );
  });

  it("lists the failed jobs of the pipeline on a merge request's merged result", async () => {
    const work = join(await temp(), "work");
    makeRepository(work, { "a.txt": "one\n" });
    const { pulls } = played.addRepository("group/sub/merged", {
      headPipelines: { 5: 9 },
      pipelines: [
        { id: 8, sha: git(work, "rev-parse", "HEAD").trim(), jobs: [{ id: 1, name: "old", status: "failed" }] },
        { id: 9, sha: "merged", jobs: [{ id: 2, name: "merged", status: "failed" }] },
      ],
    });
    git(work, "push", "-q", played.folderOf("group/sub/merged"), "main:fix");
    const host = await open("good-token", "merged");
    const names = async () =>
      (await host.listFailedChecks(git(work, "rev-parse", "HEAD").trim(), signal)).map(({ name }) => name);
    const before = await names();
    pulls.push({ number: 5, title: "Fix", body: "", head: "fix", base: "main" });
    assert.deepEqual({ before, after: await names() }, { before: ["old"], after: ["merged"] });
  });

  it("has no failed jobs where it hides its pipelines, but an error where the token's scope is too small", async () => {
    played.addRepository("group/sub/hidden", { hidesPipelines: true });
    const host = await open("good-token", "hidden");
    const hidden = await host.listFailedChecks("abc", signal);
    played.failNext(403, { error: "insufficient_scope" });
    await assert.rejects(host.listFailedChecks("abc", signal), { constructor: SignedOutError });
    assert.deepEqual(hidden, []);
  });

  it("has the traces of jobs, or none", async () => {
    const host = await open();
    assert.deepEqual(await Promise.all([7, 10, 99].map((job) => host.readLog(job, signal))), [
      "one\ntwo\n",
      undefined,
      undefined,
    ]);
  });

  it("reads unresolved discussions on lines, and sends a reply to one", async () => {
    const host = await open();
    const threads = await host.listReviewThreads(3, signal);
    const page = `${played.web}/group/sub/tool/-/merge_requests/3`;
    assert.deepEqual(
      {
        threads: threads.map(({ replyTo, file, line, comments, address }) => ({
          replyTo,
          place: `${file}:${line}`,
          comments: comments.map(({ body }) => body),
          address,
        })),
        reply: await host.sendReply(3, "bb", "Because.", signal),
      },
      {
        threads: [
          { replyTo: "bb", place: "b.ts:4", comments: ["Why?"], address: `${page}#note_2` },
          { replyTo: "cc", place: "c.ts:undefined", comments: ["A removed line"], address: `${page}#note_4` },
        ],
        reply: `${page}#note_77`,
      },
    );
  });

  it("lets developers push, also those of an invited group, and no one else", async () => {
    const tokens = ["good-token", "invited", "reporter", ""];
    for (const token of tokens) if (token !== "") played.tokens.add(token);
    const facts = await Promise.all(tokens.map(async (token) => (await open(token)).readFacts(signal)));
    assert.deepEqual(
      facts.map(({ canPush }) => canPush),
      [true, true, false, false],
    );
  });

  it("asks for another token where the scope of this one is too small", async () => {
    played.readers.add("good-token");
    const sending = (await open()).sendReply(3, "bb", "Because.", signal);
    await assert.rejects(sending, (error: Error) => {
      assert.ok(error instanceof SignedOutError);
      assert.match(error.message, /Your token isn't allowed to do that on .*: it needs the scope api/);
      return true;
    });
  });

  it("says that a branch has a merge request already", async () => {
    const host = await open();
    const message = ["Another open merge request already exists for this source branch: !5"];
    played.failNext(409, { message });
    const wanted = { source: host.repository, branch: "fix", base: "main", title: "T", body: "" };
    await assert.rejects(host.createPullRequest(wanted, signal), /already an open merge request for this branch/);
  });

  const WORDS: readonly (readonly [string, object, RegExp])[] = [
    ["a text", { message: "400 Bad request" }, /refused the request: 400 Bad request\./],
    ["a list", { message: ["One", "Two"] }, /refused the request: One Two\./],
    ["one list for each field", { message: { base: ["No", "Never"] } }, /refused the request: No Never\./],
    ["an error", { error: "title is missing" }, /refused the request: title is missing\./],
  ];

  for (const [what, body, expected] of WORDS)
    it(`passes on the server's words that are ${what}`, async () => {
      const host = await open();
      played.failNext(400, body);
      await assert.rejects(host.readFacts(signal), expected);
    });

  it("says when a limit of requests ends", async () => {
    const host = await open();
    played.failNext(429, {}, { "ratelimit-remaining": "0", "ratelimit-reset": "1" });
    await assert.rejects(host.readFacts(signal), /Try again in 1 second\./);
  });
});
