import assert from "node:assert/strict";
import { confinement } from "../../../src/safety/sandbox.ts";
import { judged } from "./readers.ts";
import { CONTINUOUS, context, runs } from "./support.ts";

const WORKSPACE = {
  path: "/home/u/app",
  files: ["a.ts", ".env", ".npmrc", ".git/config"],
  folders: [".git", ".git/hooks", ".vscode", "src"],
};
const HOME = { path: "/home/u", files: [".netrc", "notes.txt"], folders: [".ssh", ".docker", "app"] };

describe("how a sandbox is told to confine a line", () => {
  it("on macOS: the profile, whose last fitting rule decides", () => {
    assert.deepEqual(confinement("seatbelt", [WORKSPACE], HOME), {
      args: [
        "-p",
        `(version 1)
(allow default)
(deny network*)
(deny file-write*)
(allow file-write* (subpath "/private/tmp") (subpath "/private/var/folders") (literal "/dev/null") (literal "/dev/tty"))
(allow file-write* (subpath "/home/u/app"))
(deny file-write* (subpath "/home/u/app/.git/hooks") (subpath "/home/u/app/.git/config") (subpath "/home/u/app/.vscode") (subpath "/home/u/app/.npmrc") (subpath "/home/u/app/.git/info") (subpath "/home/u/app/.gitattributes") (subpath "/home/u/app/.gitmodules") (subpath "/home/u/app/.idea") (subpath "/home/u/app/.devcontainer") (subpath "/home/u/app/.github") (subpath "/home/u/app/.husky") (subpath "/home/u/app/.githooks") (subpath "/home/u/app/.autogpt") (subpath "/home/u/app/.autogptignore") (subpath "/home/u/app/.cursor") (subpath "/home/u/app/.claude") (subpath "/home/u/app/.mcp.json") (subpath "/home/u/app/.envrc") (subpath "/home/u/app/AGENTS.md") (subpath "/home/u/app/CLAUDE.md"))
(deny file-read* (subpath "/home/u/.ssh") (subpath "/home/u/.docker") (subpath "/home/u/app/.env") (subpath "/home/u/app/.npmrc") (subpath "/home/u/.netrc"))`,
      ],
      standIns: [],
    });
  });

  it("on macOS: a path cannot end its quotes and add a rule", () => {
    const evil = { path: '/home/u/a")(allow network*)("b\\', files: [], folders: [] };
    const [, profile = ""] = confinement("seatbelt", [evil], undefined).args;
    assert.equal(profile.includes('(subpath "/home/u/a\\")(allow network*)(\\"b\\\\")'), true);
  });

  it("on Linux: no network, the workspace over a disk that stays as it is, and keys covered last", () => {
    const { args, standIns } = confinement("bubblewrap", [WORKSPACE], HOME);
    const at = (...words: readonly string[]): number =>
      args.findIndex((_, index) => words.every((word, offset) => args[index + offset] === word));
    const order = [
      at("--ro-bind", "/", "/"),
      at("--bind", "/home/u/app", "/home/u/app"),
      at("--tmpfs", "/home/u/.ssh"),
      at("--ro-bind-try", "/home/u/app/.git/hooks"),
      at("--ro-bind", "/dev/null", "/home/u/app/.env"),
    ];
    assert.deepEqual(
      [order.every((place) => place !== -1), order.toSorted((a, b) => a - b), args.includes("--unshare-net")],
      [true, order, true],
    );
    assert.deepEqual([standIns.includes("/home/u/app/.idea"), args.at(-1)], [true, "--"]);
  });
});

describe("lines in the sandbox", () => {
  const trusted = { sandbox: "trusted" } as const;

  it("run unasked only when it is trusted, and only those that delete and overwrite nothing", async () => {
    const lines = ["npm test", "rm -r build", "echo x > a.ts", "git checkout .", "make all | tee log"];
    const verdicts = await Promise.all(
      lines.map(async (line) => [
        await judged(runs(line), { sandbox: "confined" }),
        await judged(runs(line), trusted),
      ]),
    );
    assert.deepEqual(verdicts, [
      ["ask programs", "allow sandbox"],
      ["ask programs", "ask programs"],
      ["ask programs", "ask programs"],
      ["ask programs", "ask programs"],
      ["ask programs", "allow sandbox"],
    ]);
  });

  it("still ask about protected files, what cannot be read, and what a rule says, and are still refused what destroys", async () => {
    const verdicts = await Promise.all(
      ["cat .env", "eval $x", "rm -rf /", "git push"].map((line) =>
        judged(runs(line), {
          ...trusted,
          ...CONTINUOUS,
          rules: [
            {
              name: "mine",
              command: "execute_shell",
              action: "refuse",
              match: { kind: "prefix", text: "git push" },
            },
          ],
        }),
      ),
    );
    assert.deepEqual(verdicts, [
      "ask sensitive-file",
      "ask unreadable-line",
      "refuse destructive",
      "refuse mine",
    ]);
  });

  it("leave the machine nowhere, so text of others does not make them ask", async () => {
    const untrusted = [{ kind: "web", name: "x" }] as const;
    assert.deepEqual(
      [await judged(runs("npm test"), { ...trusted, untrusted }), context({ untrusted }).untrusted.length],
      ["allow sandbox", 1],
    );
  });
});
