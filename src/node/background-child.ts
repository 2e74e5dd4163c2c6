import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import type { Printing } from "./printing.ts";
import type { ProcessTree } from "./process-tree.ts";
import type { RollingOutput } from "./rolling-output.ts";

/** Processes that were asked to end have so long to do it in good order. */
const GRACE_MS = 1000;

/** What began as children of an ended process and prints no more has so long to end. */
const SETTLE_MS = 250;

/** Printing comes in pieces; those that come together are news together. */
const TOGETHER_MS = 100;

/** A process that was just started, and what it prints into. */
interface Started {
  /** Resolves with its exit code. */
  readonly exited: Promise<readonly unknown[]>;
  readonly tree: ProcessTree;
  readonly output: RollingOutput;
  /** Begins to read what it prints. */
  print(told: () => void): Printing;
}

/** A process that goes on by itself. It has ended when it and all that came of it have, or print no more. */
export function backgroundChild({ exited, tree, output, print }: Started, changed: () => void) {
  const now: { state: "running" | "ended" | "stopped"; code?: number; isStopping?: boolean } = {
    state: "running",
  };
  const news = { next: Promise.withResolvers<void>() };
  const tell = (): void => {
    news.next.resolve();
    news.next = Promise.withResolvers();
  };
  const printing = print(tell);
  const ended = (async (): Promise<void> => {
    const [code] = await exited;
    await printing.ended;
    if (!now.isStopping) {
      await tree.settle(SETTLE_MS);
      await tree.end();
    }
    await output.finish().catch(() => undefined);
    now.state = now.isStopping ? "stopped" : "ended";
    if (typeof code === "number") now.code = code;
    tell();
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
    /** Resolves when more than so many bytes are there, when it has ended, or when it was waited for long enough. */
    async newsAfter(bytes: number, waitMs: number, signal: AbortSignal): Promise<void> {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
      const isOver = patience.aborted || waitMs === 0 ? undefined : once(patience, "abort");
      while (isOver && !patience.aborted && now.state === "running" && output.bytes <= bytes)
        await Promise.race([news.next.promise, isOver]);
      signal.throwIfAborted();
      if (waitMs > 0 && now.state === "running") await Promise.race([ended, wait(TOGETHER_MS)]);
    },
  };
}
