// Format, lint, types, dead code, structure, prose and drift. All of them run, whatever the earlier ones found.
import { runNode } from "../setup/node-program.mjs";

const colour = process.stdout.isTTY ? "force" : "off";

const CHECKS = {
  "format and lint": ["biome", "check", `--colors=${colour}`],
  types: ["tsc", "-p", "."],
  "types of the core": ["tsc", "-p", "src/core"],
  "types of the panel": ["tsc", "-p", "src/webview"],
  "dead code": ["knip", "--no-progress"],
  structure: ["scripts/structure.mjs"],
  names: ["scripts/names.mjs"],
  prose: ["scripts/prose.mjs"],
  "bundles to come": ["scripts/early-bundles.mjs"],
  "licence list": ["scripts/licenses.mjs", "--check"],
  "generated files": ["scripts/generate.mjs", "--check"],
};

/** Checks whose numbers are printed even if they pass. */
const REPORTED = ["structure", "names"];

const results = await Promise.all(
  Object.entries(CHECKS).map(async ([name, command]) => ({
    name,
    ...(await runNode(command, { capture: true })),
  })),
);
for (const { name, code, output, seconds } of results) {
  console.log(`${code === 0 ? "✔" : "✘"} ${name} (${seconds.toFixed(1)} s)`);
  if (code !== 0 || REPORTED.includes(name)) console.log(output.trimEnd());
}
process.exitCode = results.every(({ code }) => code === 0) ? 0 : 1;
