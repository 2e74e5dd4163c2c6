import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type LocalRepository, readLocalRepository } from "../../../src/code-host/local-repository.ts";
import {
  choosePlaces,
  composeDraftMessage,
  demandBranch,
  describeSending,
  findOutgoing,
  limitDraft,
  sendPullRequest,
} from "../../../src/code-host/pull-request.ts";
import type { RemoteRepository } from "../../../src/code-host/remotes.ts";
import { createLooseCommit } from "../../../src/node/git/commit.ts";
import type { CodeHostServer } from "../../support/code-host-server.ts";
import { openPlayed, PLAYED_HOSTS } from "../../support/code-hosts.ts";
import { git, makeRepository, writeFiles } from "../../support/repositories.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const temp = tempFolders();
const { signal } = new AbortController();
const TOKEN = "good-token";

for (const played of PLAYED_HOSTS)
  describe(`a ${played.request}`, () => {
    let server: CodeHostServer;
    let work: string;

    beforeEach(async () => {
      server = await played.start(await temp());
      work = join(await temp(), "work");
      makeRepository(work, { "a.txt": "one\n" });
      server.addRepository("octo/tool");
      git(work, "push", "-q", server.folderOf("octo/tool"), "main");
    });

    afterEach(() => server.close());

    const open = (repository: RemoteRepository) => openPlayed(repository, TOKEN);

    function read(): Promise<LocalRepository> {
      return readLocalRepository(work, played.listServers(server.web), signal);
    }

    function addRemote(name: string, repository: string): void {
      git(work, "remote", "add", name, `${server.web}/${repository}.git`);
    }

    async function prepare(more: readonly string[] = []) {
      const local = await read();
      const places = await choosePlaces(local.remotes, open, signal);
      return { local, places, shown: await findOutgoing(local, places, more, signal) };
    }

    function commitAll(message: string, changes: Readonly<Record<string, string>>): void {
      writeFiles(work, changes);
      git(work, "add", "-A");
      git(work, "commit", "-q", "-m", message);
    }

    async function makeCommit(files: readonly string[], message: string, parent: string): Promise<string> {
      return createLooseCommit({ folder: work, files, message, parent, index: join(await temp(), "index") });
    }

    async function send(
      branch: string,
      changes: Readonly<Record<string, string>> = { "a.txt": "two\n" },
      token = TOKEN,
    ) {
      writeFiles(work, changes);
      const { local, places, shown } = await prepare(Object.keys(changes));
      const commit = await makeCommit(Object.keys(changes), "Change", local.head);
      const draft = { branch, title: "Change it", body: "Because." };
      return sendPullRequest(local, { places, draft, shown, commit, token, signal });
    }

    it("is pushed by git over HTTP as a new branch and created, and leaves the checked-out files as they are", async () => {
      addRemote("origin", "octo/tool");
      git(work, "config", "user.name", "Ada");
      git(work, "config", "user.email", "ada@example.com");
      const { address } = await send("autogpt/change", { "a.txt": "two\n", "new.txt": "new\n" });
      const pushed = git(server.folderOf("octo/tool"), "diff", "--name-only", "main", "autogpt/change");
      assert.deepEqual(
        {
          address,
          pushed,
          branches: git(work, "branch", "--list"),
          status: git(work, "status", "--short"),
          authorized: server.calls
            .filter(({ path }) => path.startsWith("/octo/tool.git"))
            .every(({ authorization }) => authorization?.startsWith("Basic ")),
        },
        {
          address: played.getPage(server.web, "pull", 100),
          pushed: "a.txt\nnew.txt\n",
          branches: "  autogpt/change\n* main\n",
          status: " M a.txt\n?? new.txt\n",
          authorized: true,
        },
      );
    });

    it("shows the commits and files that it sends, and nothing that the target has", async () => {
      addRemote("origin", "octo/tool");
      git(work, "checkout", "-q", "-b", "feature");
      commitAll("Add b", { "b.txt": "b\n" });
      const { local, shown } = await prepare();
      const { commits, files } = shown;
      assert.deepEqual(
        { commits: commits.map((line) => line.replace(/^\S+ /, "")), files, branch: local.branch },
        { commits: ["Add b"], files: ["b.txt"], branch: "feature" },
      );
    });

    it("shows the real commits and files, whatever the repository puts in their place", async () => {
      addRemote("origin", "octo/tool");
      commitAll("Hidden", { "hidden.txt": "hidden\n" });
      commitAll("Seen", { "seen.txt": "seen\n" });
      const [base, tree] = ["HEAD~2", "HEAD^{tree}"].map((name) => git(work, "rev-parse", name).trim());
      const head = git(work, "rev-parse", "HEAD").trim();
      git(work, "replace", "--graft", "HEAD", base ?? "");
      git(work, "replace", tree ?? "", git(work, "rev-parse", "HEAD~1^{tree}").trim());
      await writeFile(join(work, ".git/info/grafts"), `${head} ${base}\n`);
      const { commits, count, files } = (await prepare()).shown;
      assert.deepEqual(
        { commits: commits.map((line) => line.replace(/^\S+ /, "")), count, files },
        { commits: ["Seen", "Hidden"], count: 2, files: ["hidden.txt", "seen.txt"] },
      );
    });

    it("isn't compared with a commit that the server doesn't have, even if it has the name of a fetched one", async () => {
      addRemote("origin", "octo/tool");
      const other = join(await temp(), "other");
      git(work, "clone", "-q", server.folderOf("octo/tool"), other);
      git(other, "-c", "user.name=B", "-c", "user.email=b@x", "commit", "-q", "--allow-empty", "-m", "Newer");
      git(other, "push", "-q", "origin", "main");
      commitAll("Hidden", { "hidden.txt": "hidden\n" });
      git(work, "update-ref", "refs/remotes/origin/main", "HEAD");
      await assert.rejects(prepare(), /Run git fetch, then try again/);
    });

    it("has no text that isn't shown, also where it exists already", () => {
      const draft = { branch: "fix", title: "Fix", body: "Written by a model." };
      const existing = { number: 5, title: "Old", address: "https://x/5" };
      assert.deepEqual(
        [undefined, existing].map((one) => composeDraftMessage(limitDraft(draft, one))),
        ["Fix\n\nWritten by a model.", "Fix"],
      );
    });

    it("says how many commits it sends where they aren't all named", async () => {
      addRemote("origin", "octo/tool");
      commitAll("Change", { "a.txt": "two\n" });
      const { places } = await prepare();
      const outgoing = { base: "b", commits: Array.from({ length: 200 }, (_, at) => `c${at}`), count: 300, files: [] };
      const lines = describeSending(places, { branch: "fix", title: "Fix", body: "" }, outgoing, true).split("\n");
      assert.deepEqual(
        lines.filter((line) => /pushed|more/.test(line)),
        ["301 commits are pushed:", "  and 276 more"],
      );
    });

    it("isn't pushed if the last commit has changed since it was shown", async () => {
      addRemote("origin", "octo/tool");
      const { local, places, shown } = await prepare(["a.txt"]);
      commitAll("Meanwhile", { "secret.txt": "secret\n" });
      writeFiles(work, { "a.txt": "two\n" });
      const parent = git(work, "rev-parse", "HEAD").trim();
      const commit = await makeCommit(["a.txt"], "Change", parent);
      const draft = { branch: "fix", title: "Fix", body: "" };
      const sending = { places, draft, shown, commit, token: TOKEN, signal };
      await assert.rejects(
        sendPullRequest(local, sending),
        /no longer the ones that were shown, so nothing was pushed/,
      );
      assert.equal(git(server.folderOf("octo/tool"), "branch", "--list", "fix"), "");
    });

    it("is for upstream and comes from the user's fork", async () => {
      server.addRepository("me/tool");
      const upstream = server.addRepository("up/tool", { writers: new Set() });
      git(work, "push", "-q", server.folderOf("up/tool"), "main");
      addRemote("origin", "me/tool");
      addRemote("upstream", "up/tool");
      git(work, "config", "user.name", "Ada");
      git(work, "config", "user.email", "ada@example.com");
      await send("fix");
      assert.deepEqual(
        upstream.pulls.map(({ head, base }) => ({ head, base })),
        [{ head: "me:fix", base: "main" }],
      );
    });

    it("is sent to nothing that the user may not push to", async () => {
      server.addRepository("up/tool", { writers: new Set() });
      addRemote("origin", "up/tool");
      await assert.rejects(prepare(), /You can't push to up\/tool\. Fork it on 127/);
    });

    it("never replaces a branch that is there with other commits", async () => {
      addRemote("origin", "octo/tool");
      git(work, "config", "user.name", "Ada");
      git(work, "config", "user.email", "ada@example.com");
      await send("fix");
      await assert.rejects(send("fix", { "a.txt": "three\n" }), /already has a branch fix with other commits/);
      assert.equal(git(server.folderOf("octo/tool"), "show", "fix:a.txt"), "two\n");
    });

    it("that exists gets a commit that continues its branch, and no second one is created", async () => {
      addRemote("origin", "octo/tool");
      git(work, "config", "user.name", "Ada");
      git(work, "config", "user.email", "ada@example.com");
      git(work, "checkout", "-q", "-b", "fix");
      const first = await send("fix");
      git(work, "fetch", "-q", server.folderOf("octo/tool"), "fix");
      git(work, "reset", "-q", "--hard", "FETCH_HEAD");
      writeFiles(work, { "a.txt": "three\n" });
      const { local, places, shown } = await prepare(["a.txt"]);
      const commit = await makeCommit(["a.txt"], "More", local.head);
      const draft = { branch: "fix", title: "More", body: "" };
      const sending = { places, draft, shown, commit, token: TOKEN, signal };
      const again = await sendPullRequest(local, sending);
      assert.deepEqual(
        {
          same: again.address === first.address,
          pulls: server.calls.filter(
            ({ method, path }) => method === "POST" && /\/(?:pulls|merge_requests)$/.test(path),
          ).length,
          log: git(server.folderOf("octo/tool"), "log", "--format=%s", "main..fix").trim().split("\n"),
        },
        { same: true, pulls: 1, log: ["More", "Change"] },
      );
    });

    it("is created by the next click if the server failed after the branch was pushed", async () => {
      addRemote("origin", "octo/tool");
      commitAll("Change", { "a.txt": "two\n" });
      const { local, places, shown } = await prepare();
      const draft = { branch: "fix", title: "Fix", body: "" };
      const sending = { places, draft, shown, commit: local.head, token: TOKEN, signal };
      server.failNext(404, { message: "Branch not found" });
      server.failNext(200, []);
      server.failNext(502, { message: "Bad gateway" });
      await assert.rejects(sendPullRequest(local, sending), /has a problem \(status 502\)/);
      assert.equal((await sendPullRequest(local, sending)).address, played.getPage(server.web, "pull", 100));
    });

    it("isn't prepared where nothing would be sent", async () => {
      addRemote("origin", "octo/tool");
      await assert.rejects(prepare(), /There's nothing to send: this run left no changes, and main has no commits/);
    });

    it("has a valid branch that isn't the one that it's for", async () => {
      addRemote("origin", "octo/tool");
      commitAll("Change", { "a.txt": "two\n" });
      const { local, places } = await prepare();
      await assert.rejects(demandBranch(local, places, "a..b"), /isn't a valid branch name/);
      await assert.rejects(
        demandBranch(local, places, "main"),
        new RegExp(`main is the branch that the ${played.request} is for`),
      );
    });

    it("says what to do where there is no repository, no remote on a known server or no commit", async () => {
      const plain = await temp();
      const servers = played.listServers(server.web);
      await assert.rejects(readLocalRepository(plain, servers, signal), /isn't in a git repository/);
      await assert.rejects(read(), /has no remote yet/);
      git(work, "remote", "add", "lab", "git@bitbucket.example:octo/tool.git");
      await assert.rejects(read(), /are on bitbucket\.example, which isn't a server of GitHub or GitLab/);
      git(plain, "init", "-q");
      git(plain, "remote", "add", "origin", `${server.web}/octo/tool.git`);
      await assert.rejects(readLocalRepository(plain, servers, signal), /has no commits yet/);
    });

    it("isn't made of a history that a planted file names in another place", async () => {
      addRemote("origin", "octo/tool");
      const folder = await temp();
      await writeFile(join(folder, ".git"), `gitdir: ${join(work, ".git")}\n`);
      const reading = readLocalRepository(folder, played.listServers(server.web), signal);
      await assert.rejects(reading, /takes its history from .*, which isn't in its folder/);
    });

    it("works with a detached HEAD", async () => {
      addRemote("origin", "octo/tool");
      git(work, "checkout", "-q", "--detach");
      git(work, "config", "user.name", "Ada");
      git(work, "config", "user.email", "ada@example.com");
      await send("fix");
      assert.equal((await read()).branch, undefined);
      assert.equal(git(server.folderOf("octo/tool"), "show", "fix:a.txt"), "two\n");
    });

    it("isn't pushed with a token that no longer counts", async () => {
      addRemote("origin", "octo/tool");
      git(work, "config", "user.name", "Ada");
      git(work, "config", "user.email", "ada@example.com");
      await assert.rejects(send("fix", { "a.txt": "two\n" }, "old-token"), /The branch wasn't pushed\. Git says/);
    });

    it("gives its token to no address, helper, proxy or hook of the repository's settings", async () => {
      const other = await played.start(await temp());
      const canary = join(await temp(), "canary");
      const steal = `!f() { cat > ${canary}; env >> ${canary}; }; f`;
      other.addRepository("octo/tool");
      addRemote("origin", "octo/tool");
      commitAll("Change", { "a.txt": "two\n" });
      for (const [name, value] of [
        ["user.name", "Ada"],
        ["user.email", "ada@example.com"],
        [`url.${other.web}/.insteadOf`, `${server.web}/`],
        [`url.${other.web}/.pushInsteadOf`, `${server.web}/`],
        [`url.${other.web}/octo/tool.git.pushInsteadOf`, `${server.web}/octo/tool.git`],
        ["remote.origin.pushurl", `${other.web}/octo/tool.git`],
        ["credential.helper", steal],
        [`credential.${server.web}.helper`, steal],
        ["core.sshCommand", `touch ${canary}`],
        ["core.askPass", `/usr/bin/touch ${canary}`],
        ["core.gitProxy", `touch ${canary}`],
        ["http.proxy", other.web],
        ["http.followRedirects", "true"],
        ["remote.origin.receivepack", `touch ${canary}`],
        ["push.gpgSign", "true"],
      ] as const)
        git(work, "config", name, value);
      await mkdir(join(work, ".git/hooks"), { recursive: true });
      for (const hook of ["pre-push", "reference-transaction", "post-index-change"]) {
        await writeFile(join(work, ".git/hooks", hook), `#!/bin/sh\nenv > ${canary}-${hook}\n`);
        await chmod(join(work, ".git/hooks", hook), 0o755);
      }
      const { local, places, shown } = await prepare();
      const draft = { branch: "fix", title: "Fix", body: "" };
      try {
        const pull = await sendPullRequest(local, {
          places,
          draft,
          shown,
          commit: local.head,
          token: TOKEN,
          signal,
        });
        const { existsSync } = await import("node:fs");
        assert.deepEqual(
          {
            address: pull.address,
            seenElsewhere: other.calls,
            ran: ["", "-pre-push", "-reference-transaction"].filter((end) => existsSync(`${canary}${end}`)),
          },
          { address: played.getPage(server.web, "pull", 100), seenElsewhere: [], ran: [] },
        );
      } finally {
        await other.close();
      }
    });
  });
