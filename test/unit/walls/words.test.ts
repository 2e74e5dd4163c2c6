import { existsSync, realpathSync } from "node:fs";
import { buildWalledCommand } from "../../../src/plugins/process/walls.ts";
import { buildConfinement } from "../../../src/safety/sandbox/confinement.ts";
import { buildBubblewrapWalls, buildSeatbeltWalls } from "../../../src/safety/sandbox/walls.ts";
import { golden } from "../../support/golden.ts";

const WORKSPACE = {
  path: "/home/u/app",
  files: [
    ...["a.ts", ".env", ".npmrc", "packages/a/AGENTS.md", "packages/a/.vscode/tasks.json", "bare/HEAD"],
    ...Array.from({ length: 21 }, (_, at) => `keys/${at}.pem`),
    "keys/.envrc",
  ],
  folders: [".git", ".vscode", "keys", ".ssh", "src", "packages/b/.git", "bare/objects", "bare/refs"],
  keptOut: ["src"],
  links: [{ name: "CLAUDE.md", leadsTo: "a.ts" }],
};
const AROUND = { home: "/home/u", needed: ["/opt/node/bin", "/home/u/app/node_modules/.bin"], isRoot: false };

const ISOLATED = {
  home: "/home/u",
  privateHome: "/c/walls/home",
  temporary: "/c/walls/tmp",
  readable: ["/opt/node/bin", "/c/copy/below", "/r/code"],
  writable: ["/c/copy"],
  mounted: [
    { from: "/c/walls/layers/1/merged", at: "/c/copy/node_modules", writable: true },
    { from: "/home/u/app/.venv", at: "/home/u/app/.venv", writable: false },
  ],
  blanked: ["/etc/shadow", "/run/x.sock"],
  emptied: ["/etc/ssl/private"],
};
const USER = { user: 1000, group: 100, endsNamespaces: true };

/** A line for each option with its values. */
function formatOptions(words: readonly string[]): string {
  return words.reduce((text, word) => `${text}${word.startsWith("--") ? "\n" : " "}${word}`).trim();
}

function describePlugin(network: boolean): string {
  const view = { readable: ["/opt/node/bin", "/p/runner.js", "/p/own"], network };
  const words = buildWalledCommand("bwrap", ["node", "/p/runner.js"], "/p/own", view);
  const linked = existsSync("/etc/resolv.conf") ? realpathSync("/etc/resolv.conf") : "";
  return formatOptions(words).replace(`\n--ro-bind ${linked} ${linked}`, "");
}

describe("the words that start a program within walls", () => {
  const cases: Readonly<Record<string, () => string>> = {
    "sandbox-bubblewrap": () => formatOptions(buildConfinement("bubblewrap", [WORKSPACE], AROUND).args),
    "sandbox-bubblewrap-root": () =>
      formatOptions(buildConfinement("bubblewrap", [WORKSPACE], { ...AROUND, isRoot: true }).args),
    "sandbox-seatbelt": () => buildConfinement("seatbelt", [WORKSPACE], AROUND).args.join("\n"),
    "isolated-bubblewrap": () => formatOptions(buildBubblewrapWalls(ISOLATED, USER)),
    "isolated-bubblewrap-old": () =>
      formatOptions(buildBubblewrapWalls({ ...ISOLATED, home: "/" }, { ...USER, endsNamespaces: false })),
    "isolated-seatbelt": () => buildSeatbeltWalls(ISOLATED, undefined).join("\n"),
    "isolated-seatbelt-network": () => buildSeatbeltWalls(ISOLATED, 8080).join("\n"),
    plugin: () => describePlugin(false),
    "plugin-network": () => describePlugin(true),
  };
  for (const [name, describeWords] of Object.entries(cases))
    it(`are those of ${name}`, () => golden(`walls/${name}.txt`, describeWords()));
});
