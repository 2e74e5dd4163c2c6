import fs from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openMemory } from "../../../src/memory/open-memory.ts";
import type { WorkspaceMemory } from "../../../src/memory/workspace-memory.ts";
import type { PostgresServer } from "../../support/postgres-server.ts";
import { median } from "../memory/clock.ts";
import { numbers, randomEmbedder, randomMemory } from "../memory/random-memories.ts";
import { check, table } from "../memory/report.ts";
import { DIMENSIONS, until } from "./team.ts";

const LOCAL = 20_000;
const STEPS = 120;
/** Steps that count for nothing, until everything has been compiled. */
const FIRST_STEPS = 40;
/** Others' notes that are kept here, so few that the server is asked for the rest. */
const THEIRS = 10;

/** A server that is away. */
interface Missing {
  readonly what: string;
  readonly url: string;
  /** Kills the server once the memory has used it. */
  kill?(): Promise<void>;
}

/** Milliseconds of each recall, and of each step, which recalls and remembers. */
interface Taken {
  readonly recalls: number[];
  readonly steps: number[];
}

/** Measures what it costs that a server is away, next to a memory that isn't shared, in turns. The server is killed in the end. */
export async function missTheServer(root: string, server: PostgresServer, database: string): Promise<void> {
  const filled = path.join(root, "local");
  await fill(filled);
  const silent = createServer(() => "It never answers.").listen(0, "127.0.0.1");
  const address = silent.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const kinds: readonly Missing[] = [
    { what: "refuses", url: "postgres://127.0.0.1:1/none" },
    { what: "is silent", url: `postgres://127.0.0.1:${port}/none` },
    { what: "was killed", url: server.url(database), kill: () => server.kill() },
  ];
  const rows = [];
  for (const missing of kinds) rows.push(await compare(root, filled, missing));
  silent.close();
  table(
    `While the server is away, at ${LOCAL} memories, ms (alone, shared)`,
    ["", "recall", "recall", "step", "step"],
    rows,
  );
}

async function fill(folder: string): Promise<void> {
  const memory = await openMemory({ folder, embedder: randomEmbedder(DIMENSIONS) });
  const random = numbers(1);
  for (let first = 0; first < LOCAL; first += 250) {
    await memory.add(Array.from({ length: 250 }, (_, place) => randomMemory(first + place, random)));
    await memory.waitUntilEmbedded();
  }
  await memory.close();
}

async function compare(root: string, filled: string, missing: Missing): Promise<readonly string[]> {
  const { what, url, kill } = missing;
  const folder = (name: string): string => path.join(root, `${what}, ${name}`);
  for (const name of ["alone", "shared"]) fs.cpSync(filled, folder(name), { recursive: true });
  const embedder = randomEmbedder(DIMENSIONS);
  const alone = await openMemory({ folder: folder("alone"), embedder });
  const shared = await openMemory({
    ...{ folder: folder("shared"), embedder, key: "a key of this machine" },
    shared: {
      ...{ backend: "postgres", url, project: "pulled", kinds: kill ? ["note"] : ["note", "episode"] },
      ...{ getAuthor: async () => "Bob", kept: { most: THEIRS, large: 0, mostOfLarge: THEIRS } },
    },
  });
  try {
    await Promise.all([alone.waitUntilEmbedded(), shared.waitUntilEmbedded()]);
    if (kill) await until(60_000, () => shared.state.count >= LOCAL + THEIRS);
    await kill?.();
    return report(what, await inTurns(alone, shared));
  } finally {
    await Promise.all([alone.close(), shared.close()]);
  }
}

async function inTurns(
  alone: WorkspaceMemory,
  shared: WorkspaceMemory,
): Promise<{ readonly alone: Taken; readonly shared: Taken }> {
  const taken = { alone: { recalls: [], steps: [] }, shared: { recalls: [], steps: [] } };
  const random = numbers(11);
  for (let turn = 0; turn < FIRST_STEPS + STEPS; turn++) {
    const [asked, added] = [randomMemory(-1, random), randomMemory(LOCAL + turn, random)];
    // What comes second finds more in the processor's caches, so they swap places.
    const both = [() => step(alone, taken.alone), () => step(shared, taken.shared)];
    for (const act of turn % 2 === 0 ? both : both.toReversed()) await act();
    async function step(memory: WorkspaceMemory, { recalls, steps }: Taken): Promise<void> {
      const { signal } = new AbortController();
      const started = performance.now();
      await memory.recall(asked.text, { count: 10, maxTokens: 1500, signal });
      const recalled = performance.now() - started;
      await memory.add([added]);
      if (turn >= FIRST_STEPS) {
        recalls.push(recalled);
        steps.push(performance.now() - started);
      }
      await pause(5);
    }
  }
  return taken;
}

function report(what: string, { alone, shared }: { readonly alone: Taken; readonly shared: Taken }): readonly string[] {
  const recalls = [median(alone.recalls), median(shared.recalls)] as const;
  const steps = [median(alone.steps), median(shared.steps)] as const;
  check(`a recall while the server ${what}, times one without sharing`, recalls[1] / recalls[0], 1.1);
  check(`a step while the server ${what}, ms more than without sharing`, steps[1] - steps[0], 1);
  return [what, ...[...recalls, ...steps].map((ms) => ms.toFixed(2))];
}
