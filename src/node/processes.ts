import type { BackgroundProcess, Processes, ProcessOutput } from "../core/ports/programs.ts";
import { backgroundChild } from "./background-child.ts";
import { told } from "./file-errors.ts";
import { environmentOf } from "./git-view.ts";
import { startMarked, whyNotStarted } from "./marked-child.ts";
import { OutputWriter } from "./output-writer.ts";
import { outputFile } from "./outputs.ts";
import { closeEnd, ownPipe, type Printing, readPipe, readStreams } from "./printing.ts";
import { RollingOutput } from "./rolling-output.ts";
import type { ShellParts } from "./shell.ts";
import { shellProgram } from "./shell-program.ts";

/** A run's background processes, as those see them who keep house for it. */
export interface RunProcesses extends Processes {
  /** The user wants it to go on when the run ends, or not any more. */
  keep(id: number, kept: boolean): void;
  /** Ends all that are not kept, or really all. */
  endAll(which: "not kept" | "all"): Promise<void>;
  /** Called when one begins, ends or is kept. */
  onChange(listener: () => void): () => void;
}

const MOST_RUNNING = 50;

/** Of longer news only the end is told. */
const NEWS_BYTES = 24_000;

/** Background processes on this machine, started as the shell starts its command lines. */
export function nodeProcesses(parts: ShellParts): RunProcesses {
  const { outputFolder, env = process.env, secrets = [], program = shellProgram(env), redact } = parts;
  const writer = new OutputWriter();
  const all: Known[] = [];
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const find = (id: number): Known | undefined => all[id - 1];
  const running = (): readonly Known[] => all.filter(({ child }) => child.state === "running");
  return {
    async start(commandLine, { cwd, step, harmlessIn: calls }) {
      if (running().length >= MOST_RUNNING)
        return `${MOST_RUNNING} background processes are running already. Stop some with stop_process.`;
      const own = await environmentOf(calls, env);
      if (typeof own === "string") return own;
      const output = new RollingOutput(outputFile(outputFolder, step), { redact, writer });
      await told(`output:${step}`, () => output.open());
      const pipe = await ownPipe();
      const marked = startMarked({ program, env: own, secrets }, commandLine, cwd, pipe?.writeEnd);
      if (pipe) await closeEnd(pipe.writeEnd);
      if (!marked.tree) {
        await output.finish();
        if (pipe) await closeEnd(pipe.readEnd);
        return whyNotStarted(marked);
      }
      const print = (told: () => void): Printing => {
        const take = (bytes: Buffer): Promise<void> => output.add(bytes).finally(told);
        return pipe ? readPipe(pipe, take) : readStreams(marked.streams, take);
      };
      const child = backgroundChild({ exited: marked.exited, tree: marked.tree, output, print }, changed);
      const facts = { id: all.length + 1, commandLine, cwd, step, startedAt: Date.now() };
      const known = { facts, child, output, kept: false, readTo: 0 };
      all.push(known);
      changed();
      return seen(known);
    },
    list: () => all.map(seen),
    async read(id, waitMs, signal) {
      const known = find(id);
      await known?.child.newsAfter(known.readTo, waitMs, signal);
      return known && news(known);
    },
    async stop(id) {
      const known = find(id);
      return known?.child.stop().then(() => seen(known));
    },
    keep(id, kept) {
      const known = find(id);
      if (known) known.kept = kept;
      changed();
    },
    endAll: async (which) => {
      const ended = running().filter(({ kept }) => which === "all" || !kept);
      await Promise.all(ended.map(({ child }) => child.stop()));
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

interface Known {
  readonly facts: Pick<BackgroundProcess, "id" | "commandLine" | "cwd" | "step" | "startedAt">;
  readonly child: ReturnType<typeof backgroundChild>;
  readonly output: RollingOutput;
  kept: boolean;
  readTo: number;
}

function seen({ facts, child: { state, code }, output: { bytes }, kept }: Known): BackgroundProcess {
  return { ...facts, state, ...(code === undefined ? {} : { code }), bytes, kept };
}

async function news(known: Known): Promise<ProcessOutput> {
  const { text, from, to } = await known.output.read(known.readTo, NEWS_BYTES);
  const skipped = from - known.readTo;
  known.readTo = to;
  return { process: seen(known), text, skipped };
}
