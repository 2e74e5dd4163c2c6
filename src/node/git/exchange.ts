import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { GitAnswer, Repository } from "../../core/ports/programs.ts";
import { findOnPath } from "../processes/programs.ts";
import { createGitEnvironment, createReceivingLine, type GitSetting } from "./environment.ts";
import { createHarmlessGit, runGit } from "./git.ts";
import { findObjectsFolder } from "./objects.ts";
import { createObjectsLink } from "./push.ts";

/** Another repository that the user has named, to exchange refs with. */
export interface RemotePlace {
  /** An address, or the absolute path of a repository on this machine. */
  readonly address: string;
  /** The command line of `ssh`; absent: the system's, which asks for nothing. */
  readonly ssh?: string;
  /** Such as a header with a token. */
  readonly settings?: readonly GitSetting[];
}

const EXCHANGE_MS = 600_000;
const MOST_REFS = 50_000_000;
/** Any hash shows the format of a repository's objects. */
const SHA1 = "0".repeat(40);

/** Reads where a ref of another repository is; an empty text if there is none. */
export function readRemoteRef(
  repository: Repository,
  remote: RemotePlace,
  ref: string,
  signal: AbortSignal,
): Promise<GitAnswer> {
  return exchange(repository, remote, ["ls-remote", "--refs", "--end-of-options", remote.address, ref], signal);
}

/** Brings the objects of a ref of another repository into this one. No ref and no file of this one changes. */
export function fetchRef(
  repository: Repository,
  remote: RemotePlace,
  ref: string,
  signal: AbortSignal,
): Promise<GitAnswer> {
  const args = ["fetch", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--end-of-options"];
  return exchange(repository, remote, [...args, remote.address, ref], signal, { isStored: true });
}

/**
 * Moves a ref of another repository to a commit, if it still is where it's expected; `expected` is empty for a new ref. An empty `commit`
 * deletes it.
 */
export function pushRef(
  repository: Repository,
  remote: RemotePlace,
  move: { readonly ref: string; readonly commit: string; readonly expected: string },
  signal: AbortSignal,
): Promise<GitAnswer> {
  const { ref, commit, expected } = move;
  const args = ["push", "--no-verify", `--force-with-lease=${ref}:${expected}`];
  const receiving = isAbsolute(remote.address) ? [`--receive-pack=${createReceivingLine()}`] : [];
  const words = [...args, ...receiving, "--end-of-options", remote.address, `${commit}:${ref}`];
  return exchange(repository, remote, words, signal, { sent: commit });
}

/**
 * Runs git in an empty repository that borrows the objects, because the repository's own settings could name other addresses or programs.
 */
async function exchange(
  repository: Repository,
  { address, ssh, settings = [] }: RemotePlace,
  args: readonly string[],
  signal: AbortSignal,
  { sent, isStored }: { readonly sent?: string; readonly isStored?: boolean } = {},
): Promise<GitAnswer> {
  const program = findOnPath(["git"], process.env);
  if (program === undefined) return { ok: false, why: "Git isn't installed." };
  // The other side compares a commit that is sent with its own refs.
  const refs = sent === undefined ? await listRefs(repository, signal) : "";
  const place = await mkdtemp(join(tmpdir(), "autogpt-exchange-"));
  try {
    await createObjectsLink(place, repository.gitFolder, sent ?? (refs.split(" ")[0] || SHA1));
    // They say which objects are here already.
    await writeFile(join(place, "packed-refs"), refs);
    const isLocal = isAbsolute(address);
    const more: readonly GitSetting[] = isLocal ? [...settings, ["protocol.file.allow", "always"]] : settings;
    const env = createGitEnvironment(process.env, more, "clone");
    return await runGit({
      program,
      cwd: place,
      env: {
        ...env,
        GIT_NO_LAZY_FETCH: "1",
        GIT_DIR: place,
        ...(isLocal ? { GIT_ALLOW_PROTOCOL: "file" } : {}),
        ...(ssh === undefined ? {} : { GIT_SSH_COMMAND: ssh }),
        ...(isStored ? { GIT_OBJECT_DIRECTORY: await findObjectsFolder(repository) } : {}),
      },
      args: ["--no-pager", ...args],
      signal,
      timeoutMs: EXCHANGE_MS,
    });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

async function listRefs(repository: Repository, signal: AbortSignal): Promise<string> {
  const git = await createHarmlessGit(repository, signal);
  if ("why" in git) return "";
  const answer = await git(["for-each-ref", "--format=%(objectname) %(refname)"], { most: MOST_REFS });
  const head = await git(["rev-parse", "--verify", "--quiet", "HEAD"]);
  return `${answer.ok ? answer.text : ""}${head.ok ? `${head.text.trim()} refs/heads/autogpt-head\n` : ""}`;
}
