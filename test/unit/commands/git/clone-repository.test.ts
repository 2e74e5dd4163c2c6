import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import { findNodeGit } from "../../../../src/node/git/git.ts";
import { type PlantedBench, plantedBenches } from "../../../support/planted-bench.ts";
import { git, makeRepository, writeFiles } from "../../../support/repositories.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { type Answering, webServers } from "../../../support/web-server.ts";

describe("clone_repository", () => {
  before(() => skipWithout("git"));
  const planted = plantedBenches();
  const tempFolder = tempFolders();
  const webServer = webServers();

  const benched = (env: NodeJS.ProcessEnv = process.env): Promise<PlantedBench> =>
    planted({ "there/a.txt": "" }, { git: findNodeGit(env) });

  /** Serves a repository with these files as plain files, under /own.git. */
  async function served(files: Readonly<Record<string, string>>): Promise<string> {
    const folder = await tempFolder();
    makeRepository(join(folder, "work"), files);
    git(folder, "clone", "-q", "--bare", "work", "own.git");
    git(join(folder, "own.git"), "update-server-info");
    const answering: Answering = async (_asked, answer, url) => {
      const content = await readFile(join(folder, url.pathname)).catch(() => undefined);
      answer.writeHead(content ? 200 : 404).end(content);
    };
    return (await webServer(answering)).address;
  }

  it("shows all that it would do, and where it would ask", async () => {
    const { bench, folder } = await benched();
    const prepared = await bench.prepare("git_clone", {
      repository_url: "github.com/owner/name.git",
      clone_path: "lib/name",
      branch: "dev",
      depth: 1,
    });
    assert.ok(isPrepared(prepared));
    const { effect, preview, hosts, touches } = prepared;
    assert.deepEqual(
      { effect, preview, hosts, touches },
      {
        effect: "network",
        preview: {
          kind: "details",
          text: `Clone https://github.com/owner/name.git, branch dev, the last 1 of its commits into "lib/name" (${folder}/lib/name). Its submodules, hooks and filters are left out.`,
        },
        hosts: ["github.com"],
        touches: [{ path: join(folder, "lib/name"), how: "write" }],
      },
    );
  });

  it("follows nothing to another address, and says what to give instead", async () => {
    const { address } = await webServer((asked, answer) =>
      answer.writeHead(301, { location: String(asked.url).replace("/own/", "/own.git/") }).end(),
    );
    const { bench } = await benched();
    const outcome = await bench.call("clone_repository", { url: `${address}/own` });
    assert.match(
      JSON.stringify(outcome),
      /error: 301\. It redirects to another address, .* with \.git at the end\. Check/,
    );
  });

  it("clones into a folder of the repository's name, and says what is in it and where it came from", async () => {
    const address = await served({ "a.txt": "one\n", "src/b.txt": "b\n" });
    const { bench, folder } = await benched();
    const outcome = await bench.call("clone_repository", { url: `${address}/own.git` });
    assert.deepEqual(
      [outcome, readFileSync(join(folder, "own/a.txt"), "utf8")],
      [
        {
          status: "done",
          output: `Cloned ${address}/own.git into "own". It holds:\nown/a.txt\nown/src/\nown/src/b.txt`,
          source: { kind: "download", name: `${address}/own.git` },
        },
        "one\n",
      ],
    );
  });

  it("runs no filter on what it fetches, not even one of the user's own", async () => {
    const address = await served({ "a.txt": "one\n", ".gitattributes": "* filter=lfs\n" });
    const home = await tempFolder();
    writeFiles(home, {
      ".gitconfig": `[filter "lfs"]\n smudge = touch '${home}/sprung'\n process = touch '${home}/sprung'\n required = true\n[init]\n templateDir = ${home}/template\n`,
      "template/hooks/post-checkout": `#!/bin/sh\ntouch '${home}/sprung'\n`,
    });
    const { bench } = await benched({ ...process.env, HOME: home });
    const outcome = await bench.call("clone_repository", { url: `${address}/own.git` });
    assert.deepEqual([outcome.status, existsSync(join(home, "sprung"))], ["done", false]);
  });

  it("leaves nothing behind of what it could not fetch", async () => {
    const { address } = await webServer((_asked, answer) => answer.writeHead(404).end());
    const { bench, folder } = await benched();
    const outcome = await bench.call("clone_repository", { url: `${address}/none.git` });
    assert.match(JSON.stringify(outcome), /was not cloned\. Git says: .*not found.* Check the address/);
    assert.equal(existsSync(join(folder, "none")), false);
  });

  it("touches nothing that came to be there in the meantime", async () => {
    const { address } = await webServer((_asked, answer) => answer.writeHead(404).end());
    const { bench, folder } = await benched();
    const prepared = await bench.prepare("clone_repository", { url: `${address}/own.git` });
    assert.ok(isPrepared(prepared));
    writeFiles(folder, { "own/mine.txt": "mine" });
    const outcome = await bench.commands.run(prepared, {
      ...{ step: 1, signal: new AbortController().signal },
      ...{ output: () => undefined, record: async () => undefined },
    });
    assert.deepEqual(
      [outcome, readFileSync(join(folder, "own/mine.txt"), "utf8")],
      [{ status: "failed", error: `"${folder}/own" already exists. Choose another name.` }, "mine"],
    );
  });

  it("follows no redirection to a host that was not shown", async () => {
    const other = await webServer((_asked, answer) => answer.writeHead(404).end());
    const { address } = await webServer((_asked, answer, url) =>
      answer.writeHead(302, { location: `${other.address}${url.pathname}` }).end(),
    );
    const { bench } = await benched();
    const outcome = await bench.call("clone_repository", { url: `${address}/own.git` });
    assert.deepEqual([outcome.status, other.asked], ["failed", []]);
  });

  it("asks no one for a password", async () => {
    const { address } = await webServer((_asked, answer) =>
      answer.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end(),
    );
    const { bench } = await benched({ ...process.env, HOME: "/nonexistent", GIT_ASKPASS: "/bin/false" });
    const outcome = await bench.call("clone_repository", { url: `${address}/own.git` });
    assert.match(JSON.stringify(outcome), /terminal prompts disabled.*set one up for git/);
  });

  it("stops when asked to, and cleans up", async () => {
    const { address } = await webServer(() => undefined);
    const { bench, folder } = await benched();
    const prepared = await bench.prepare("clone_repository", { url: `${address}/own.git` });
    assert.ok(isPrepared(prepared));
    const stopping = new AbortController();
    const running = bench.commands.run(prepared, {
      step: 1,
      signal: stopping.signal,
      output: () => stopping.abort(new Error("stopped")),
      record: async () => undefined,
    });
    await assert.rejects(running, { message: "stopped" });
    assert.equal(existsSync(join(folder, "own")), false);
  });

  const NO_PASSWORD =
    "The address holds a name or a password, which would stay in the repository's settings. Leave it out; git asks the user's own credential helper.";
  const ONLY =
    'Only https, http, ssh and git addresses are cloned. Give an address like "https://github.com/owner/name".';
  for (const [url, error] of [
    ["https://ada:secret@github.com/a/b", NO_PASSWORD],
    ["https://token@github.com/a/b", NO_PASSWORD],
    ["ssh://git:secret@github.com/a/b", NO_PASSWORD],
    ["ext::sh -c evil", 'The address holds white space. Give an address like "https://github.com/owner/name".'],
    ["ext::evil", ONLY],
    ["file:///etc", ONLY],
    ["/home/ada/private", ONLY],
    ["../private", ONLY],
    ["--upload-pack=evil", ONLY],
    ["-oProxyCommand=evil@x:y/z", ONLY],
    ["https://github.com/", 'The address names no repository. Give an address like "https://github.com/owner/name".'],
  ] as const)
    it(`does not clone ${url}`, async () => {
      const { bench } = await benched();
      assert.deepEqual(await bench.call("clone_repository", { url }), { status: "failed", error });
    });

  it("takes the short form of ssh, and no folder that is there", async () => {
    const { bench } = await benched();
    const short = await bench.prepare("clone_repository", { url: "git@github.com:owner/name.git" });
    const there = await bench.prepare("clone_repository", { url: "https://x.example/a/there" });
    assert.deepEqual(
      [isPrepared(short) && short.hosts, there],
      [["github.com"], { status: "failed", error: '"there" already exists. Name a folder that is not.' }],
    );
  });
});
