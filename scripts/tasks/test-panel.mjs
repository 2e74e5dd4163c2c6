// Tests of the panel's page in a browser, without VS Code around it. Arguments go to mocha: patterns of test files replace ours.
import { prepareHost } from "../setup/host.mjs";
import { runNode } from "../setup/node-program.mjs";

const args = process.argv.slice(2);
const patterns = args.some((arg) => arg.endsWith(".ts")) ? [] : ["test/panel/**/*.panel.ts"];

await prepareHost();
const reporter = ["--reporter", "test/host/counted-spec.ts", "--fail-zero", "--timeout", "60000"];
process.exitCode = (await runNode(["mocha", ...reporter, ...args, ...patterns])).code;
