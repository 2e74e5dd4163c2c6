// Bundles the worker of a fleet into dist-worker/, with its package.json: it needs Node and the packages that it names.
import fs from "node:fs";
import { bundleWorkflowCode } from "@temporalio/worker";
import { buildCommandLine } from "../build-command-line.mjs";
import { inRoot } from "../setup/root.mjs";

const { version, license, devDependencies: ours } = JSON.parse(fs.readFileSync(inRoot("package.json"), "utf8"));
const { name, description, devDependencies } = JSON.parse(
  fs.readFileSync(inRoot("packages/worker/package.json"), "utf8"),
);
/** They bring programs for each system, or are loaded by them. */
const dependencies = Object.fromEntries(
  ["@temporalio/activity", "@temporalio/client", "@temporalio/common", "@temporalio/worker"].map((one) => [
    one,
    { ...ours, ...devDependencies }[one],
  ]),
);

await buildCommandLine("dist-worker", { "autogpt-worker": "packages/worker/src/main.ts" }, Object.keys(dependencies));
const { code } = await bundleWorkflowCode({ workflowsPath: inRoot("packages/worker/src/workflow.ts") });
fs.writeFileSync(inRoot("dist-worker/workflow-bundle.js"), code);
const shipped = { name, version, description, license, type: "module", bin: { [name]: `${name}.mjs` }, dependencies };
fs.writeFileSync(inRoot("dist-worker/package.json"), `${JSON.stringify(shipped, undefined, 2)}\n`);
