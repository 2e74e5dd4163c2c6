import assert from "node:assert/strict";
import { buildConfinement } from "../../../../src/safety/sandbox/confinement.ts";
import { buildSandboxPlan } from "../../../../src/safety/sandbox/plan.ts";
import { CLOSED_DOORS } from "../../../../src/safety/sandbox/seatbelt.ts";
import { buildSeatbeltWalls } from "../../../../src/safety/sandbox/walls.ts";
import { judged } from "../readers.ts";
import { CONTINUOUS, context, runs } from "../support.ts";

const WORKSPACE = {
  path: "/home/u/app",
  files: ["a.ts", ".env", ".npmrc", "packages/a/AGENTS.md", "packages/a/.vscode/tasks.json", "bare/HEAD"],
  folders: [".git", ".vscode", "src", "packages/a/.vscode", "packages/b/.git", "bare/objects", "bare/refs"],
};
const AROUND = { home: "/home/u", needed: ["/opt/node/bin", "/home/u/app/node_modules/.bin"], isRoot: false };

/** The paths that a flag of bubblewrap's is given for. */
function after(args: readonly string[], flag: string): readonly string[] {
  return args.flatMap((arg, at) => (arg === flag ? [args[at + 1] ?? ""] : []));
}

describe("how a sandbox is instructed to confine a line", () => {
  it("holds what steers programs wherever it is, hides secrets, and shows no other project", () => {
    const plan = buildSandboxPlan([WORKSPACE], AROUND);
    const { readable, absent, ...rest } = plan;
    assert.deepEqual(
      [rest, readable.includes("/home/u/.nvm"), readable.slice(-1), absent.includes("/home/u/app/.envrc")],
      [
        {
          scratch: ["/tmp", "/var/tmp", "/run", "/home/u"],
          writable: ["/home/u/app"],
          fixed: [
            "/home/u/app/.npmrc",
            "/home/u/app/packages/a/AGENTS.md",
            "/home/u/app/.git",
            "/home/u/app/.vscode",
            "/home/u/app/packages/a/.vscode",
            "/home/u/app/packages/b/.git",
            "/home/u/app/bare/HEAD",
          ],
          emptied: [],
          blanked: ["/home/u/app/.env", "/home/u/app/.npmrc"],
        },
        true,
        ["/opt/node/bin"],
        true,
      ],
    );
  });

  it("hides what a link by the name of a secret leads to, and holds what a link by the name of a control file does", () => {
    const links = [
      { name: ".env", leadsTo: "config/real.txt" },
      { name: "CLAUDE.md", leadsTo: "docs/agents.txt" },
    ];
    const files = ["config/real.txt", "docs/agents.txt"];
    const { blanked, fixed } = buildSandboxPlan([{ path: "/w", files, folders: [], links }], AROUND);
    assert.deepEqual([blanked, fixed], [["/w/config/real.txt"], ["/w/docs/agents.txt"]]);
  });

  it("hides a folder with many secrets as a whole, and refuses what is more than it can hide", () => {
    const many = (folder: string): string[] => Array.from({ length: 30 }, (_, at) => `${folder}/${at}.pem`);
    const { emptied, blanked } = buildSandboxPlan(
      [{ path: "/w", files: [...many("keys"), ".env"], folders: [] }],
      AROUND,
    );
    const scattered = Array.from({ length: 3000 }, (_, at) => `${at}/.env`);
    assert.deepEqual([emptied, blanked], [["/w/keys"], ["/w/.env"]]);
    assert.throws(
      () => buildSandboxPlan([{ path: "/w", files: scattered, folders: [] }], AROUND),
      /more files than it can/,
    );
  });

  it("on macOS: the profile, whose last fitting rule decides", () => {
    const tree = { path: "/home/u/app", files: ["a/.env"], folders: [".git"] };
    const [, profile = ""] = buildConfinement("seatbelt", [tree], { ...AROUND, needed: [] }).args;
    const lines = profile.split("\n").filter((line) => !CLOSED_DOORS.includes(line));
    const git = "[gG][iI][tT]";
    assert.deepEqual(
      [
        lines.slice(0, 5),
        lines[5]?.startsWith(`(deny file-write* (regex #"/(\\.${git}|\\.${git}[aA]`),
        lines[7]?.startsWith(
          '(deny file-write* (subpath "/home/u/app/.git") (subpath "/home/u/app/.gitattributes")',
        ),
        lines.slice(8, 10),
        lines[10]?.endsWith('(subpath "/home/u/app"))'),
        lines.slice(11),
      ],
      [
        [
          "(version 1)",
          "(allow default)",
          "(deny network*)",
          "(deny file-write*)",
          '(allow file-write* (subpath "/home/u/app"))',
        ],
        true,
        true,
        [
          '(deny file-read* (subpath "/Users") (subpath "/Volumes") (subpath "/home/u"))',
          '(allow file-read-metadata (subpath "/Users") (subpath "/Volumes") (subpath "/home/u"))',
        ],
        true,
        ['(deny file-read* (subpath "/home/u/app/a/.env"))'],
      ],
    );
  });

  it("on macOS: no outside process can be asked to act for a line, whether it works in the workspace or in a copy", () => {
    const view = {
      home: "/Users/u",
      privateHome: "/c/h",
      temporary: "/c/t",
      readable: [],
      writable: ["/c/w"],
    };
    const profiles = [
      buildConfinement("seatbelt", [WORKSPACE], AROUND).args[1] ?? "",
      buildSeatbeltWalls(view, undefined)[1] ?? "",
    ];
    const rules = [
      "(deny mach-lookup)",
      "(deny appleevent-send)",
      "(deny lsopen)",
      "(deny job-creation)",
      "(deny signal)",
      "(deny process-info*)",
    ];
    const programs = ["/usr/bin/open", "/usr/bin/osascript", "/bin/launchctl", "/usr/bin/crontab"];
    const decides = (profile: string, rule: string): boolean => {
      const [, operation = ""] = /^\(deny ([\w-]+)/.exec(rule) ?? [];
      const later = profile.slice(profile.lastIndexOf(rule) + rule.length);
      return profile.includes(rule) && !new RegExp(`\\(allow ${operation}\\*?\\)`).test(later);
    };
    const exec = (profile: string): string =>
      profile.split("\n").findLast((line) => line.includes(" process-exec*")) ?? "";
    assert.deepEqual(
      profiles.map((profile) => [
        rules.filter((rule) => !decides(profile, rule)),
        /launchservicesd|appleevents|pasteboard|securityd|cfprefsd/.test(profile),
        programs.filter((path) => !exec(profile).includes(`(literal "${path}")`)),
        exec(profile).startsWith("(deny"),
      ]),
      Array(2).fill([[], false, [], true]),
    );
  });

  it("on macOS: a path cannot end its quotes and add a rule", () => {
    const evil = { path: '/home/u/a")(allow network*)("b\\', files: [], folders: [] };
    const [, profile = ""] = buildConfinement("seatbelt", [evil], AROUND).args;
    assert.equal(profile.includes('(subpath "/home/u/a\\")(allow network*)(\\"b\\\\")'), true);
  });

  it("on Linux: no network, the workspace over an empty disk with the system's folders, and keys covered last", () => {
    const { args, standIns } = buildConfinement("bubblewrap", [WORKSPACE], AROUND);
    const at = (...words: readonly string[]): number =>
      args.findIndex((_, index) => words.every((word, offset) => args[index + offset] === word));
    const order = [
      at("--ro-bind-try", "/usr", "/usr"),
      at("--tmpfs", "/home/u"),
      at("--ro-bind-try", "/home/u/.nvm"),
      at("--bind", "/home/u/app", "/home/u/app"),
      at("--ro-bind-try", "/home/u/app/.git"),
      at("--ro-bind", "/dev/null", "/home/u/app/.env"),
      at("--remount-ro", "/"),
    ];
    assert.deepEqual(
      [order.every((place) => place !== -1), order.toSorted((a, b) => a - b), args.includes("--unshare-net")],
      [true, order, true],
    );
    assert.deepEqual(
      [standIns.includes("/home/u/app/.idea"), after(args, "--bind")],
      [true, ["/home/u/app"]],
    );
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
    assert.deepEqual(verdicts, [
      "ask sensitive-file",
      "ask unreadable-line",
      "refuse destructive",
      "refuse mine",
    ]);
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
