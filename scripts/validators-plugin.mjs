import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const COMPILER = path.join(import.meta.dirname, "compile-validators.mjs");

/**
 * esbuild plugin: the validators in src/schema, compiled ahead of time. The panel's content security policy forbids code
 * that is made at run time, and nothing else has to load ajv's compiler and the schemas for them.
 */
export const validatorsPlugin = {
  name: "validators",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/]schema[\\/][\w-]+-validators\.ts$/ }, async ({ path: file }) => {
      const folder = path.dirname(file);
      const watchFiles = fs.readdirSync(folder).map((name) => path.join(folder, name));
      // A process of its own: a module that changes while a build watches is loaded only once.
      const { stdout } = await run(process.execPath, [COMPILER, file], { maxBuffer: 16 * 1024 * 1024 });
      return { contents: stdout, loader: "js", watchFiles };
    });
  },
};
