import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { SharedMemoryOptions } from "../../../src/memory/shared/team-memory.ts";
import type { PostgresServer } from "../../support/postgres-server.ts";
import { numbers, randomEmbedder, randomMemory } from "../memory/random-memories.ts";
import type { MemberAnswer, MemberOptions, MemberTask } from "./member.ts";

/** How a backend is reached. */
export type Reached = Pick<SharedMemoryOptions, "backend" | "url">;

/** The numbers of a vector. */
export const DIMENSIONS = 256;
/** Notes that one statement writes. */
const BATCH = 25_000;

/** A member of a team in another process. */
export class Member {
  private readonly child: ChildProcess;

  constructor(folder: string, author: string, shared: MemberOptions["shared"]) {
    const options: MemberOptions = { folder, author, dimensions: DIMENSIONS, shared };
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

/** Another member's notes with random vectors, made by the server itself. The tables have to be there. */
export async function makeNotes(
  server: PostgresServer,
  database: string,
  project: string,
  count: number,
): Promise<void> {
  const random = numbers(5);
  const embedder = randomEmbedder(DIMENSIONS).id;
  const texts = Array.from({ length: 1_000 }, (_, place) => randomMemory(place, random).text);
  for (let first = 0; first < count; first += BATCH)
    await server.query(
      `insert into memory_item (project, author, id, kind, text, source, at, embedder, vector)
       select $1, 'Grace', left(md5(n::text), 24), 'note', ($2::text[])[1 + n % 1000] || ' Fact ' || n || '.', 'user',
         now(), $3, (select array_agg((random() - 0.5)::real) from generate_series(1, ${DIMENSIONS} + 0 * n))
       from generate_series($4::int, $5::int) as n`,
      [project, texts, embedder, first, Math.min(count, first + BATCH) - 1],
      database,
    );
}

/** Asks again and again; false if the answer was never yes in the time. */
export async function until(ms: number, isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const last = performance.now() + ms; performance.now() < last; await pause(20))
    if (await isSo()) return true;
  return false;
}
