import { isObject, tryJson } from "../core/base/json.ts";
import type { HarmlessGit } from "../node/git/git.ts";
import { type TreeEntry, writeBlob, writeCommit, writeTreeObject } from "../node/git/objects.ts";
import { readSeal, removeSeal, sealLine } from "../runs/log/log-seal.ts";
import type { CarriedPart, CarriedState, FleetTask, SubmittedTask } from "../schema/fleet/tasks.ts";
import { isCarriedState, isFleetTask, isSubmittedTask } from "../schema/host-validators.ts";
import { fail } from "../texts/display-text.ts";
import { type CarryPlace, callCarryGit } from "./run-ref.ts";
import { createSealedParts } from "./sealed-parts.ts";

/** A run as its last commit has it. */
export interface Carried {
  readonly commit: string;
  readonly task: FleetTask;
  /** The same as it was signed. */
  readonly submitted: Pick<SubmittedTask, "task" | "signature">;
  /** The blob with the task, which stays the same. */
  readonly taskPart: CarriedPart;
  /** The attempt that has the run; 0 before the first one. */
  readonly attempt: number;
  /** Name of the machine of that attempt, for people. */
  readonly machine: string;
  /** Absent until the run has begun. */
  readonly state?: CarriedState;
  readonly statePart?: CarriedPart;
}

/** A commit to make. */
export interface NewCarried extends Pick<Carried, "task" | "taskPart" | "attempt" | "machine" | "state" | "statePart"> {
  readonly parents: readonly string[];
}

const [TASK, ATTEMPT, STATE] = ["task", "attempt", "state"];
/** Whoever keeps the commits could fill the memory with larger ones. */
const MOST_ENTRY_BYTES = 128 * 1024 * 1024;
/** No person: who worked on a run is in the encrypted parts. */
export const AUTHOR = "AutoGPT <autogpt@localhost>";

/** The parts of a task. Nothing else counts as one. */
export function createTaskParts(place: CarryPlace, run: string) {
  return createSealedParts(place, `task ${run}`);
}

/** Reads and checks a run's commit. Throws a sentence if it's damaged, or written with another key. */
export async function readCarried(place: CarryPlace, git: HarmlessGit, run: string, commit: string): Promise<Carried> {
  const entries = await listEntries(git, commit);
  const taskPart = entries.get(TASK) ?? fail("fleet.notCarried", { run });
  const [text] = await createTaskParts(place, run).readAll([taskPart]);
  const submitted = readSubmitted(String(text)) ?? fail("fleet.notCarried", { run });
  const task = tryJson(submitted.task);
  if (isNewerThan(1, task)) fail("fleet.newer");
  if (!isFleetTask(task) || task.run !== run) return fail("fleet.notCarried", { run });
  const statePart = entries.get(STATE);
  const isClaimed = entries.has(ATTEMPT);
  const claim = isClaimed ? await readClaim(place, git, { run, commit, statePart }) : { attempt: 0, machine: "" };
  if (!statePart) return { commit, task, submitted, taskPart, ...claim };
  const [json] = await createSealedParts(place, `state ${run}`).readAll([statePart]);
  const state: unknown = tryJson(String(json));
  if (!isCarriedState(state) || state.run !== run || state.attempt > claim.attempt)
    return fail("fleet.notCarried", { run });
  return { commit, task, submitted, taskPart, ...claim, state, statePart };
}

/** Earlier versions carried the task alone. */
function readSubmitted(text: string): Carried["submitted"] | undefined {
  const found = tryJson(text);
  if (isNewerThan(2, found)) fail("fleet.newer");
  if (isFleetTask(found)) return { task: text };
  return isSubmittedTask(found) ? found : undefined;
}

function isNewerThan(version: number, value: unknown): boolean {
  return isObject(value) && typeof value.version === "number" && value.version > version;
}

async function listEntries(git: HarmlessGit, commit: string): Promise<ReadonlyMap<string, CarriedPart>> {
  const listed = await callCarryGit(git, ["ls-tree", "-l", "-z", commit, "--", TASK, ATTEMPT, STATE]);
  return new Map(
    listed.split("\0").flatMap((line): readonly [string, CarriedPart][] => {
      const [, blob, bytes, name] = /^\d+ blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line) ?? [];
      return blob && name && Number(bytes) <= MOST_ENTRY_BYTES ? [[name, { blob, bytes: Number(bytes) }]] : [];
    }),
  );
}

async function readClaim(
  { key }: CarryPlace,
  git: HarmlessGit,
  {
    run,
    commit,
    statePart,
  }: { readonly run: string; readonly commit: string; readonly statePart?: CarriedPart | undefined },
): Promise<Pick<Carried, "attempt" | "machine">> {
  const line = (await callCarryGit(git, ["cat-file", "blob", `${commit}:${ATTEMPT}`])).trim();
  const json = removeSeal(line);
  const claim = tryJson(json);
  const isSealedClaim = readSeal(line) !== "" && sealLine(json, run, key.createSeal("attempt")) === line;
  if (!isSealedClaim || !isObject(claim) || typeof claim.attempt !== "number" || typeof claim.machine !== "string")
    return fail("fleet.notCarried", { run });
  // Otherwise an older state could be put under a newer claim.
  if (claim.state !== statePart?.blob) return fail("fleet.notCarried", { run });
  const machine = key.decrypt(`machine ${run}`, Buffer.from(claim.machine, "base64url")).toString();
  return { attempt: claim.attempt, machine };
}

/** Makes a commit of a run, which no ref names yet. */
export async function writeCarried(place: CarryPlace, made: NewCarried): Promise<string> {
  const { task, taskPart, attempt, state, statePart } = made;
  const { repository } = place;
  const { run } = task;
  const entries: TreeEntry[] = [{ kind: "blob", hash: taskPart.blob, name: TASK }];
  const part = statePart ?? (state && (await writeState(place, state)));
  if (attempt > 0) entries.push({ kind: "blob", hash: await writeClaim(place, made, part), name: ATTEMPT });
  if (state && part) {
    entries.push({ kind: "blob", hash: part.blob, name: STATE });
    const parts = [...state.log.parts, ...state.undo.parts, ...state.files];
    const blobs = new Set(parts.map(({ blob }) => blob));
    const files = [...blobs].map((hash): TreeEntry => ({ kind: "blob", hash, name: hash }));
    entries.push({ kind: "tree", hash: await writeTreeObject(repository, files), name: "run" });
    if (state.copy !== undefined) entries.push({ kind: "tree", hash: state.copy, name: "copy" });
  }
  const tree = await writeTreeObject(repository, entries);
  const message = `AutoGPT run ${run}, attempt ${attempt}`;
  return writeCommit(repository, { tree, parents: made.parents, author: AUTHOR, message }, Date.now());
}

function writeState(place: CarryPlace, state: CarriedState): Promise<CarriedPart> {
  return createSealedParts(place, `state ${state.run}`).write(Buffer.from(JSON.stringify(state)));
}

/** Seals the attempt, together with the state in its commit. */
async function writeClaim(
  { key, repository }: CarryPlace,
  { attempt, machine, task }: NewCarried,
  part: CarriedPart | undefined,
): Promise<string> {
  const { run } = task;
  const name = key.encrypt(`machine ${run}`, Buffer.from(machine)).toString("base64url");
  const line = sealLine(JSON.stringify({ attempt, machine: name, state: part?.blob }), run, key.createSeal("attempt"));
  return writeBlob(repository, Buffer.from(`${line}\n`));
}
