import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { Emitter } from "../../core/base/emitter.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { BackgroundProcess, Processes, ProcessOutput } from "../../core/ports/programs.ts";
import { runFileOperation } from "../files/file-errors.ts";
import { createLineEnvironment } from "../git/repository-view.ts";
import { explainStartFailure, startMarked } from "./marked-child.ts";
import { closeEnd, createPipe, type OutputReader, readPipe, readStreams } from "./output-pipe.ts";
import { getOutputFile } from "./outputs.ts";
import type { ProcessTree } from "./process-tree.ts";
import { chooseShellProgram } from "./programs.ts";
import { OutputWriter, RollingOutput } from "./rolling-output.ts";
import type { ShellOptions } from "./shell.ts";

/** A run's background processes, for the host that cleans up after it. */
export interface RunProcesses extends Processes {
  /** Sets whether the user wants it to continue after the run. */
  keep(id: number, kept: boolean): void;
  /** Stops all processes, or only those that aren't kept. */
  endAll(which: "not kept" | "all"): Promise<void>;
  /** Called when a process starts, ends or is kept. */
  onChange(listener: () => void): () => void;
}

const MOST_RUNNING = 50;

/** Only this much of a longer output's end is returned. */
const NEWS_BYTES = 24_000;

/** Background processes on this machine, started like the shell's command lines. */
export function createNodeProcesses(parts: ShellOptions): RunProcesses {
  const { outputFolder, env = process.env, secrets = [], program = chooseShellProgram(env), redact } = parts;
  const writer = new OutputWriter();
  const all: KnownProcess[] = [];
  const changes = new Emitter();
  const find = (id: number): KnownProcess | undefined => all[id - 1];
  const listRunning = (): readonly KnownProcess[] => all.filter(({ child }) => child.state === "running");
  return {
    async start(commandLine, { cwd, step, harmlessIn: calls }) {
      if (listRunning().length >= MOST_RUNNING)
        return `${MOST_RUNNING} background processes are running already. Stop some with stop_process.`;
      const own = await createLineEnvironment(calls, parts.env ?? env);
      if (typeof own === "string") return own;
      const output = new RollingOutput(getOutputFile(outputFolder, step), { redact, writer });
      await runFileOperation(`output:${step}`, () => output.open());
      const pipe = await createPipe();
      const marked = startMarked({ program, env: own, secrets }, commandLine, cwd, pipe?.writeEnd);
      if (pipe) await closeEnd(pipe.writeEnd);
      if (!marked.tree) {
        await output.finish();
        if (pipe) await closeEnd(pipe.readEnd);
        return explainStartFailure(marked);
      }
      const print = (onOutput: () => void): OutputReader => {
        const take = (bytes: Buffer): Promise<void> => output.add(bytes).finally(onOutput);
        return pipe ? readPipe(pipe, take) : readStreams(marked.streams, take);
      };
      const started = { exited: marked.exited, tree: marked.tree, output, print };
      const child = createBackgroundChild(started, () => changes.fire());
      const facts = { id: all.length + 1, commandLine, cwd, step, startedAt: Date.now() };
      const known = { facts, child, output, kept: false, readTo: 0 };
      all.push(known);
      changes.fire();
      return createProcessInfo(known);
    },
    list: () => all.map(createProcessInfo),
    async read(id, waitMs, signal) {
      const known = find(id);
      await known?.child.waitForNews(known.readTo, waitMs, signal);
      return known && readNewOutput(known);
    },
    async stop(id) {
      const known = find(id);
      return known?.child.stop().then(() => createProcessInfo(known));
    },
    keep(id, kept) {
      const known = find(id);
      if (known) known.kept = kept;
      changes.fire();
    },
    endAll: async (which) => {
      const ended = listRunning().filter(({ kept }) => which === "all" || !kept);
      await Promise.all(ended.map(({ child }) => child.stop()));
    },
    onChange: changes.subscribe,
  };
}

interface KnownProcess {
  readonly facts: Pick<BackgroundProcess, "id" | "commandLine" | "cwd" | "step" | "startedAt">;
  readonly child: ReturnType<typeof createBackgroundChild>;
  readonly output: RollingOutput;
  kept: boolean;
  readTo: number;
}

function createProcessInfo({
  facts,
  child: { state, code },
  output: { bytes },
  kept,
}: KnownProcess): BackgroundProcess {
  return { ...facts, state, ...omitUndefined({ code }), bytes, kept };
}

async function readNewOutput(known: KnownProcess): Promise<ProcessOutput> {
  const { text, from, to } = await known.output.read(known.readTo, NEWS_BYTES);
  const skipped = from - known.readTo;
  known.readTo = to;
  return { process: createProcessInfo(known), text, skipped };
}

/** How long processes have to end after a request. */
const GRACE_MS = 500;

/** How long silent descendants have to end after their ancestor. */
const SETTLE_MS = 250;

/** Pieces of output within this time are reported together. */
const TOGETHER_MS = 100;

/** A process that was just started, and its output. */
interface StartedProcess {
  /** Resolves with its exit code. */
  readonly exited: Promise<readonly unknown[]>;
  readonly tree: ProcessTree;
  readonly output: RollingOutput;
  /** Starts reading its output. */
  print(onOutput: () => void): OutputReader;
}

/** A background process. It has ended once the process and its descendants have ended, or print nothing more. */
function createBackgroundChild({ exited, tree, output, print }: StartedProcess, changed: () => void) {
  const now: { state: "running" | "ended" | "stopped"; code?: number; isStopping?: boolean } = {
    state: "running",
  };
  const news = { next: Promise.withResolvers<void>() };
  const notify = (): void => {
    news.next.resolve();
    news.next = Promise.withResolvers();
  };
  const printing = print(notify);
  let hasExited = false;
  const ended = (async (): Promise<void> => {
    const [code] = await exited;
    hasExited = true;
    await printing.ended;
    if (!now.isStopping) {
      await tree.settle(SETTLE_MS);
      await tree.end();
    }
    await output.finish().catch(() => undefined);
    now.state = now.isStopping ? "stopped" : "ended";
    if (typeof code === "number") now.code = code;
    notify();
    changed();
  })();
  return {
    get state() {
      return now.state;
    },
    get code() {
      return now.code;
    },
    async stop(): Promise<void> {
      if (now.state !== "running") return;
      now.isStopping = true;
      tree.ask();
      await Promise.race([exited, wait(GRACE_MS)]);
      await tree.end();
      const isOver = await Promise.race([ended.then(() => true), wait(GRACE_MS, false)]);
      if (!isOver) printing.close();
      await ended;
    },
    /** Resolves when there are more than `bytes` bytes, when the process has ended, or after `waitMs`. */
    async waitForNews(bytes: number, waitMs: number, signal: AbortSignal): Promise<void> {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
      const isOver = patience.aborted || waitMs === 0 ? undefined : once(patience, "abort");
      while (isOver && !patience.aborted && now.state === "running" && output.bytes <= bytes)
        await Promise.race([news.next.promise, isOver]);
      signal.throwIfAborted();
      if (waitMs > 0 && now.state === "running") await Promise.race([ended, wait(TOGETHER_MS)]);
      // Its end is reported with its last output, also on a busy machine, where looking for descendants takes longer.
      if (waitMs > 0 && hasExited) await Promise.race([ended, wait(SETTLE_MS + GRACE_MS)]);
    },
  };
}
