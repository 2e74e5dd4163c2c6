// Runs that continue on other machines: programs are killed at random moments, servers are real. Takes many minutes. Each file of
// test/fleet is a group; --only NAME takes one. Other arguments go to mocha. FLEET_MOVES says how many runs are moved.
import fs from "node:fs";
import path from "node:path";
import { findDeployLints } from "../setup/deploy-lints.mjs";
import { prepareHost } from "../setup/host.mjs";
import { runNode } from "../setup/node-program.mjs";
import { temporalPrograms } from "../setup/temporal.mjs";

const args = process.argv.slice(2);
const at = args.indexOf("--only");
const only = at === -1 ? "*" : args.splice(at, 2)[1];
const files = args.some((arg) => arg.endsWith(".ts")) ? [] : fs.globSync(`test/fleet/${only}.test.ts`).sort();
if (files.length === 0 && !args.some((arg) => arg.endsWith(".ts")))
  throw new Error(`There is no test/fleet/${only}.test.ts.`);
process.env.PATH = [...(await temporalPrograms()), process.env.PATH].join(path.delimiter);
if (files.some((file) => file.endsWith("deploy-files.test.ts"))) process.env.DEPLOY_LINTS = await findDeployLints();
if (files.some((file) => file.endsWith("window.test.ts"))) await prepareHost();
const { code } = await runNode(["mocha", "--reporter", "test/host/counted-spec.ts", "--fail-zero", ...args, ...files]);
process.exitCode = code;
