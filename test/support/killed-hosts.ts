import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { AgentEvent, EventType } from "../../src/schema/events.ts";
import { eventsOf, typed } from "../e2e/support/runs.ts";
import { reloadWindow } from "../e2e/support/vscode.ts";
import { answerToast } from "../e2e/support/workbench.ts";
import { type Driving, driveRun } from "./driven-run.ts";
import { type DrivenWindow, drivenWindow } from "./driven-window.ts";
import type { ServerAnswer } from "./fake-model-server.ts";
import { calling } from "./headless.ts";

/** What became of a run whose extension host was killed at some event, and which was gone on with. */
export interface HostSurvivor {
  readonly end: string;
  /** Each file that the run was to make, with what it holds. */
  readonly files: Readonly<Record<string, string | undefined>>;
  /** The commands that were done, in their order. */
  readonly done: readonly string[];
  /** Steps whose command began more than once. */
  readonly twice: readonly number[];
  /** Events that were told before the kill and are not in the log. */
  readonly missing: number;
}

const FILES = ["work.txt", "ran.txt", "side.txt"];

/** What a run does next in this folder: each thing once, as far as the disk tells that it is not done. */
function nextDeed(folder: string): ServerAnswer {
  const events = eventsOf(folder);
  const lines = contentOf(folder, "work.txt")?.split("\n").length ?? 1;
  if (!typed(events, "began").some(({ command }) => command === "write_to_file"))
    return calling("write_to_file", { filename: "side.txt", contents: "to be undone\n" });
  if (!doneIn(events).some((deed) => deed.startsWith("update_plan")))
    return calling("update_plan", { items: [{ text: "Write three lines", status: "in_progress" }] });
  if (lines === 2 && contentOf(folder, "ran.txt") === undefined)
    return calling("execute_shell", { command_line: "echo ran >> ran.txt" });
  if (lines <= 3) return calling("append_to_file", { filename: "work.txt", text: `line ${lines}\n` });
  return calling("task_complete", { reason: "All lines are there." });
}

/** A window for such runs; the caller closes it. */
export const windowForKills = (): Promise<DrivenWindow> =>
  drivenWindow(nextDeed, { "autogpt.approval.openDiff": false });

/** A run from its start to its end, whose host is killed once when a moment is given; and all its events. */
export async function hostRun(
  window: DrivenWindow,
  kill?: NonNullable<Driving["kill"]>,
): Promise<{ readonly survivor: HostSurvivor; readonly events: readonly AgentEvent[] }> {
  const { driver, folder } = window;
  clear(folder);
  const told = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "told-")), "events");
  const first = await driver.inHost(driveRun, { told, ...(kill ? { kill } : {}) }).catch(lost);
  const end = first ?? (await goneOnWith(window, told));
  const events = eventsOf(folder);
  const began = typed(events, "began").map(({ step }) => step);
  const log = new Set(events.map((event) => JSON.stringify(event)));
  const survivor = {
    end,
    files: Object.fromEntries(FILES.map((name) => [name, contentOf(folder, name)])),
    done: doneIn(events),
    twice: began.filter((step, index) => began.indexOf(step) !== index),
    missing: linesOf(told).filter((line) => !log.has(line)).length,
  };
  fs.rmSync(path.dirname(told), { recursive: true, force: true });
  return { survivor, events };
}

function lost(error: unknown): undefined {
  if (!/ is gone|ECONNRESET/.test(String(error))) throw error;
}

/** Brings the window back, takes up the offer, and steers the run to its end. A run that was over is not offered. */
async function goneOnWith(window: DrivenWindow, told: string): Promise<string> {
  const { driver, folder, page } = window;
  const over = typed(eventsOf(folder), "over").at(-1);
  await reloadWindow(window);
  if (over) return over.end.reason;
  await answerToast(page, "AutoGPT was interrupted while working on", "Continue");
  const [run = ""] = fs.readdirSync(path.join(folder, ".autogpt/runs")).filter((name) => /^\d/.test(name));
  return driver.inHost(driveRun, { run, told });
}

/** How often each kind of event is told in a run. */
export function kindsIn(events: readonly AgentEvent[]): ReadonlyMap<EventType, number> {
  const kinds = new Map<EventType, number>();
  for (const { type } of events) kinds.set(type, (kinds.get(type) ?? 0) + 1);
  return kinds;
}

/** The commands that were done, each with what it was for. */
function doneIn(events: readonly AgentEvent[]): readonly string[] {
  const done = new Set(
    typed(events, "ended").flatMap(({ step, outcome }) => (outcome.status === "done" ? [step] : [])),
  );
  return typed(events, "began")
    .filter(({ step }) => done.has(step))
    .map(({ command, args }) => [command, args.filename ?? args.command_line].join(" ").trim());
}

function clear(folder: string): void {
  for (const name of [".autogpt", ...FILES]) fs.rmSync(path.join(folder, name), { recursive: true, force: true });
}

function contentOf(folder: string, name: string): string | undefined {
  const file = path.join(folder, name);
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined;
}

function linesOf(file: string): readonly string[] {
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").trimEnd().split("\n") : [];
}
