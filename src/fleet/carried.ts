import { isObject, tryJson } from "../core/base/json.ts";
import type { HarmlessGit } from "../node/git/git.ts";
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
/** No person: who worked on a run is in the encrypted parts. */
export const AUTHOR = ["-c", "user.name=AutoGPT", "-c", "user.email=autogpt@localhost"];

/** The parts of a task. Nothing else counts as one. */
export function createTaskParts(place: CarryPlace, git: HarmlessGit, run: string) {
  return createSealedParts(place, git, `task ${run}`);
}

/** Reads and checks a run's commit. Throws a sentence if it's damaged, or written with another key. */
export async function readCarried(place: CarryPlace, git: HarmlessGit, run: string, commit: string): Promise<Carried> {
  const entries = await listEntries(git, commit);
  const taskPart = entries.get(TASK) ?? fail("fleet.notCarried", { run });
  const [text] = await createTaskParts(place, git, run).readAll([taskPart]);
  const submitted = readSubmitted(String(text)) ?? fail("fleet.notCarried", { run });
  const task = tryJson(submitted.task);
  if (isNewerThan(1, task)) fail("fleet.newer");
  if (!isFleetTask(task) || task.run !== run) return fail("fleet.notCarried", { run });
  const statePart = entries.get(STATE);
  const isClaimed = entries.has(ATTEMPT);
  const claim = isClaimed ? await readClaim(place, git, { run, commit, statePart }) : { attempt: 0, machine: "" };
  if (!statePart) return { commit, task, submitted, taskPart, ...claim };
  const [json] = await createSealedParts(place, git, `state ${run}`).readAll([statePart]);
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
      return blob && name ? [[name, { blob, bytes: Number(bytes) }]] : [];
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
export async function writeCarried(place: CarryPlace, git: HarmlessGit, made: NewCarried): Promise<string> {
  const { task, taskPart, attempt, state, statePart } = made;
  const { run } = task;
  const entries = [formatEntry("blob", taskPart.blob, TASK)];
  const part = statePart ?? (state && (await writeState(place, git, state)));
  if (attempt > 0) entries.push(formatEntry("blob", await writeClaim(place, git, made, part), ATTEMPT));
  if (state && part) {
    entries.push(formatEntry("blob", part.blob, STATE));
    const parts = [...state.log.parts, ...state.undo.parts, ...state.files];
    const blobs = [...new Set(parts.map(({ blob }) => blob))].map((blob) => formatEntry("blob", blob, blob));
    const tree = (await callCarryGit(git, ["mktree", "-z"], blobs.join(""))).trim();
    entries.push(formatEntry("tree", tree, "run"));
    if (state.copy !== undefined) entries.push(formatEntry("tree", state.copy, "copy"));
  }
  const tree = (await callCarryGit(git, ["mktree", "-z"], entries.join(""))).trim();
  const parents = made.parents.flatMap((parent) => ["-p", parent]);
  const args = [...AUTHOR, "commit-tree", tree, ...parents, "-m", `AutoGPT run ${run}, attempt ${attempt}`];
  return (await callCarryGit(git, args)).trim();
}

function writeState(place: CarryPlace, git: HarmlessGit, state: CarriedState): Promise<CarriedPart> {
  return createSealedParts(place, git, `state ${state.run}`).write(Buffer.from(JSON.stringify(state)));
}

/** Seals the attempt, together with the state in its commit. */
async function writeClaim(
  { key }: CarryPlace,
  git: HarmlessGit,
  { attempt, machine, task }: NewCarried,
  part: CarriedPart | undefined,
): Promise<string> {
  const { run } = task;
  const name = key.encrypt(`machine ${run}`, Buffer.from(machine)).toString("base64url");
  const line = sealLine(JSON.stringify({ attempt, machine: name, state: part?.blob }), run, key.createSeal("attempt"));
  return (await callCarryGit(git, ["hash-object", "-w", "--stdin"], `${line}\n`)).trim();
}

function formatEntry(kind: "blob" | "tree", hash: string, name: string): string {
  return `${kind === "blob" ? "100644" : "040000"} ${kind} ${hash}\t${name}\0`;
}
