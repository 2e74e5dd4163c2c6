// Format, lint, types and dead code. All of them run, whatever the earlier ones found.
import { runNode } from "../setup/node-program.mjs";

const colour = process.stdout.isTTY ? "force" : "off";

const CHECKS = {
  "format and lint": ["biome", "check", `--colors=${colour}`],
  types: ["tsc", "-p", "."],
  "types of the core": ["tsc", "-p", "src/core"],
  "dead code": ["knip", "--no-progress"],
  "licence list": ["scripts/licenses.mjs", "--check"],
  "settings in the README": ["scripts/settings-table.mjs", "--check"],
};

const results = await Promise.all(
  Object.entries(CHECKS).map(async ([name, command]) => ({
    name,
    ...(await runNode(command, { capture: true })),
  })),
);
for (const { name, code, output, seconds } of results) {
  console.log(`${code === 0 ? "✔" : "✘"} ${name} (${seconds.toFixed(1)} s)`);
  if (code !== 0) console.log(output.trimEnd());
}
process.exitCode = results.every(({ code }) => code === 0) ? 0 : 1;
