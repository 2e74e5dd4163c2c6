import assert from "node:assert/strict";
import { findNamedIssue, findRemoteRepository, listNamedRemotes } from "../../../src/code-host/remotes.ts";
import { findOwnServers, findTokenInEnvironment, listCodeServers } from "../../../src/code-host/servers.ts";

const SERVERS = listCodeServers({ enterprise: "https://ghe.example/api/v3", gitlab: "https://lab.example/git" });

function nameOf(address: string): string | undefined {
  const found = findRemoteRepository(address, SERVERS);
  return found && `${found.server.api} ${found.owner}/${found.name}`;
}

describe("the repository of a remote", () => {
  it("is found in every form of its address", () => {
    assert.deepEqual(
      {
        https: nameOf("https://github.com/octo/tool.git"),
        user: nameOf("https://me:secret@github.com/octo/tool/"),
        scp: nameOf("git@github.com:octo/tool.git"),
        ssh: nameOf("ssh://git@ssh.github.com:443/octo/tool"),
        git: nameOf("git://GitHub.com/octo/to.ol"),
        enterprise: nameOf("https://ghe.example/octo/tool"),
        enterpriseBySsh: nameOf("git@ghe.example:octo/tool.git"),
        groups: nameOf("https://oauth2:secret@gitlab.com/group/sub/to.ol.git"),
        groupsBySsh: nameOf("git@gitlab.com:group/sub/tool.git"),
        otherPort: nameOf("ssh://git@altssh.gitlab.com:443/group/tool.git"),
        belowPath: nameOf("https://lab.example/git/group/sub/tool.git"),
        belowPathBySsh: nameOf("ssh://git@lab.example:2222/group/tool.git"),
      },
      {
        https: "https://api.github.com octo/tool",
        user: "https://api.github.com octo/tool",
        scp: "https://api.github.com octo/tool",
        ssh: "https://api.github.com octo/tool",
        git: "https://api.github.com octo/to.ol",
        enterprise: "https://ghe.example/api/v3 octo/tool",
        enterpriseBySsh: "https://ghe.example/api/v3 octo/tool",
        groups: "https://gitlab.com/api/v4 group/sub/to.ol",
        groupsBySsh: "https://gitlab.com/api/v4 group/sub/tool",
        otherPort: "https://gitlab.com/api/v4 group/tool",
        belowPath: "https://lab.example/git/api/v4 group/sub/tool",
        belowPathBySsh: "https://lab.example/git/api/v4 group/tool",
      },
    );
  });

  it("is none for another server, a folder, or a path that isn't a repository's", () => {
    const addresses = [
      "https://bitbucket.org/octo/tool",
      "https://gitlab.com.evil.test/octo/tool",
      "https://gitlab.com@evil.test/octo/tool",
      "git@gitlab.com@evil.test:octo/tool",
      "git@gitlab.com.evil.test:octo/tool",
      "http://gitlab.com:8080/octo/tool",
      "https://gitlab.com/octo",
      "https://gitlab.com/octo/%2e%2e/tool",
      "https://gitlab.com/octo/-/tool",
      "https://lab.example/other/tool",
      "https://github.com.evil.example/octo/tool",
      "https://evil.example/github.com/octo/tool",
      "https://github.com:444/octo/tool",
      "https://github.com/octo",
      "https://github.com/octo/../tool",
      "https://github.com/octo/tool/tree",
      "https://github.com/octo/..",
      "/srv/git/tool.git",
      "C:/git/tool",
      "",
    ];
    assert.deepEqual(
      addresses.map(nameOf),
      addresses.map(() => undefined),
    );
  });

  it("is that of upstream before origin, and listed once", () => {
    const config = [
      "remote.origin.url git@github.com:me/tool.git",
      "remote.backup.url https://github.com/ME/tool",
      "remote.other.url https://bitbucket.org/me/tool",
      "remote.upstream.url https://github.com/octo/tool",
    ].join("\n");
    assert.deepEqual(
      listNamedRemotes(config, SERVERS).map(({ remote, repository }) => `${remote} ${repository.owner}`),
      ["upstream octo", "origin me"],
    );
  });
});

describe("the known servers", () => {
  it("are github.com, gitlab.com and the user's own servers, however their addresses are written", () => {
    const apis = (given: Parameters<typeof listCodeServers>[0]) =>
      listCodeServers(given)
        .slice(2)
        .map(({ api }) => api);
    assert.deepEqual(
      {
        always: listCodeServers().map(({ api }) => api),
        enterprise: [
          "ghe.example",
          "https://octo.ghe.com",
          "https://api.octo.ghe.com",
          "https://github.com",
          "http://localhost:8080",
        ].map((enterprise) => apis({ enterprise })),
        gitlab: ["lab.example", "https://lab.example/git/", "https://lab.example/api/v4", "https://gitlab.com/"].map(
          (gitlab) => apis({ gitlab }),
        ),
      },
      {
        always: ["https://api.github.com", "https://gitlab.com/api/v4"],
        enterprise: [
          ["https://ghe.example/api/v3"],
          ["https://api.octo.ghe.com"],
          ["https://api.octo.ghe.com"],
          [],
          ["http://localhost:8080/api/v3"],
        ],
        gitlab: [
          ["https://lab.example/api/v4"],
          ["https://lab.example/git/api/v4"],
          ["https://lab.example/api/v4"],
          [],
        ],
      },
    );
  });

  it("are none that would get a token without encryption", () => {
    const found = listCodeServers({ enterprise: "http://ghe.example", gitlab: "http://lab.example" });
    assert.deepEqual(
      found.map(({ web }) => web),
      ["https://github.com", "https://gitlab.com"],
    );
  });
});

