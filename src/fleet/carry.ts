import { mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { applyEvent, NO_RUN } from "../core/events/run-state.ts";
import { ignoreCodes } from "../disk/error-codes.ts";
import { removeCopy } from "../isolation/copy/remove-copy.ts";
import { hidePassword } from "../node/git/author.ts";
import type { HarmlessGit } from "../node/git/git.ts";
import { findRepositoryAround } from "../node/git/repository.ts";
import { parseLog } from "../runs/log/read-log.ts";
import { openRunLog } from "../runs/log/run-log.ts";
import { findCarriedRun } from "../runs/store/fleet-marks.ts";
import { loadRunOwner, type RunOwner } from "../runs/store/machine.ts";
import type { CarriedState, FleetTask } from "../schema/fleet/tasks.ts";
import { displayText, fail, type Sentence } from "../texts/display-text.ts";
import { type Carried, readCarried, writeCarried } from "./carried.ts";
import {
  checkOutBase,
  findRunHome,
  getCopyHome,
  getTaskFolder,
  makeCarriedCopy,
  makeReviewCopy,
  storeCarriedRun,
} from "./checkout.ts";
import { readLogParts, readWholeLog, unpackFiles, writeLog } from "./run-files.ts";
import { type CarryPlace, findRunCommit, moveRunRef, openCarryGit } from "./run-ref.ts";
import { createSealedParts, type SealedParts } from "./sealed-parts.ts";
import { checkSshSignature } from "./signatures.ts";

const DAY_MS = 86_400_000;

/** How long runs that have ended are kept and known, where nothing else says it. */
export const KEPT_DAYS = 90;

/** A run that this machine may continue now. */
export interface ClaimedRun {
  readonly run: string;
  readonly attempt: number;
  readonly task: FleetTask;
  /** The folder that it works in on this machine. */
  readonly workspace: string;
  /** True if it has begun, so that it's resumed; otherwise it's begun with its ID. */
  readonly hasLog: boolean;
  /** Parts of it that didn't travel, as sentences. */
  readonly notes: readonly Sentence[];
}

/** A run that lies on this machine for its review. */
export interface FetchedRun {
  readonly task: FleetTask;
  /** The attempt that has the run, and the name of its machine; 0 if none has begun. */
  readonly attempt: number;
  readonly machine: string;
  /** True if there is a log. */
  readonly hasLog: boolean;
}

/** A run's last commit, with the tools to read its parts. */
interface Found {
  readonly git: HarmlessGit;
  readonly parts: SealedParts;
  readonly carried: Carried;
}

async function findCarried(place: CarryPlace, run: string, atLeast = 0): Promise<Found> {
  const git = await openCarryGit(place);
  const commit = (await findRunCommit(place, git, run)) ?? fail("fleet.unknown", { run });
  const carried = await readCarried(place, git, run, commit);
  const known = findCarriedRun(place.data, run);
  const { attempt, state } = carried;
  // Whoever keeps the commits could offer an older one again, whose later commands would then be run twice.
  const isOlder = known && (known.attempt > attempt || known.logBytes > (state?.log.bytes ?? 0));
  if (isOlder || attempt < atLeast) fail("fleet.rolledBack", { run });
  return { git, carried, parts: createSealedParts(place, `run ${run}`) };
}

/**
 * Takes a task or a run over to this machine, which is the only one that can continue it from then on. `atLeast`: an attempt that there was
 * already, as its question proves. Throws a sentence if it can't, also if the sender of the task isn't one whom this machine works for.
 */
export async function claimRun(place: CarryPlace, run: string, machine: string, atLeast = 0): Promise<ClaimedRun> {
  const { git, carried, parts } = await findCarried(place, run, atLeast);
  await demandSigner(place, carried, machine);
  const { task, state, commit } = carried;
  const age = Date.now() - Date.parse(task.submittedAt);
  // After that time, machines don't know any more which runs they have worked on, or removed. Results can be fetched all the same.
  if (age > KEPT_DAYS * DAY_MS && !findCarriedRun(place.data, run)) fail("fleet.tooOld", { run });
  const attempt = carried.attempt + 1;
  const root = await checkOutBase(place, task);
  const workspace = await getTaskFolder(root, task);
  const local = await readLocal(place, workspace, carried);
  const log = state ? await readLogParts(parts, state) : Buffer.alloc(0);
  const next = await writeCarried(place, { ...carried, attempt, machine, parents: [commit] });
  await moveRunRef(place, git, run, { from: commit, to: next });
  const facts = { run, folder: workspace, base: task.base, commit: next, attempt };
  await storeCarriedRun(place.data, { version: 1, ...facts, logBytes: log.length, isClaimed: true });
  const owner = await loadRunOwner(place.data);
  const isAhead = local.log.length > 0 && local.log.subarray(0, log.length).equals(log) && local.isLast;
  if (state && !isAhead) await writeRun(place, { state, parts, log, task, root, runHome: local.runHome, owner });
  const hasLog = isAhead || log.length > 0;
  if (!hasLog) await setAside(place, run, local.runHome);
  else await beginAttempt(local.runHome, { run, attempt, machine, owner });
  return { run, attempt, task, workspace, hasLog, notes: describeLeftOut(state) };
}

/** Throws a sentence if this machine doesn't work for the sender of a task. */
export async function demandSubmitter(place: CarryPlace, run: string, machine: string): Promise<void> {
  await demandSigner(place, (await findCarried(place, run)).carried, machine);
}

/** Each machine checks that for itself, at each attempt, so a sender who was revoked since then doesn't count. */
async function demandSigner(
  { data, remote }: CarryPlace,
  { submitted, task }: Carried,
  machine: string,
): Promise<void> {
  const { signature } = submitted;
  const { kind } = await checkSshSignature(data, "submit", { text: submitted.task, signature });
  const { submittedBy: sender } = task;
  if (kind === "refused") fail("fleet.taskNotSigned", { machine, sender });
  if (kind === "unneeded" || !remote) return;
  // Whoever has the key could take the signed task to a repository of their own, with a log that says something else.
  const address = hidePassword(remote.address);
  if (task.repository !== address) fail("fleet.taskElsewhere", { machine, sender, address });
}

/**
 * Clears the way for a run that begins. Earlier attempts may have left a copy and a log that was never carried, and so no effects. The log is
 * kept elsewhere.
 */
async function setAside(place: CarryPlace, run: string, runHome: string): Promise<void> {
  await removeCopy(getCopyHome(place, run));
  const aside = join(place.data, "fleet", "set-aside", `${run}-${Date.now()}`);
  await mkdir(dirname(aside), { recursive: true, mode: 0o700 });
  await rename(runHome, aside).catch(ignoreCodes("ENOENT"));
}

/** The run as this machine has it. */
interface LocalRun {
  readonly runHome: string;
  readonly log: Buffer;
  /** True if no other machine has had the run since this one. */
  readonly isLast: boolean;
}

async function readLocal(place: CarryPlace, workspace: string, { task, attempt }: Carried): Promise<LocalRun> {
  const { run } = task;
  const runHome = await findRunHome(place.data, workspace, run);
  const known = findCarriedRun(place.data, run);
  const isLast = known?.isClaimed === true && known.attempt === attempt && known.folder === workspace;
  return { runHome, log: await readWholeLog(runHome), isLast };
}

/** Everything of a run that is written on this machine. */
interface WrittenRun {
  readonly state: CarriedState;
  readonly parts: SealedParts;
  readonly log: Buffer;
  readonly task: FleetTask;
  readonly root: string;
  readonly runHome: string;
  readonly owner: RunOwner;
}

async function writeRun(
  place: CarryPlace,
  { state, parts, log, task, root, runHome, owner }: WrittenRun,
): Promise<void> {
  const { run } = task;
  demandOwnLog(owner, run, log);
  const { copy: tree } = state;
  if (tree !== undefined) await makeCarriedCopy(place, { task, tree, root });
  const target = { runHome, seal: owner.createSeal(run), copyHome: getCopyHome(place, run) };
  await unpackFiles(parts, state, target);
  await writeLog(runHome, log);
}

/** Throws a sentence unless the machines of the fleet wrote each line of a log, each within its attempt. */
function demandOwnLog(owner: RunOwner, run: string, log: Buffer): void {
  const [first] = parseLog(log.toString()).events;
  const isOwn = first?.type === "started" && first.id === run && owner.hasMark(run, first.machine);
  if (!isOwn || !owner.hasWritten(run, log.toString())) fail("fleet.logRefused", { run });
}

/** Adds the start of this machine's attempt to the log, which seals what follows for it. */
async function beginAttempt(
  runHome: string,
  given: { readonly run: string; readonly attempt: number; readonly machine: string; readonly owner: RunOwner },
): Promise<void> {
  const { run, attempt, machine, owner } = given;
  const { events } = parseLog((await readWholeLog(runHome)).toString());
  const state = events.reduce(applyEvent, NO_RUN);
  const log = await openRunLog(runHome, owner.createSeal(run));
  const reason = state.busySince === undefined ? "continued on another machine" : "continued after an interruption";
  try {
    const at = new Date().toISOString();
    await log.append({ seq: state.seq + 1, at, type: "resumed", reason, attempt, machine });
    await log.sync();
  } finally {
    await log.close();
  }
}

function describeLeftOut(state: CarriedState | undefined): readonly Sentence[] {
  const files = state?.leftOut ?? [];
  return files.length === 0 ? [] : [displayText("fleet.leftBehind", { files: files.slice(0, MOST_NAMES) })];
}

const MOST_NAMES = 10;

/**
 * Brings a run to a workspace folder of this machine, to be read and reviewed there. It stays with the machine that works on it. Throws a
 * sentence if it can't be brought.
 */
export async function fetchRun(place: CarryPlace, run: string, workspace: string): Promise<FetchedRun> {
  const known = findCarriedRun(place.data, run);
  if (known?.isClaimed) fail("fleet.worksHere", { folder: known.folder });
  const { carried, parts } = await findCarried(place, run);
  const { task, state, commit, attempt, machine } = carried;
  const log = state ? await readLogParts(parts, state) : Buffer.alloc(0);
  const facts = { run, folder: workspace, base: task.base, commit, attempt };
  await storeCarriedRun(place.data, { version: 1, ...facts, logBytes: log.length, isClaimed: false });
  if (!state) return { task, attempt, machine, hasLog: false };
  const owner = await loadRunOwner(place.data);
  demandOwnLog(owner, run, log);
  const repository = (await findRepositoryAround(workspace)) ?? fail("fleet.noRepository", { folder: workspace });
  if (state.copy !== undefined) await makeReviewCopy(place, { task, tree: state.copy }, repository);
  const runHome = await findRunHome(place.data, workspace, run);
  await unpackFiles(parts, state, { runHome, seal: owner.createSeal(run), copyHome: getCopyHome(place, run) });
  await writeLog(runHome, log);
  return { task, attempt, machine, hasLog: true };
}

/** The lines of a run's log as it was carried last, each as it was written; none before its start. Changes nothing on this machine. */
export async function readCarriedLog(place: CarryPlace, run: string): Promise<readonly string[]> {
  const { carried, parts } = await findCarried(place, run);
  if (!carried.state) return [];
  const log = await readLogParts(parts, carried.state);
  demandOwnLog(await loadRunOwner(place.data), run, log);
  return log.toString().split("\n").slice(0, -1);
}
