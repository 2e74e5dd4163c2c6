import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { SharedMemoryOptions } from "../../../src/memory/shared/team-memory.ts";
import type { PostgresServer } from "../../support/postgres-server.ts";
import type { Shipped } from "../memory/entry-point.ts";
import { numbers, randomEmbedder, randomMemory } from "../memory/random-memories.ts";
import type { MemberAnswer, MemberOptions, MemberTask } from "./member.ts";

/** How a backend is reached, and by which programs. */
export interface Reached extends Pick<SharedMemoryOptions, "backend" | "url"> {
  readonly shipped: Shipped;
}

/** The numbers of a vector. */
export const DIMENSIONS = 256;
/** Notes that one statement writes. */
const BATCH = 25_000;
/** The clusters of the notes' vectors. */
const CLUSTERS = 1_000;

/** A member of a team in another process. */
export class Member {
  private readonly child: ChildProcess;

  constructor(folder: string, author: string, project: string, { shipped, ...reached }: Reached) {
    const shared = { ...reached, project };
    const options: MemberOptions = { ...shipped, folder, author, dimensions: DIMENSIONS, shared };
    this.child = fork(path.join(import.meta.dirname, "member.ts"), [JSON.stringify(options)]);
  }

  /** Throws if the other process ends. */
  async ask(task: MemberTask): Promise<MemberAnswer> {
    const ended = new AbortController();
    const answer = once(this.child, "message", { signal: ended.signal });
    const gone = () => ended.abort(new Error("The member's process has ended."));
    this.child.once("exit", gone);
    this.child.send(task);
    const [found] = await answer;
    this.child.off("exit", gone);
    return found;
  }

  async end(): Promise<void> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

/**
 * Another member's notes, made by the server itself. The tables have to be there, and pgvector. Their vectors are in clusters as those of
 * real texts are: the middle of one and two smaller random vectors.
 */
export async function makeNotes(
  server: PostgresServer,
  database: string,
  project: string,
  count: number,
): Promise<void> {
  const random = numbers(5);
  const embedder = randomEmbedder(DIMENSIONS).id;
  const texts = Array.from({ length: 1_000 }, (_, place) => randomMemory(place, random).text);
  await server.query(
    `create unlogged table if not exists parts as
     select n, (select array_agg((random() - 0.5)::real) from generate_series(1, ${DIMENSIONS} + 0 * n))::vector as middle,
       (select array_agg((random() * 0.8 - 0.4)::real) from generate_series(1, ${DIMENSIONS} + 0 * n))::vector as away
     from generate_series(0, ${CLUSTERS} - 1) as n`,
    [],
    database,
  );
  for (let first = 0; first < count; first += BATCH)
    await server.query(
      `insert into memory_item (project, author, id, kind, text, source, at, embedder, vector)
       select $1, 'Grace', left(md5(note::text), 24), 'note', ($2::text[])[1 + note % 1000] || ' Fact ' || note || '.', 'user',
         now(), $3, (a.middle + b.away + c.away)::real[]
       from generate_series($4::int, $5::int) as note
       join parts a on a.n = note % ${CLUSTERS}
       join parts b on b.n = abs(hashint4(note)) % ${CLUSTERS}
       join parts c on c.n = abs(hashint4(-note)) % ${CLUSTERS}
       order by note`,
      [project, texts, embedder, first, Math.min(count, first + BATCH) - 1],
      database,
    );
}

/** Asks again and again; false if the answer was never yes in the time. */
export async function until(ms: number, isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const last = performance.now() + ms; performance.now() < last; await pause(20)) if (await isSo()) return true;
  return false;
}
