import assert from "node:assert/strict";
import {
  findRemoteRepository,
  findTokenInEnvironment,
  listCodeServers,
  listNamedRemotes,
  parseIssueName,
} from "../../../src/code-host/remotes.ts";

const SERVERS = listCodeServers("https://ghe.example/api/v3");

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
      },
      {
        https: "https://api.github.com octo/tool",
        user: "https://api.github.com octo/tool",
        scp: "https://api.github.com octo/tool",
        ssh: "https://api.github.com octo/tool",
        git: "https://api.github.com octo/to.ol",
        enterprise: "https://ghe.example/api/v3 octo/tool",
        enterpriseBySsh: "https://ghe.example/api/v3 octo/tool",
      },
    );
  });

  it("is none for another server, a folder, or a path that isn't a repository's", () => {
    const addresses = [
      "https://gitlab.com/octo/tool",
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
      "remote.other.url https://gitlab.com/me/tool",
      "remote.upstream.url https://github.com/octo/tool",
    ].join("\n");
    assert.deepEqual(
      listNamedRemotes(config, SERVERS).map(({ remote, repository }) => `${remote} ${repository.owner}`),
      ["upstream octo", "origin me"],
    );
  });
});

describe("the known servers", () => {
  it("are github.com and the user's Enterprise server, however its address is written", () => {
    const apis = [
      "",
      "ghe.example",
      "https://octo.ghe.com",
      "https://api.octo.ghe.com",
      "https://github.com",
      "http://localhost:8080",
    ];
    assert.deepEqual(
      apis.map((address) => listCodeServers(address).map(({ api }) => api)),
      [
        ["https://api.github.com"],
        ["https://api.github.com", "https://ghe.example/api/v3"],
        ["https://api.github.com", "https://api.octo.ghe.com"],
        ["https://api.github.com", "https://api.octo.ghe.com"],
        ["https://api.github.com"],
        ["https://api.github.com", "http://localhost:8080/api/v3"],
      ],
    );
  });

  it("are none that would get a token without encryption", () => {
    assert.throws(() => listCodeServers("http://ghe.example"), /Enter it with https/);
  });
});

describe("the token of an environment", () => {
  it("is that of GitHub's own variables, and an Enterprise server never gets the one of github.com", () => {
    const env = { GITHUB_TOKEN: " public ", GH_TOKEN: "", GITHUB_ENTERPRISE_TOKEN: "own" };
    assert.deepEqual(
      SERVERS.map((server) => [findTokenInEnvironment(server, env), findTokenInEnvironment(server, { GH_TOKEN: "x" })]),
      [
        ["public", "x"],
        ["own", undefined],
      ],
    );
  });
});

describe("the name of an issue", () => {
  it("is its number, or an address in another repository", () => {
    const read = (text: string): string | undefined => {
      const found = parseIssueName(text, SERVERS);
      return found && `${found.repository?.owner ?? "here"} ${found.number}`;
    };
    assert.deepEqual(
      [
        "12",
        "#12",
        "octo/tool#3",
        "https://github.com/octo/tool/issues/4#issuecomment-1",
        "https://ghe.example/a/b/pull/5",
        "https://evil.example/a/b/issues/6",
        "12a",
        "",
      ].map(read),
      ["here 12", "here 12", "octo 3", "octo 4", "a 5", undefined, undefined, undefined],
    );
  });
});
