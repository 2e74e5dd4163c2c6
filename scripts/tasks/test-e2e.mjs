// UI tests against the packaged extension, which is made first unless --no-package is given; with --development
// against the sources as they are. Other arguments go to mocha; patterns of test files replace ours. The files of one
// folder share a window, so they come one after the other.
import fs from "node:fs";
import { prepareHost } from "../setup/host.mjs";
import { runNode } from "../setup/node-program.mjs";

const FLAGS = ["--development", "--no-package"];

const args = process.argv.slice(2);
const development = args.includes("--development");
const forMocha = args.filter((arg) => !FLAGS.includes(arg));
const mocha = [
  ...["--reporter", "test/host/counted-spec.ts", "--require", "test/e2e/support/hooks.ts", "--fail-zero"],
  ...[
    "--timeout",
    "60000",
    ...forMocha,
    ...(forMocha.some((arg) => arg.endsWith(".ts")) ? [] : fs.globSync("test/e2e/**/*.e2e.ts").sort()),
  ],
];

const build = development ? ["esbuild.mjs"] : ["scripts/tasks/package.mjs"];
const steps = [...(args.includes("--no-package") ? [] : [build]), ["mocha", ...mocha]];

await prepareHost();
for (const step of steps) {
  const { code } = await runNode(step, { env: { AUTOGPT_E2E: development ? "development" : "packaged" } });
  process.exitCode = code;
  if (code !== 0) break;
}