describe("the token of an environment", () => {
  it("is that of GitHub's own variables, and an Enterprise server never gets the one of github.com", () => {
    const env = { GITHUB_TOKEN: " public ", GH_TOKEN: "", GITHUB_ENTERPRISE_TOKEN: "own" };
    const github = SERVERS.filter(({ kind }) => kind !== "gitlab");
    assert.deepEqual(
      github.map((server) => [findTokenInEnvironment(server, env), findTokenInEnvironment(server, { GH_TOKEN: "x" })]),
      [
        ["public", "x"],
        ["own", undefined],
      ],
    );
  });

  it("goes to the GitLab that the environment names alone, otherwise to gitlab.com", () => {
    const tokens = (env: Readonly<Record<string, string>>) => {
      const servers = listCodeServers({ ...findOwnServers(env), enterprise: "ghe.example" });
      return servers.flatMap((server) => {
        const token = findTokenInEnvironment(server, { GITLAB_TOKEN: "secret", ...env });
        return token === undefined ? [] : [`${server.web} ${token}`];
      });
    };
    assert.deepEqual(
      [
        tokens({}),
        tokens({ GITLAB_HOST: "lab.example" }),
        tokens({ CI_SERVER_URL: "https://lab.example", GITLAB_TOKEN: "", GITLAB_ACCESS_TOKEN: "other" }),
        tokens({ GITLAB_HOST: "http://lab.example" }),
        tokens({ GITLAB_TOKEN: "two\nlines", GH_TOKEN: "with space" }),
      ],
      [["https://gitlab.com secret"], ["https://lab.example secret"], ["https://lab.example other"], [], []],
    );
  });
});

describe("the name of an issue", () => {
  const read = async (text: string, here = "https://github.com/me/here"): Promise<string | undefined> => {
    const found = await findNamedIssue(text, SERVERS, async () => {
      const repository = findRemoteRepository(here, SERVERS);
      if (!repository) throw new Error("There is no remote.");
      return repository;
    });
    const { server, owner, name } = found?.repository ?? {};
    return found && `${server?.web} ${owner}/${name} ${found.isMergeRequest ? "!" : "#"}${found.number}`;
  };

  it("is its number, or an address in another repository", async () => {
    assert.deepEqual(
      await Promise.all(
        [
          "12",
          "#12",
          "octo/tool#3",
          "https://github.com/octo/tool/issues/4#issuecomment-1",
          "https://ghe.example/a/b/pull/5",
          "https://evil.example/a/b/issues/6",
          "octo/tool3",
          "12a",
          "",
        ].map((text) => read(text)),
      ),
      [
        "https://github.com me/here #12",
        "https://github.com me/here #12",
        "https://github.com octo/tool #3",
        "https://github.com octo/tool #4",
        "https://ghe.example a/b #5",
        undefined,
        undefined,
        undefined,
        undefined,
      ],
    );
  });

  it("is on the server of the folder's repository, and has GitLab's forms there", async () => {
    const here = "git@lab.example:me/here";
    assert.deepEqual(
      {
        short: await Promise.all(["!12", "group/sub/tool#3", "group/tool!4"].map((text) => read(text, here))),
        pages: await Promise.all(
          [
            "https://gitlab.com/group/sub/tool/-/issues/5",
            "https://gitlab.com/group/tool/-/merge_requests/6/diffs?x=1#note_7",
            "https://lab.example/git/group/tool/-/work_items/8",
            "https://gitlab.com.evil.test/group/tool/-/issues/9",
            "https://gitlab.com@evil.test/group/tool/-/issues/9",
          ].map((text) => read(text)),
        ),
        withoutRemote: await read("octo/tool#3", "/srv/git"),
      },
      {
        short: [
          "https://lab.example/git me/here !12",
          "https://lab.example/git group/sub/tool #3",
          "https://lab.example/git group/tool !4",
        ],
        pages: [
          "https://gitlab.com group/sub/tool #5",
          "https://gitlab.com group/tool !6",
          "https://lab.example/git group/tool #8",
          undefined,
          undefined,
        ],
        withoutRemote: "https://github.com octo/tool #3",
      },
    );
  });
});
