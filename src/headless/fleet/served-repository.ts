import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "../../core/ports/programs.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { sha256 } from "../../disk/sha256.ts";
import { createGitEnvironment } from "../../node/git/environment.ts";
import { runGit } from "../../node/git/git.ts";
import { findOnPath } from "../../node/processes/programs.ts";

const NAME = /^[0-9a-f]{32}$/;
const CREATE_MS = 60_000;

/** The name of the repository on this machine for one at an address. */
export function getServedRepositoryName(address: string): string {
  return sha256(address).slice(0, 32);
}

/** The repository on this machine through which the runs of another machine's repository travel, created if it's missing. */
export async function openServedRepository(data: string, name: string): Promise<Repository> {
  if (!NAME.test(name)) throw new Error("That isn't the name of a repository for runs.");
  const folder = join(data, "fleet", "repositories", `${name}.git`);
  const repository = { root: folder, gitFolder: folder };
  if ((await readFileText(join(folder, "HEAD")).catch(() => "")) !== "") return repository;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const program = findOnPath(["git"]);
  if (program === undefined)
    throw new Error("Git isn't installed on this machine. Install it, then send the run again.");
  const answer = await runGit({
    program,
    cwd: folder,
    env: createGitEnvironment(process.env, [], "nothing"),
    args: ["init", "--quiet", "--bare", folder],
    signal: new AbortController().signal,
    timeoutMs: CREATE_MS,
  });
  if (!answer.ok) throw new Error(`The repository for runs couldn't be created: ${answer.why}`);
  return repository;
}
