import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Repository } from "../core/ports/programs.ts";
import { onPath } from "./executables.ts";
import { gitEnvironment } from "./git-environment.ts";
import { type TrackedFile, trackedFiles } from "./git-index.ts";
import { repositoryAround } from "./git-repository.ts";

/** A file of a repository that was last changed before git looked at it: what git has of it is what it holds. */
interface Clean extends TrackedFile {
  readonly repository: Repository;
}

const LARGEST = 32 * 1024 * 1024;
const LONGEST_MS = 10_000;

/**
 * Says, of the files of some folders as they are when it is called, what they hold, as far as git has it: they are tracked, and
 * unchanged since they were added. `seen` begins with a file's bytes and its time of change in nanoseconds. Git only reads, and runs
 * no other program.
 */
export function committedFiles(folders: () => readonly string[], env: NodeJS.ProcessEnv = process.env) {
  return async () => {
    const clean = new Map<string, Clean>();
    for (const folder of folders()) for (const [path, file] of await cleanIn(folder)) clean.set(path, file);
    return async (path: string, seen: string) => {
      const file = clean.get(path);
      const [bytes, changedNs] = seen.split(" ");
      if (!file || bytes !== String(file.bytes) || changedNs !== String(file.changedNs)) return undefined;
      const content = await contentOf(file, env);
      // Of another size: a filter stands between the file and what git keeps of it.
      if (content?.length !== file.bytes) return undefined;
      return { bytes: content, mode: file.isExecutable ? 0o755 : 0o644 };
    };
  };
}

async function cleanIn(folder: string): Promise<ReadonlyMap<string, Clean>> {
  const repository = await repositoryAround(folder);
  if (!repository) return new Map();
  const index = join(repository.gitFolder, "index");
  const written = await stat(index, { bigint: true }).catch(() => undefined);
  const files = written && (await trackedFiles(index));
  return new Map(
    (files ?? [])
      .filter((file) => written !== undefined && file.changedNs < written.mtimeNs)
      .map((file) => [join(repository.root, file.name), { ...file, repository }]),
  );
}

async function contentOf({ blob, repository }: Clean, env: NodeJS.ProcessEnv): Promise<Buffer | undefined> {
  const program = onPath(["git"], env);
  if (program === undefined) return undefined;
  const where = { GIT_DIR: repository.gitFolder, GIT_WORK_TREE: repository.root };
  const { stdout } = await promisify(execFile)(program, ["--no-pager", "cat-file", "blob", blob], {
    ...{ cwd: repository.root, encoding: "buffer", windowsHide: true },
    ...{ maxBuffer: LARGEST, timeout: LONGEST_MS },
    env: { ...gitEnvironment(env, [], "nothing"), ...where },
  });
  return stdout;
}
