import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Repository } from "../core/ports/programs.ts";
import { ignoreCodes } from "../disk/error-codes.ts";
import { replaceFile } from "../disk/replace-file.ts";
import type { Copy } from "../isolation/copy/copy.ts";
import { changeOrigin, openCopy } from "../isolation/copy/copy-record.ts";
import { createCopy } from "../isolation/copy/create-copy.ts";
import { listObjectFolders } from "../isolation/copy/own-repository.ts";
import { removeCopy } from "../isolation/copy/remove-copy.ts";
import { resolveRealPath } from "../node/files/real-path.ts";
import { createHarmlessGit } from "../node/git/git.ts";
import { createObjectsLink } from "../node/git/push.ts";
import { findRepositoryAround } from "../node/git/repository.ts";
import { getCarriedRunPath } from "../runs/store/fleet-marks.ts";
import { ensureHomeFolder, getRunsFolder, HOME } from "../runs/store/run-folder.ts";
import type { CarriedRun, FleetTask } from "../schema/fleet/tasks.ts";
import { fail } from "../texts/display-text.ts";
import { unpackCopy } from "./copy-tree.ts";
import { type CarryPlace, callCarryGit, openCarryGit } from "./run-ref.ts";

const QUOTA_BYTES = 20 * 1024 ** 3;

/** Keeps the facts about a carried run, by which this machine knows where it is and whether it may continue here. */
export async function storeCarriedRun(data: string, carried: CarriedRun): Promise<void> {
  const options = { private: true, makeFolder: true, durable: true };
  await replaceFile(getCarriedRunPath(data, carried.run), `${JSON.stringify(carried)}\n`, options);
}

function getCheckout(data: string, run: string): string {
  return join(data, "fleet", "places", run);
}

/** Deletes the checkout of a run with its log. It's gone as a whole: a part of it would count as all of it. */
export function removeCheckout(data: string, run: string): Promise<void> {
  return removeCopy(getCheckout(data, run));
}

/**
 * Checks the files of a run's base commit out into a folder of their own, which borrows the objects. No hook and no filter runs. Returns the
 * folder, which stays as it is if it's there already.
 */
export async function checkOutBase(place: CarryPlace, { run, base }: FleetTask): Promise<string> {
  const root = getCheckout(place.data, run);
  const known = await findRepositoryAround(root);
  if (known?.root === root) return root;
  const making = `${root}.tmp`;
  await rm(making, { recursive: true, force: true });
  const own = join(making, ".git");
  await mkdir(own, { recursive: true, mode: 0o700 });
  await createObjectsLink(own, place.repository.gitFolder, base);
  await writeFile(join(own, "HEAD"), `ref: refs/heads/autogpt/${run}\n`);
  await writeFile(join(own, "packed-refs"), `${base} refs/heads/autogpt/${run}\n`);
  const git = await createHarmlessGit({ root: making, gitFolder: own }, place.signal);
  if ("why" in git) return fail("fleet.git", { why: git.why });
  await callCarryGit(git, ["config", "core.bare", "false"]);
  await callCarryGit(git, ["read-tree", "--reset", "-u", base]);
  await rename(making, root).catch(ignoreCodes("ENOTEMPTY", "EEXIST"));
  return root;
}

/** The folder of the run below a checkout. Throws a sentence if the task names a place outside. */
export async function getTaskFolder(root: string, { folder }: FleetTask): Promise<string> {
  if (folder !== "" && folder.split("/").some((name) => name === "" || name === "." || name === ".."))
    fail("fleet.badName", { file: folder });
  const path = join(root, folder);
  await mkdir(path, { recursive: true });
  return (await resolveRealPath(path)) === path ? path : fail("fleet.badName", { file: folder });
}

/** Where the copy of a run is made. */
interface CopyOrder {
  readonly task: FleetTask;
  /** The carried files. */
  readonly tree: string;
  /** Real path of the checkout. */
  readonly root: string;
}

/** The folder of a run's copy on this machine. */
export function getCopyHome(
  { data, copies = join(data, "copies") }: Pick<CarryPlace, "data" | "copies">,
  run: string,
): string {
  return join(copies, run);
}

/** Makes the copy of a run from a checkout of its base, in the state in which it was carried. A copy that is there is replaced. */
export async function makeCarriedCopy(place: CarryPlace, { task, tree, root }: CopyOrder): Promise<Copy> {
  const { run, base, name } = task;
  const home = getCopyHome(place, run);
  await removeCopy(home);
  const copy = await createCopy({
    run,
    home,
    folders: [{ name, path: await getTaskFolder(root, task) }],
    lend: [],
    quotaBytes: place.quotaBytes ?? QUOTA_BYTES,
    signal: place.signal,
    reportProgress: () => undefined,
  });
  try {
    await unpackCopy(place, await openCarryGit(place), { base, tree, copy });
    return copy;
  } catch (error) {
    await removeCopy(home);
    throw error;
  }
}

/** The same for a review in a workspace: its checkout counts as what the copy was made from, although it may have changed since. */
export async function makeReviewCopy(
  place: CarryPlace,
  order: Omit<CopyOrder, "root">,
  workspace: Repository,
): Promise<Copy> {
  const root = await checkOutBase(place, order.task);
  const { home } = await makeCarriedCopy(place, { ...order, root });
  const from = { root, gitFolder: join(root, ".git"), objects: [] };
  await changeOrigin(home, from, { ...workspace, objects: await listObjectFolders(workspace) });
  await removeCheckout(place.data, order.task.run);
  return openCopy(home);
}

/** The folder of a run below its workspace folder, which may not exist yet. Throws a sentence if runs can't be kept there. */
export async function findRunHome(data: string, workspace: string, run: string): Promise<string> {
  const home = await ensureHomeFolder(workspace, join(data, "fleet", "unused"));
  if (home !== join(workspace, HOME)) fail("fleet.noHome", { folder: workspace });
  return join(getRunsFolder(home), run);
}

/** The name of a folder for people. */
export function nameFolder(path: string): string {
  return basename(path) || path;
}
