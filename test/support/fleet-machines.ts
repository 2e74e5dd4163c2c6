import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Run } from "../../src/core/events/run.ts";
import type { ClaimedRun } from "../../src/fleet/carry.ts";
import { createFleetKey, exportFleetKey, importFleetKey } from "../../src/fleet/key.ts";
import type { CarryPlace } from "../../src/fleet/run-ref.ts";
import { type NewFleetTask, submitRun } from "../../src/fleet/submit.ts";
import type { Copy } from "../../src/isolation/copy/copy.ts";
import { createCopy } from "../../src/isolation/copy/create-copy.ts";
import { openRunLog } from "../../src/runs/log/run-log.ts";
import { loadRunOwner } from "../../src/runs/store/machine.ts";
import type { AgentEventBody } from "../../src/schema/events.ts";
import { git, makeRepository } from "./repositories.ts";
import { sampleStart } from "./sample-run.ts";

export const FLEET_RUN = "20260102_030405_scribe_0a1b";
const FLEET_FILES = { "note.txt": "one\ntwo\nthree\n", "old.txt": "old\n", ".gitignore": "ignored/\n" };

/** A machine with a home and a clone of its own. */
export interface FleetMachine {
  readonly place: CarryPlace;
  /** Its clone, which is the workspace of a sender. */
  readonly workspace: string;
}

/** The folder with a repository that machines meet in, and a clone. Making them takes many programs, so fleets have copies. */
let made: string | undefined;

function copyMade(name: "origin.git" | "clone", target: string): void {
  made ??= makeRepositories();
  cpSync(join(made, name), target, { recursive: true, preserveTimestamps: true });
}

function makeRepositories(): string {
  const folder = mkdtempSync(join(tmpdir(), "autogpt-fleet-made-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  makeRepository(join(folder, "first"), FLEET_FILES);
  git(folder, "clone", "-q", "--bare", "first", "origin.git");
  git(folder, "clone", "-q", join(folder, "origin.git"), "clone");
  return folder;
}

/** Machines that share a key and meet in a bare repository. The first one has the workspace. */
export async function makeFleet(top: string, names: readonly string[]): Promise<readonly FleetMachine[]> {
  const origin = join(top, "origin.git");
  copyMade("origin.git", origin);
  const machines: FleetMachine[] = [];
  let text: string | undefined;
  for (const name of names) {
    const workspace = join(top, `home of ${name}`, "work");
    const config = join(workspace, ".git/config");
    copyMade("clone", workspace);
    writeFileSync(config, readFileSync(config, "utf8").replace(made ?? "", top));
    const data = join(top, `home of ${name}`, "data");
    await mkdir(data, { recursive: true });
    const key = text === undefined ? await createFleetKey(data) : await importFleetKey(data, text);
    text ??= await exportFleetKey(data);
    const repository = { root: workspace, gitFolder: join(workspace, ".git") };
    const { signal } = new AbortController();
    machines.push({ workspace, place: { data, key, repository, remote: { address: origin }, signal } });
  }
  return machines;
}

/** Sends a task for the folder of a machine. */
export function send({ place, workspace }: FleetMachine, more: Partial<NewFleetTask> = {}) {
  const about = { settings: { "run.maxSteps": 12 }, submittedBy: "Ada" };
  return submitRun(place, { run: FLEET_RUN, task: "Tidy the notes.", folder: workspace, ...about, ...more });
}

/** Begins a claimed run as the loop does: its copy and the start of its log. */
export async function begin({ place }: FleetMachine, claimed: ClaimedRun): Promise<Copy> {
  const { run, workspace, task } = claimed;
  const copy = await createCopy({
    run,
    home: join(place.data, "copies", run),
    folders: [{ name: task.name, path: workspace }],
    lend: [],
    quotaBytes: 1e9,
    signal: place.signal,
    reportProgress: () => undefined,
  });
  const owner = await loadRunOwner(place.data);
  const log = await openRunLog(homeOf(claimed), owner.createSeal(run));
  const folders = copy.folders.map(({ name, path, origin }) => ({ name, path, origin }));
  const isolated = { home: copy.home, engine: "bubblewrap", folders } as const;
  const own = { id: run, machine: owner.computeMark(run), mode: "isolated", folder: workspace } as const;
  await (await Run.start(log, sampleStart({ ...own, isolated, task: task.task }))).close();
  return copy;
}

export function homeOf({ workspace, run }: Pick<ClaimedRun, "workspace" | "run">): string {
  return join(workspace, ".autogpt/runs", run);
}

/** Adds events to the log of a claimed run. */
export async function record(
  { place }: FleetMachine,
  claimed: Pick<ClaimedRun, "workspace" | "run">,
  first: number,
  ...bodies: readonly AgentEventBody[]
): Promise<void> {
  const owner = await loadRunOwner(place.data);
  const log = await openRunLog(homeOf(claimed), owner.createSeal(claimed.run));
  for (const [at, body] of bodies.entries()) await log.append({ seq: first + at, at: "2026-01-02T03:04:05Z", ...body });
  await log.close();
}
