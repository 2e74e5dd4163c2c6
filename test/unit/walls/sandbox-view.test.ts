import assert from "node:assert/strict";
import { buildBubblewrapArguments } from "../../../src/walls/bubblewrap.ts";
import { describeSandboxView } from "../../../src/walls/sandbox-view.ts";
import { buildSeatbeltArguments, CLOSED_DOORS } from "../../../src/walls/seatbelt.ts";
import { createView, MAC_SYSTEM } from "../../../src/walls/view.ts";

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
    const view = describeSandboxView("bubblewrap", [WORKSPACE], AROUND);
    const { readable, sealed, scratch, writable, fixed, emptied, blanked } = view;
    const rest = { scratch: scratch.map(({ at }) => at), writable, fixed, emptied, blanked };
    assert.deepEqual(
      [rest, readable.includes("/home/u/.nvm"), readable.slice(-1), sealed.includes("/home/u/app/.envrc")],
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
    const tree = { path: "/w", files, folders: [], links };
    const { blanked, fixed } = describeSandboxView("bubblewrap", [tree], AROUND);
    assert.deepEqual([blanked, fixed], [["/w/config/real.txt"], ["/w/docs/agents.txt"]]);
  });

  it("hides a folder with many secrets as a whole, and refuses what is more than it can hide", () => {
    const many = (folder: string): string[] => Array.from({ length: 30 }, (_, at) => `${folder}/${at}.pem`);
    const { emptied, blanked } = describeSandboxView(
      "bubblewrap",
      [{ path: "/w", files: [...many("keys"), ".env"], folders: [] }],
      AROUND,
    );
    const scattered = Array.from({ length: 3000 }, (_, at) => `${at}/.env`);
    assert.deepEqual([emptied, blanked], [["/w/keys"], ["/w/.env"]]);
    assert.throws(
      () => describeSandboxView("bubblewrap", [{ path: "/w", files: scattered, folders: [] }], AROUND),
      /more files than it can/,
    );
  });

  it("on macOS: the profile, whose last fitting rule decides", () => {
    const tree = { path: "/home/u/app", files: ["a/.env"], folders: [".git"] };
    const view = describeSandboxView("seatbelt", [tree], { ...AROUND, needed: [] });
    const [, profile = ""] = buildSeatbeltArguments(view);
    const lines = profile
      .split("\n")
      .filter((line) => !CLOSED_DOORS.includes(line) && !/\/dev\/(?:ttys|ptmx)|unix-socket/.test(line));
    const git = "[gG][iI][tT]";
    assert.deepEqual(
      [
        lines.slice(0, 5),
        lines[5]?.startsWith(`(deny file-write* (regex #"/(\\.${git}|\\.${git}[aA]`),
        lines[7]?.startsWith('(deny file-write* (subpath "/home/u/app/.git") (subpath "/home/u/app/.gitattributes")'),
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

  it("on macOS: lines write to their own home and temporary folder, and of the others' only to what mktemp names", () => {
    const own = ["/private/var/folders/a/b/T/x/home", "/private/var/folders/a/b/T/x/tmp"];
    const view = describeSandboxView("seatbelt", [WORKSPACE], { ...AROUND, own });
    const [, profile = ""] = buildSeatbeltArguments(view);
    const written = profile.split("\n").findLast((line) => line.startsWith("(allow file-write*"));
    const read = profile.split("\n").findLast((line) => line.startsWith("(allow file-read* (subpath"));
    assert.deepEqual(
      {
        written: written?.match(/\((?:subpath|regex) #?"\S+/g),
        isRead: own.every((path) => read?.includes(`(subpath "${path}")`)),
      },
      {
        written: [
          '(subpath "/private/tmp")',
          `(subpath "${own[0]}")`,
          `(subpath "${own[1]}")`,
          '(subpath "/dev/fd")',
          '(regex #"^/private/var/folders/[^/]+/[^/]+/T/tmp[.]"))',
        ],
        isRead: true,
      },
    );
  });

  it("on macOS: lines listen in folders of their own, and only those that may reach the user's services connect to anything", () => {
    const network = (machine: Partial<Parameters<typeof describeSandboxView>[2]>): readonly string[] => {
      const tree = { path: "/w", files: [], folders: [".ssh"] };
      const view = describeSandboxView("seatbelt", [tree], { ...AROUND, own: ["/t/home"], ...machine });
      return (buildSeatbeltArguments(view)[1] ?? "").split("\n").filter((line) => line.includes(" network"));
    };
    const listening = [
      "(deny network*)",
      '(allow network-bind (local unix-socket (subpath "/w")) (local unix-socket (subpath "/t/home")))',
    ];
    const connecting = [
      '(allow network-outbound (remote unix-socket (subpath "/w")) (remote unix-socket (subpath "/t/home")))',
    ];
    const hidden = [
      '(deny network-bind (local unix-socket (subpath "/w/.ssh")))',
      '(deny network-outbound (remote unix-socket (subpath "/w/.ssh")))',
    ];
    const loopback = [
      '(allow network-bind (local ip "localhost:*"))',
      '(allow network-inbound (local ip "localhost:*"))',
      '(allow network-outbound (remote ip "localhost:*"))',
    ];
    assert.deepEqual(
      { without: network({}), allowed: network({ hasLoopback: true }) },
      { without: [...listening, ...hidden], allowed: [...listening, ...connecting, ...hidden, ...loopback] },
    );
  });

  it("on macOS: no outside process can be asked to act for a line, whether it works in the workspace or in a copy", () => {
    const views = [
      describeSandboxView("seatbelt", [WORKSPACE], AROUND),
      createView({ system: MAC_SYSTEM, writable: ["/c/w", "/c/h", "/c/t"] }),
    ];
    const profiles = views.map((view) => buildSeatbeltArguments(view)[1] ?? "");
    const rules = [
      "(deny mach-lookup)",
      "(deny appleevent-send)",
      "(deny lsopen)",
      "(deny job-creation)",
      "(deny signal)",
      "(deny process-info*)",
    ];
    const names = ["open", "osascript", "shortcuts", "automator", "security", "crontab"];
    const programs = ["/bin/launchctl", ...names.map((name) => `/usr/bin/${name}`)];
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
        /launchservicesd|com\.apple\.lsd|appleevents|pasteboard|securityd|cfprefsd|trustd/.test(profile),
        programs.filter((path) => !exec(profile).includes(`(literal "${path}")`)),
        exec(profile).startsWith("(deny"),
      ]),
      Array(2).fill([[], false, [], true]),
    );
  });

  it("on macOS: a path cannot end its quotes and add a rule", () => {
    const evil = { path: '/home/u/a")(allow network*)("b\\', files: [], folders: [] };
    const [, profile = ""] = buildSeatbeltArguments(describeSandboxView("seatbelt", [evil], AROUND));
    assert.equal(profile.includes('(subpath "/home/u/a\\")(allow network*)(\\"b\\\\")'), true);
  });

  it("on Linux: no network, the workspace over an empty disk with the system's folders, and keys covered last", () => {
    const view = describeSandboxView("bubblewrap", [WORKSPACE], AROUND);
    const args = buildBubblewrapArguments(view);
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
    assert.deepEqual([view.sealed.includes("/home/u/app/.idea"), after(args, "--bind")], [true, ["/home/u/app"]]);
  });
});
