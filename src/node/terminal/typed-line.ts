import { setTimeout as wait } from "node:timers/promises";
import { waitOrAbort } from "../../core/base/async.ts";
import type { Shell, ShellResult } from "../../core/ports/programs.ts";
import { createProcessTree, type ProcessMark } from "../processes/process-tree.ts";
import type { LineTerminal } from "./line-terminals.ts";
import type { PreparedLine } from "./prepared-line.ts";

/** Time for a line to end after Ctrl+C. */
const INTERRUPT_MS = 500;
/** Time for processes to end on their own after their line. */
const SETTLE_MS = 250;
/** Time for a line to end after its processes were killed. */
const KILLED_MS = 2000;
/** Time for the host to report a closed terminal. */
const CLOSED_MS = 500;

export type LineOptions = Parameters<Shell["run"]>[1];

/** How a typed line ended: like any other, or without having been run. */
export type TypedEnd = Pick<ShellResult, "code" | "leftBehind" | "seconds" | "notes"> & {
  readonly ended: Exclude<ShellResult["ended"], "failed"> | "notStarted" | "noFolder";
};

/** A line to type. */
interface TypedLine {
  readonly terminal: LineTerminal;
  readonly prepared: PreparedLine;
  readonly mark: ProcessMark;
  readonly beginMs: number;
}

/** Types a line and follows it to its end. All of its processes have ended when this resolves. */
export async function follow(
  { terminal, prepared, mark, beginMs }: TypedLine,
  { timeoutSeconds, signal }: LineOptions,
): Promise<TypedEnd> {
  const closed = terminal.closed.then(() => "closed" as const);
  const printed = terminal.type(prepared.typed);
  if (printed) prepared.read?.(printed);
  const late = wait(beginMs, "late" as const, { ref: false });
  const begun = await waitOrAbort(Promise.race([prepared.begun, closed, late]), signal);
  // A line that began at this very moment is followed like any other.
  if (typeof begun !== "number" && (await prepared.withdraw())) {
    if (begun !== "closed") terminal.interrupt();
    return { ended: begun === "aborted" ? "stopped" : "notStarted" };
  }
  const tree = createProcessTree(await prepared.begun, mark);
  const startedAt = performance.now();
  const measureSeconds = (): number => (performance.now() - startedAt) / 1000;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(Math.round(timeoutSeconds * 1000))]);
  const end = await waitOrAbort(Promise.race([prepared.ended, closed]), limit);
  if (end === "aborted") {
    terminal.interrupt();
    await Promise.race([prepared.ended, closed, wait(INTERRUPT_MS)]);
    await tree.end();
    await Promise.race([prepared.ended, closed, wait(KILLED_MS)]);
    await prepared.dismiss();
    return { ended: signal.aborted ? "stopped" : "timeout", seconds: measureSeconds() };
  }
  if (end !== "closed" && end.kind === "code") {
    const took = measureSeconds();
    await tree.settle(SETTLE_MS);
    const leftBehind = await tree.end();
    await prepared.dismiss();
    return {
      ended: "exit",
      code: end.code,
      seconds: took,
      ...(leftBehind > 0 ? { leftBehind } : {}),
      ...(end.isCut ? { notes: [CUT] } : {}),
    };
  }
  await tree.end();
  await prepared.dismiss();
  if (end !== "closed" && end.kind === "noFolder") return { ended: "noFolder" };
  // Its runner ends a moment before the host knows that the terminal was closed.
  const isClosed = await Promise.race([closed, wait(CLOSED_MS, undefined)]);
  return { ended: isClosed ? "closed" : "exit", seconds: measureSeconds() };
}

const CUT = "A part of its output is missing, because VS Code stopped reporting it.";
