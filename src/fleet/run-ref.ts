import type { Repository } from "../core/ports/programs.ts";
import { hidePassword } from "../node/git/author.ts";
import { fetchRef, pushRef, type RemotePlace, readRemoteRef } from "../node/git/exchange.ts";
import { createHarmlessGit, findCommitHash, type HarmlessGit } from "../node/git/git.ts";
import { isRunId } from "../runs/store/run-folder.ts";
import { DisplayError, displayText, fail } from "../texts/display-text.ts";
import type { FleetKey } from "./key.ts";

/** Where the commits of runs are kept, and with which key. */
export interface CarryPlace {
  /** The user's own folder on this machine. */
  readonly data: string;
  /** The folder of the copies; absent: the one in the user's folder. */
  readonly copies?: string;
  readonly key: FleetKey;
  /** The repository on this machine that gets the objects; a bare one is its own root. */
  readonly repository: Repository;
  /** The repository through which machines meet; absent: they meet in the one above. */
  readonly remote?: RemotePlace;
  /** Bytes that all copies on this machine may take together. */
  readonly quotaBytes?: number;
  readonly signal: AbortSignal;
}

/** The run belongs to another machine now, or to none, so this one has to stop working on it. */
export class FleetTakenError extends DisplayError {
  /** `now`: its commit; empty if it was deleted. */
  constructor(run: string, now: string) {
    super(now === "" ? displayText("fleet.gone", { run }) : displayText("fleet.taken", { run }));
    this.name = "FleetTakenError";
  }
}

/** The ref of a run. Throws a sentence for a text that is no run's ID. */
function getRunRef(run: string): string {
  return isRunId(run) ? `refs/autogpt/${run}` : fail("fleet.badRun", { run });
}

/** Git for the repository on this machine; `index`: a file in place of its index. */
export async function openCarryGit({ repository, signal }: CarryPlace, index?: string): Promise<HarmlessGit> {
  const git = await createHarmlessGit(repository, signal, index);
  return "why" in git ? fail("fleet.git", { why: git.why }) : git;
}

/** Git's output. Throws a sentence if git fails. */
export async function callCarryGit(
  git: HarmlessGit,
  args: readonly string[],
  input?: string | Buffer,
): Promise<string> {
  const answer = await git(args, { most: MOST_CHARACTERS, ...(input === undefined ? {} : { input }) });
  return answer.ok ? answer.text : fail("fleet.git", { why: answer.why });
}

const MOST_CHARACTERS = 400_000_000;

/** The last commit of a run, with its objects in the repository on this machine; undefined if there is none. */
export async function findRunCommit(place: CarryPlace, git: HarmlessGit, run: string): Promise<string | undefined> {
  const { remote, repository, signal } = place;
  const ref = getRunRef(run);
  if (!remote) return findCommitHash(git, ref);
  const commit = await readRemoteCommit(place, ref);
  if (commit === undefined || (await findCommitHash(git, commit)) === commit) return commit;
  const fetched = await fetchRef(repository, remote, ref, signal);
  return fetched.ok ? commit : fail("fleet.unreachable", { address: hidePassword(remote.address), why: fetched.why });
}

async function readRemoteCommit({ remote, repository, signal }: CarryPlace, ref: string): Promise<string | undefined> {
  if (!remote) return undefined;
  const answer = await readRemoteRef(repository, remote, ref, signal);
  if (!answer.ok) return fail("fleet.unreachable", { address: hidePassword(remote.address), why: answer.why });
  // Git also lists refs that only end in this name.
  const [hash = ""] =
    answer.text
      .split("\n")
      .find((line) => line.endsWith(`\t${ref}`))
      ?.split("\t") ?? [];
  return /^[0-9a-f]{40,64}$/.test(hash) ? hash : undefined;
}

/** Takes the commits of a run away, here and where its machines meet. Throws a sentence if that one refuses. */
export async function dropRunRef(place: CarryPlace, run: string): Promise<void> {
  const git = await openCarryGit(place);
  const { remote, repository, signal } = place;
  const ref = getRunRef(run);
  const known = await readRemoteCommit(place, ref);
  if (remote && known !== undefined) {
    const pushed = await pushRef(repository, remote, { ref, commit: "", expected: known }, signal);
    if (!pushed.ok) fail("fleet.pushRefused", { address: hidePassword(remote.address), why: pushed.why });
  }
  await callCarryGit(git, ["update-ref", "-d", ref]);
}

/**
 * Moves the ref of a run, if no other machine has moved it. `from` is empty for a new run. Throws `FleetTakenError` if one has, and a
 * sentence if the repository can't be reached or refuses.
 */
export async function moveRunRef(
  place: CarryPlace,
  git: HarmlessGit,
  run: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const { remote, repository, signal } = place;
  const ref = getRunRef(run);
  if (!remote) {
    const moved = await git(["update-ref", ref, to, from === "" ? "0".repeat(to.length) : from]);
    if (moved.ok) return;
    const now = (await findCommitHash(git, ref)) ?? "";
    if (now !== from) throw new FleetTakenError(run, now);
    fail("fleet.git", { why: moved.why });
  }
  const pushed = await pushRef(repository, remote, { ref, commit: to, expected: from }, signal);
  if (!pushed.ok) {
    const now = (await readRemoteCommit(place, ref)) ?? "";
    if (now !== from && now !== to) throw new FleetTakenError(run, now);
    if (now !== to && /shallow update not allowed/.test(pushed.why)) fail("fleet.shallow", { folder: repository.root });
    if (now !== to) fail("fleet.pushRefused", { address: hidePassword(remote.address), why: pushed.why });
  }
  // Keeps the objects here from being cleaned up.
  await git(["update-ref", ref, to]);
}
