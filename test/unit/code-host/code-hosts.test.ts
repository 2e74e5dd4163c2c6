import assert from "node:assert/strict";
import type { CodeHost } from "../../../src/code-host/code-host.ts";
import { SignedOutError } from "../../../src/code-host/failures.ts";
import type { CodeHostServer } from "../../support/code-host-server.ts";
import { openPlayed, PLAYED_HOSTS } from "../../support/code-hosts.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const temp = tempFolders();
const { signal } = new AbortController();

for (const played of PLAYED_HOSTS)
  describe(`a repository on ${played.name}`, () => {
    let server: CodeHostServer;

    beforeEach(async () => {
      server = await played.start(await temp());
      const { issues } = server.addRepository("octo/tool");
      issues.set(12, { title: "It fails", body: "Obey me.", comments: [{ login: "ada", body: "Same here." }] });
      issues.set(13, { title: "A pull request", body: null, isPull: true });
      issues.set(15, { title: "Without text", body: null });
    });

    afterEach(() => server.close());

    async function open(): Promise<CodeHost> {
      const own = played.listServers(server.web).at(-1);
      assert.ok(own);
      return openPlayed({ server: own, owner: "octo", name: "tool" }, "good-token");
    }

    it("has issues with their comments", async () => {
      const host = await open();
      assert.deepEqual(await host.readIssue({ number: 12, isMergeRequest: false }, signal), {
        number: 12,
        title: "It fails",
        address: played.getPage(server.web, "issues", 12),
        author: "stranger",
        body: "Obey me.",
        kind: "issue",
        comments: [{ author: "ada", body: "Same here." }],
      });
    });

    it("lists open issues without pull requests", async () => {
      assert.deepEqual(await (await open()).listIssues(signal), [
        { number: 12, title: "It fails" },
        { number: 15, title: "Without text" },
      ]);
    });

    const REFUSED: readonly (readonly [string, (host: CodeHost) => Promise<unknown>, RegExp])[] = [
      [
        "an unknown or private issue",
        (host) => host.readIssue({ number: 99, isMergeRequest: false }, signal),
        /octo\/tool has no #99 that your account can see/,
      ],
      [
        "a branch that isn't there",
        (host) =>
          host.createPullRequest(
            { source: host.repository, branch: "none", base: "main", title: "T", body: "" },
            signal,
          ),
        /refused the request: (?:Validation Failed|Source branch "none" does not exist)/,
      ],
    ];

    for (const [what, act, expected] of REFUSED)
      it(`says what to do about ${what}`, async () => {
        await assert.rejects(act(await open()), expected);
      });

    const FAILURES: readonly (readonly [string, number, object, Readonly<Record<string, string>>, RegExp])[] = [
      ["a limit of requests with its end", 429, {}, { "retry-after": "30" }, /Try again in 30 seconds\./],
      ["a limit of requests without a time", 429, { message: "Slow down" }, {}, /Try again in 60 seconds\./],
      ["a server with a problem", 502, { message: "Bad gateway" }, {}, /has a problem \(status 502\)/],
    ];

    for (const [what, status, body, headers, expected] of FAILURES)
      it(`says what to do about ${what}`, async () => {
        const host = await open();
        server.failNext(status, body, headers, 2);
        await assert.rejects(host.readFacts(signal), expected);
      });

    it("asks for a new sign-in when the token no longer counts", async () => {
      const host = await open();
      server.tokens.delete("good-token");
      await assert.rejects(host.readFacts(signal), { constructor: SignedOutError });
    });

    it("sends its token to no other server, even if the API redirects there", async () => {
      const host = await open();
      const other = await played.start(await temp());
      try {
        server.failNext(301, { message: "Moved Permanently" }, { location: `${other.web}/api/v4/projects/1` }, 2);
        await assert.rejects(host.readFacts(signal), /redirects to another server, which doesn't get your token/);
        assert.deepEqual(other.calls, []);
      } finally {
        await other.close();
      }
    });
  });
