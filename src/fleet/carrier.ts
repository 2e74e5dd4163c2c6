import { Queue } from "../core/base/async.ts";
import { findTraits } from "../core/commands/command-traits.ts";
import { openCopy } from "../isolation/copy/copy-record.ts";
import type { HarmlessGit } from "../node/git/git.ts";
import { findCarriedRun } from "../runs/store/fleet-marks.ts";
import { loadRunOwner } from "../runs/store/machine.ts";
import type { AgentEvent } from "../schema/events.ts";
import type { CarriedRun, CarriedState } from "../schema/fleet/tasks.ts";
import { fail } from "../texts/display-text.ts";
import { type Carried, readCarried, writeCarried } from "./carried.ts";
import { findRunHome, getCopyHome, storeCarriedRun } from "./checkout.ts";
import { CopyPacker } from "./copy-tree.ts";
import { RunFilePacker, readWholeLog } from "./run-files.ts";
import { type CarryPlace, FleetTakenError, moveRunRef, openCarryGit } from "./run-ref.ts";
import { createSealedParts, NOTHING_CARRIED } from "./sealed-parts.ts";

/** How often a working run is carried without a reason. */
const EVERY_MS = 60_000;
const MOST_TRIES = 3;

/** Carries a claimed run while this machine works on it. */
export interface Carrier {
  /** Carries the run as it is now. Throws `FleetTakenError` once another machine has it, and a sentence for other problems. */
  push(): Promise<void>;
  /** Carries the run before a command that has effects begins, so that no other machine runs it again; see `Host.storage.fence`. */
  fence(run: string, event: AgentEvent): Promise<void>;
  /** Waits for a push in progress, and pushes no more. */
  close(): Promise<void>;
}

/** Options of a carrier. */
export interface CarrierOptions {
  /** Called once if another machine has taken the run over. The work has to stop. */
  readonly handleTaken?: (error: FleetTakenError) => void;
  readonly everyMs?: number;
}

/** Creates the carrier of a run that this machine has claimed. Throws a sentence if it hasn't. */
export async function createCarrier(place: CarryPlace, run: string, options: CarrierOptions = {}): Promise<Carrier> {
  const known = findCarriedRun(place.data, run);
  if (!known?.isClaimed) return fail("fleet.notClaimed", { run });
  const git = await openCarryGit(place);
  const work = new RunCarrier(place, git, known, await readCarried(place, git, run, known.commit));
  let isTaken = false;
  const turns = new Queue();
  const push = (isQuiet: boolean): Promise<void> =>
    turns.add(async () => {
      try {
        await work.push(isQuiet);
      } catch (error) {
        if (error instanceof FleetTakenError && !isTaken) {
          isTaken = true;
          options.handleTaken?.(error);
        }
        throw error;
      }
    });
  const timer = setInterval(() => void push(false).catch(() => undefined), options.everyMs ?? EVERY_MS);
  timer.unref();
  return {
    push: () => push(true),
    fence: async (id, event) => {
      if (id === run && isFenced(event)) await push(true);
    },
    close: async () => {
      clearInterval(timer);
      await turns.idle;
    },
  };
}

/** True for the begin of a command that may have effects, and for the end of a run. */
function isFenced(event: AgentEvent): boolean {
  if (event.type !== "began") return event.type === "over";
  const traits = findTraits(event.command);
  return traits?.isIdle !== true && (traits?.reads === undefined || traits.page !== undefined);
}

/** A claimed run, and how it was carried last. */
class RunCarrier {
  private readonly place: CarryPlace;
  private readonly git: HarmlessGit;
  private readonly copies: CopyPacker;
  private known: CarriedRun;
  private carried: Carried;
  private files: RunFilePacker | undefined;
  private state: CarriedState | undefined;

  constructor(place: CarryPlace, git: HarmlessGit, known: CarriedRun, carried: Carried) {
    this.place = place;
    this.git = git;
    this.known = known;
    this.carried = carried;
    this.copies = new CopyPacker(place, known.base);
    // The journal of undo was written again for this machine.
    this.state = carried.state && { ...carried.state, undo: NOTHING_CARRIED };
  }

  /** `isQuiet`: no command runs, so that log and copy fit together. Otherwise the push is left out while they change. */
  async push(isQuiet: boolean): Promise<void> {
    const { place, git, known, carried } = this;
    const { run, attempt } = known;
    const runHome = await findRunHome(place.data, known.folder, run);
    for (let tries = 1; ; tries++) {
      const log = await readWholeLog(runHome);
      if (log.length === 0) return;
      const copyHome = getCopyHome(place, run);
      const copy = await openCopy(copyHome).catch(() => undefined);
      const packed = copy && (await this.copies.pack(copy));
      if ((await readWholeLog(runHome)).length !== log.length) {
        if (tries < MOST_TRIES) continue;
        if (!isQuiet) return;
      }
      this.files ??= await this.createPacker(runHome);
      const files = await this.files.pack(log, this.state);
      const state: CarriedState = {
        version: 1,
        run,
        attempt,
        ...(packed ? { copy: packed.tree } : {}),
        ...files,
        copyHome,
        leftOut: packed?.leftOut ?? [],
      };
      if (JSON.stringify(state) === JSON.stringify(this.state)) return;
      const { task, taskPart, machine } = carried;
      const made = { task, taskPart, attempt, machine, state, parents: [known.commit] };
      const commit = await writeCarried(place, made);
      await moveRunRef(place, git, run, { from: known.commit, to: commit });
      this.state = state;
      this.known = { ...known, commit, logBytes: log.length };
      await storeCarriedRun(place.data, this.known);
      return;
    }
  }

  private async createPacker(runHome: string): Promise<RunFilePacker> {
    const { place, known } = this;
    const owner = await loadRunOwner(place.data);
    return new RunFilePacker(runHome, createSealedParts(place, `run ${known.run}`), owner.createSeal(known.run));
  }
}
