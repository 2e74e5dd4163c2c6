import type { Readable, Writable } from "node:stream";
import type { AgentEvent } from "../core/event.ts";
import type { LiveRun } from "../core/live-run.ts";
import type { RunEnd } from "../core/outcome.ts";
import { visible, visibleJson } from "../core/visible.ts";
import { Grants } from "../safety/grants.ts";
import { nobodyToAsk } from "../safety/nobody.ts";
import { TokenCounter } from "../tokens/token-counter.ts";
import { account } from "./account.ts";
import { composed } from "./compose.ts";
import { chooseModels } from "./models.ts";
import { type OpenRun, openRun } from "./open-run.ts";
import type { Options } from "./options.ts";
import { terminal } from "./terminal.ts";
import { terminalApprover, terminalUser } from "./terminal-approver.ts";

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
  const models = await chooseModels(options, signal);
  const lines = stdin.isTTY ? terminal(stdin, stderr) : undefined;
  const grants = new Grants();
  if (options.continuous > 0) grants.startContinuous(options.continuous);
  const tokens = new TokenCounter({ worker: new URL("../tokens/token-worker.ts", import.meta.url) });
  try {
    const user = lines && terminalUser(lines);
    const hear = printer(options, around);
    const opened = await openRun({ options, models, user, data, hear, warn });
    const { run, commands, memory, past, folders, shell } = opened;
    const asks = lines ? terminalApprover({ terminal: lines, grants, model: models.fast, run }) : nobodyToAsk;
    const { yesTo } = options;
    const live = composed(run, past, {
      model: models.smart,
      fast: models.fast,
      countTokens: tokens.of,
      commands,
      memory: memory.memory,
      asks,
      grants,
      yesTo,
      folders,
      sandbox: () => shell.sandbox,
      allowHosts: options.settings.web.allowHosts,
      notice: warn,
    });
    return await lettingGo(opened, () => toItsEnd(live, options, signal));
  } finally {
    lines?.close();
    await tokens.close();
  }
}

/** Ends what the run has left running in the end, keeps what it has to remember, and closes its log. */
async function lettingGo<T>({ shell, memory, run }: OpenRun, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } finally {
    await shell.processes?.endAll("all");
    await memory.close();
    await run.close();
  }
}

/** Prints what happens: for programs as it is, for people in words. */
function printer({ json }: Options, { stdout }: Surroundings): (event: AgentEvent) => void {
  return (event) => {
    const text = json ? visibleJson(JSON.stringify(event)) : account(event);
    if (text !== "") stdout.write(`${text}\n`);
  };
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
