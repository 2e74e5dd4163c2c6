// Tests with real servers in Python: the LiteLLM proxy, llama-cpp-python and httpbin, which run from the Python programs in
// AUTOGPT_LITELLM_PYTHON, AUTOGPT_LLAMA_PYTHON and AUTOGPT_HTTPBIN_PYTHON (absent: python3). A server that isn't installed is skipped with a
// sentence. Arguments go to mocha; patterns of test files replace ours.
import fs from "node:fs";
import { runNode } from "../setup/node-program.mjs";

const forMocha = process.argv.slice(2);
const files = forMocha.some((arg) => arg.endsWith(".ts")) ? [] : fs.globSync("test/servers/*.servers.ts").sort();
const { code } = await runNode(["mocha", "--reporter", "test/host/counted-spec.ts", ...forMocha, ...files]);
process.exitCode = code;
