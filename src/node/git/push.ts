import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { GitAnswer, Repository } from "../../core/ports/programs.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { findOnPath } from "../processes/programs.ts";
import { createGitEnvironment, type GitSetting } from "./environment.ts";
import { runGit } from "./git.ts";

/** A commit to send to a branch of another repository over HTTP. */
export interface Push {
  readonly commit: string;
  /** Address of the other repository, without credentials. */
  readonly address: string;
  readonly branch: string;
  /** Sent to this address alone. */
  readonly token: string;
  /** The name that the server wants before a token, such as `x-access-token`. */
  readonly user: string;
  /** The branch must not exist there; otherwise the commit has to continue it. */
  readonly isNewBranch: boolean;
  readonly signal: AbortSignal;
}

const PUSH_MS = 600_000;

/**
 * Sends a commit with the user's token. The repository's own settings are never read, because they could name other addresses or programs:
 * git runs in an empty repository that borrows the objects. Never replaces a branch, and asks for nothing.
 */
export async function pushCommit(
  { gitFolder }: Repository,
  push: Push,
  env: NodeJS.ProcessEnv = process.env,
): Promise<GitAnswer> {
  const program = findOnPath(["git"], env);
  if (program === undefined) return { ok: false, why: "Git isn't installed." };
  const { commit, address, branch, isNewBranch, signal } = push;
  const place = await mkdtemp(join(tmpdir(), "autogpt-push-"));
  try {
    await createObjectsLink(place, gitFolder, commit);
    const settings = createPushSettings(push);
    const lease = isNewBranch ? [`--force-with-lease=refs/heads/${branch}:`] : [];
    return await runGit({
      program,
      cwd: place,
      env: { ...createGitEnvironment(env, settings, "clone"), GIT_NO_LAZY_FETCH: "1", GIT_DIR: place },
      args: ["--no-pager", "push", "--no-verify", ...lease, address, `${commit}:refs/heads/${branch}`],
      signal,
      timeoutMs: PUSH_MS,
    });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Makes a bare repository without refs that finds its objects in another one. `commit`: any hash in that one. */
export async function createObjectsLink(place: string, gitFolder: string, commit: string): Promise<void> {
  const shared = (await readFileText(join(gitFolder, "commondir")).catch(() => ".")).trim();
  const common = resolve(gitFolder, shared);
  for (const folder of ["objects/info", "refs"]) await mkdir(join(place, folder), { recursive: true });
  const format = commit.length > SHA1_LENGTH ? "[extensions]\n\tobjectFormat = sha256\n" : "";
  const version = format === "" ? 0 : 1;
  await writeFile(join(place, "HEAD"), "ref: refs/heads/none\n");
  await writeFile(join(place, "config"), `[core]\n\trepositoryformatversion = ${version}\n\tbare = true\n${format}`);
  await writeFile(join(place, "objects/info/alternates"), `${join(common, "objects")}\n`);
  // Without it, git takes the oldest commits of a shallow clone for damaged ones.
  const shallow = await readFileText(join(common, "shallow")).catch(() => undefined);
  if (shallow !== undefined) await writeFile(join(place, "shallow"), shallow);
}

const SHA1_LENGTH = 40;

function createPushSettings({ address, user, token }: Push): readonly GitSetting[] {
  const basic = Buffer.from(`${user}:${token}`).toString("base64");
  return [
    ["credential.helper", ""],
    [`http.${address}.extraHeader`, `Authorization: Basic ${basic}`],
  ];
}
