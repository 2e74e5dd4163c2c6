import assert from "node:assert/strict";
import { judged } from "../readers.ts";
import { CONTINUOUS, context, runs } from "../support.ts";

describe("lines in the sandbox", () => {
  const trusted = { sandbox: "trusted" } as const;

  it("run unasked only when it is trusted, and only those that delete and overwrite nothing", async () => {
    const lines = ["npm test", "rm -r build", "echo x > a.ts", "git checkout .", "make all | tee log"];
    const verdicts = await Promise.all(
      lines.map(async (line) => [await judged(runs(line), { sandbox: "confined" }), await judged(runs(line), trusted)]),
    );
    assert.deepEqual(verdicts, [
      ["ask programs", "allow sandbox"],
      ["ask programs", "ask programs"],
      ["ask programs", "ask programs"],
      ["ask far-reaching", "ask far-reaching"],
      ["ask programs", "allow sandbox"],
    ]);
  });

  it("ask before programs that have others outside act for them, however they are called", async () => {
    const lines = [
      "open https://example.com",
      "/usr/bin/open -a Terminal x.command",
      "osascript -e 'tell app \"Finder\" to quit'",
      "env osascript x.scpt",
      "automator x.workflow",
      "shortcuts run x",
      "security find-generic-password -w x",
      "echo 'touch x' | batch",
      "pbpaste",
      "defaults write com.apple.x y z",
      "launchctl submit -l x -- ./x",
      "find . -name '*.command' -exec open {} +",
      "xdg-open x.html",
      "busctl --user call org.freedesktop.systemd1 /org x y",
      "flatpak-spawn --host ls",
      "systemd-run --user ls",
    ];
    const verdicts = await Promise.all(lines.map((line) => judged(runs(line), trusted)));
    assert.deepEqual(
      lines.filter((_, at) => !verdicts[at]?.startsWith("ask")),
      [],
    );
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
    assert.deepEqual(verdicts, ["ask sensitive-file", "ask unreadable-line", "refuse destructive", "refuse mine"]);
  });

  it("ask once one of them has changed what steers programs, whatever else allows them", async () => {
    const tampered = "/home/u/app/sub/.git appeared";
    const verdicts = await Promise.all(
      ["npm test", "ls"].map((line) =>
        judged(runs(line), { ...trusted, ...CONTINUOUS, readOnlyShell: true, tampered }),
      ),
    );
    assert.deepEqual(verdicts, Array(2).fill("ask control-files-changed"));
  });

  it("leave the machine nowhere, so text of others does not make them ask", async () => {
    const untrusted = [{ kind: "web", name: "x" }] as const;
    assert.deepEqual(
      [await judged(runs("npm test"), { ...trusted, untrusted }), context({ untrusted }).untrusted.length],
      ["allow sandbox", 1],
    );
  });
});
