// Tests with the real servers that a team shares a memory through, which are installed from packages and killed many times. Arguments go to mocha.
import fs from "node:fs";
import { runNode } from "../setup/node-program.mjs";

const forMocha = process.argv.slice(2);
const files = forMocha.some((arg) => arg.endsWith(".ts")) ? [] : fs.globSync("test/backends/*.backends.ts").sort();
const { code } = await runNode(["mocha", "--reporter", "test/host/counted-spec.ts", ...forMocha, ...files]);
process.exitCode = code;
