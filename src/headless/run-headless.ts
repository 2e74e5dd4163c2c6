import type { Readable, Writable } from "node:stream";
import { visible, visibleJson } from "../core/base/text.ts";
import { type ReservedBudget, withinBudget } from "../core/budget/reserved-budget.ts";
import type { RunEnd } from "../core/commands/outcome.ts";
import type { Run } from "../core/events/run.ts";
import type { LiveRun } from "../core/loop/live-run.ts";
import { TokenCounter } from "../models/tokens/token-counter.ts";
import { withReserved } from "../runtime/subagents/budget-pool.ts";
import { Grants } from "../safety/policy/grants.ts";
import { unattendedApprover } from "../safety/policy/with-policy.ts";
import type { AgentEvent } from "../schema/events.ts";
import { storedEvent } from "../schema/readers.ts";
import { composed } from "./compose.ts";
import { eventText, planText } from "./display.ts";
import { chooseModels } from "./models.ts";
import { type OpenRun, openRun } from "./open-run.ts";
import type { Options } from "./options.ts";
import { type SubRunParts, subRun } from "./sub-run.ts";
import {
  approverInTurn,
  terminal,
  terminalApprover,
  terminalUser,
  turnTaker,
  userInTurn,
} from "./terminal.ts";

/** What the program is connected to. */
export interface Surroundings {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** The user's own folder on this machine. */
  readonly data: string;
  /** Ends when the run shall stop. */
  readonly signal: AbortSignal;
}

/** Runs the agent from its start, or from where its log ends, to its end. Throws a sentence when it cannot even begin. */
export async function runHeadless(options: Options, around: Surroundings): Promise<RunEnd> {
  const { stdin, stderr, data, signal } = around;
  const warn = (text: string): void => void stderr.write(`${visible(text)}\n`);
  const models = await chooseModels(options);
  const lines = stdin.isTTY ? terminal(stdin, stderr) : undefined;
  const grants = new Grants();
  if (options.continuous > 0) grants.startContinuous(options.continuous);
  const tokens = new TokenCounter({ worker: new URL("../models/tokens/token-worker.ts", import.meta.url) });
  try {
    const take = turnTaker();
    const user = lines && userInTurn(terminalUser(lines), take);
    const asks: SubRunParts["asks"] = (run, own, reserved) => {
      if (!lines) return unattendedApprover;
      const model = withinBudget(models.fast, () => withReserved(run.state, reserved()));
      return approverInTurn(terminalApprover({ terminal: lines, grants: own, model, run }), take);
    };
    const hear = printer(options, around);
    const sub = { options, models, user, asks, warn, countTokens: tokens.of };
    const opened = await openRun({
      ...{ options, models, user, data, grants, hear, warn },
      spawn: (spawning, home) => subRun({ ...sub, ...home }, spawning),
    });
    const { run, commands, memory, provenance, agents, folders, shell } = opened;
    for (const name of options.yesTo)
      if (commands.resolve(name) === undefined)
        warn(`--yes-to names "${name}", which is no command that is offered here.`);
    const reserved = (): ReservedBudget => agents.budget.reserved();
    const live = composed(run, {
      model: models.smart,
      fast: models.fast,
      countTokens: tokens.of,
      ...{ commands, grants, provenance, agents, folders },
      memory: memory.memory,
      asks: asks(run, grants, reserved),
      reserved,
      yesTo: options.yesTo,
      sandbox: () => shell.sandbox,
      tampering: () => shell.tampering,
      allowHosts: options.settings.web.allowHosts,
      notice: warn,
    });
    const isWritten = tellsOfItsEnd(run);
    const end = await lettingGo(opened, () => toItsEnd(live, options, signal));
    const plan = planText(run.state.plan);
    if (isWritten() && !options.json && plan !== "") around.stdout.write(`${plan}\n`);
    if (!isWritten() && "error" in end) warn(`${end.error} To go on with this run: --resume ${run.state.id}`);
    return end;
  } finally {
    lines?.close();
    await tokens.close();
  }
}

/** Ends what the run has left running in the end, keeps what it has to remember, and closes its log. */
async function lettingGo<T>({ shell, memory, agents, run }: OpenRun, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } finally {
    await agents.close();
    await shell.processes?.endAll("all");
    await memory.close();
    await run.close();
  }
}

/** Prints what happens: for programs as it is, for people in words. */
function printer({ json }: Options, { stdout }: Surroundings): (event: AgentEvent) => void {
  return (event) => {
    const text = json ? visibleJson(JSON.stringify(storedEvent(event))) : eventText(event);
    if (text !== "") stdout.write(`${text}\n`);
  };
}

/** Whether the end has got into the log by then, and so to whoever reads the events. */
function tellsOfItsEnd(run: Run): () => boolean {
  const last = { type: "" };
  run.onEvent(({ type }) => {
    last.type = type;
  });
  return () => last.type === "over";
}

/** A finished run is gone on with only when there is something new to tell it. */
async function toItsEnd(live: LiveRun, { task, resume }: Options, signal: AbortSignal): Promise<RunEnd> {
  const { end } = live.run.state;
  if (resume !== undefined && task !== undefined)
    await live.run.record({ type: "said", text: task, by: "user" });
  else if (end?.reason === "finished") return end;
  const stop = (): void => void live.stop();
  signal.addEventListener("abort", stop, { once: true });
  live.resume();
  if (signal.aborted) stop();
  return live.end.finally(() => signal.removeEventListener("abort", stop));
}
