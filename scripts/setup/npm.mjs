import { spawnSync } from "node:child_process";
import path from "node:path";

/**
 * Runs npm in a folder and waits for it. What npm prints goes to standard error, so that the standard output of
 * a task stays its own. Throws when npm fails.
 */
export function npm(args, folder) {
  const [command, before] = npmCommand();
  const result = spawnSync(command, [...before, ...args], {
    cwd: folder,
    stdio: ["ignore", 2, 2],
    shell: command.endsWith(".cmd"),
  });
  if (result.error) throw new Error(`npm could not be started (${result.error.message}). Install Node with npm.`);
  if (result.status !== 0) {
    throw new Error(`"npm ${args.join(" ")}" failed in ${folder}. Read npm's message above, then run it again.`);
  }
}

/** The npm that called us when there is one, else the first on the PATH; Windows can start only its `.cmd`. */
function npmCommand() {
  const caller = process.env.npm_execpath ?? "";
  if (path.basename(caller) === "npm-cli.js") return [process.execPath, [caller]];
  return [process.platform === "win32" ? "npm.cmd" : "npm", []];
}
