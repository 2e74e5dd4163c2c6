import { existsSync, realpathSync } from "node:fs";
import { describePluginView } from "../../../src/plugins/folders/isolation.ts";
import { buildBubblewrapArguments } from "../../../src/walls/bubblewrap.ts";
import { describeSandboxView } from "../../../src/walls/sandbox-view.ts";
import { buildSeatbeltArguments } from "../../../src/walls/seatbelt.ts";
import { createView, listToolchains, MAC_SYSTEM, SYSTEM_FOLDERS, type View } from "../../../src/walls/view.ts";
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

const ISOLATED: Partial<View> = {
  user: { id: 1000, group: 100 },
  network: { kind: "shared" },
  system: SYSTEM_FOLDERS,
  scratch: [
    { at: "/run", mb: 64 },
    { at: "/tmp", from: "/c/walls/tmp" },
    { at: "/var/tmp", from: "/c/walls/tmp" },
    { at: "/home/u", from: "/c/walls/home" },
  ],
  readable: [...listToolchains("/home/u"), "/opt/node/bin", "/c/copy/below", "/r/code"],
  writable: ["/c/copy"],
  mounted: [
    { from: "/c/walls/layers/1/merged", at: "/c/copy/node_modules", writable: true },
    { from: "/home/u/app/.venv", at: "/home/u/app/.venv", writable: false },
  ],
  blanked: ["/etc/shadow", "/run/x.sock"],
  sealed: ["/etc/ssl/private"],
};

/** A line for each option with its values. */
function formatOptions(words: readonly string[]): string {
  return words.reduce((text, word) => `${text}${word.startsWith("--") ? "\n" : " "}${word}`).trim();
}

function describePlugin(network: boolean): string {
  const linked = existsSync("/etc/resolv.conf") ? realpathSync("/etc/resolv.conf") : "";
  const view = describePluginView(["/opt/node/bin", "/p/runner.js", "/p/own"], network);
  const readable = view.readable.filter((path) => path !== linked);
  const words = [...buildBubblewrapArguments({ ...view, readable }), "--chdir", "/p/own"];
  return ["bwrap", formatOptions(words), "-- node /p/runner.js"].join("\n");
}

function describeSandbox(tool: "bubblewrap" | "seatbelt", isRoot = false): string {
  const view = describeSandboxView(tool, [WORKSPACE], { ...AROUND, isRoot });
  return tool === "seatbelt" ? buildSeatbeltArguments(view).join("\n") : formatOptions(buildBubblewrapArguments(view));
}

function describeMacCopy(proxyPort?: number): string {
  const view = createView({
    network: { kind: "shared", proxyPort },
    system: MAC_SYSTEM,
    readable: ISOLATED.readable ?? [],
    writable: ["/c/copy", "/c/walls/home", "/c/walls/tmp"],
  });
  return buildSeatbeltArguments(view).join("\n");
}

describe("the words that start a program within walls", () => {
  const cases: Readonly<Record<string, () => string>> = {
    "sandbox-bubblewrap": () => describeSandbox("bubblewrap"),
    "sandbox-bubblewrap-root": () => describeSandbox("bubblewrap", true),
    "sandbox-seatbelt": () => describeSandbox("seatbelt"),
    "isolated-bubblewrap": () => formatOptions(buildBubblewrapArguments(createView(ISOLATED), true)),
    "isolated-bubblewrap-old": () => {
      const scratch = ISOLATED.scratch?.map((one) => (one.at === "/home/u" ? { ...one, at: "/" } : one)) ?? [];
      const readable = ISOLATED.readable?.map((path) => path.replace(/^\/home\/u/, "/")) ?? [];
      return formatOptions(buildBubblewrapArguments(createView({ ...ISOLATED, scratch, readable })));
    },
    "isolated-seatbelt": () => describeMacCopy(),
    "isolated-seatbelt-network": () => describeMacCopy(8080),
    plugin: () => describePlugin(false),
    "plugin-network": () => describePlugin(true),
  };
  for (const [name, describeWords] of Object.entries(cases))
    it(`are those of ${name}`, () => golden(`walls/${name}.txt`, describeWords()));
});
