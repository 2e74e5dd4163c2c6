import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { hasSucceeded, Queue } from "../../core/base/async.ts";
import { Emitter } from "../../core/base/emitter.ts";
import { isObject, tryJson } from "../../core/base/json.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { sha256 } from "../../disk/sha256.ts";
import type { Seal } from "../../runs/log/log-seal.ts";
import { isRunId } from "../../runs/store/run-folder.ts";

/** A question of a run, as every window of its user knows it. */
export interface BoardQuestion {
  readonly run: string;
  /** Names exactly this question of this run. */
  readonly id: string;
  readonly kind: "proposal" | "question";
  /** Shows everything that would run, so a notification may offer to approve it. */
  readonly approvable: boolean;
  /** One line for a notification. */
  readonly text: string;
  /** The folder or workspace file of the window that asks, as an address. */
  readonly window: string;
}

/** The user's answer in another window. */
export type BoardAnswer = { readonly run: string; readonly id: string } & (
  | { readonly act: "approve" | "show" }
  | { readonly act: "say"; readonly text: string }
);

/** Names one question of a run. */
export function createQuestionId(run: string, step: number, hash: string): string {
  return sha256(`${run}\n${step}\n${hash}`).slice(0, 32);
}

const QUESTION = ".question.json";
const ANSWER = ".answer.json";
const MOST_BYTES = 50_000;

/**
 * The questions of all windows of a user, in a folder of theirs. Each file has a seal that only the user's programs can make. An answer
 * counts only for the very question that it names.
 */
export class QuestionBoard {
  private readonly folder: string;
  private readonly seal: (run: string) => Promise<Seal>;
  private readonly isAlive: (pid: number) => boolean;
  private readonly own = new Map<string, BoardQuestion>();
  private readonly queue = new Queue();
  private readonly changes = new Emitter<[]>();
  private readonly answers = new Emitter<[BoardAnswer]>();
  private found: readonly BoardQuestion[] = [];

  constructor(
    folder: string,
    { seal, isAlive }: { seal(run: string): Promise<Seal>; readonly isAlive: (pid: number) => boolean },
  ) {
    this.folder = folder;
    this.seal = seal;
    this.isAlive = isAlive;
  }

  /** The questions of other windows. */
  get others(): readonly BoardQuestion[] {
    return this.found;
  }

  /** Calls back when another window asks something, or has its answer. */
  onChange(listener: () => void): { dispose(): void } {
    return { dispose: this.changes.subscribe(listener) };
  }

  /** Calls back when another window answers a question of this one. */
  onAnswer(listener: (answer: BoardAnswer) => void): { dispose(): void } {
    return { dispose: this.answers.subscribe(listener) };
  }

  /** Lets the other windows know of a question of this one. */
  put(question: BoardQuestion): Promise<void> {
    this.own.set(question.run, question);
    return this.queue.add(async () => {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await this.write(question.run, QUESTION, { ...question, pid: process.pid, host: hostname() });
    });
  }

  /** Takes the question of a run back: it's answered, or no longer asked. */
  async remove(run: string): Promise<void> {
    const question = this.own.get(run);
    if (!question) return;
    this.own.delete(run);
    await this.queue.add(() => this.sweep(question));
  }

  /** True in the one window that shows a notification about the question. */
  async claim(question: BoardQuestion): Promise<boolean> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    return hasSucceeded(writeFile(this.getClaimPath(question), "", { flag: "wx", mode: 0o600 }));
  }

  /** Passes an answer to the window that asked. */
  answer(answer: BoardAnswer): Promise<void> {
    return this.write(answer.run, ANSWER, answer);
  }

  /** Reads what other windows ask, and their answers to this one. */
  look(): Promise<void> {
    return this.queue.add(async () => {
      const names = await readdir(this.folder).catch(() => []);
      const listed = await Promise.all(names.map((name) => this.readQuestion(name)));
      const found = listed.filter((one) => one !== undefined);
      for (const name of names) await this.readAnswer(name);
      if (JSON.stringify(found) === JSON.stringify(this.found)) return;
      this.found = found;
      this.changes.fire();
    });
  }

  /** Takes back everything that this window asks. */
  async close(): Promise<void> {
    await Promise.all([...this.own.keys()].map((run) => this.remove(run)));
    this.changes.clear();
    this.answers.clear();
  }

  private async readQuestion(name: string): Promise<BoardQuestion | undefined> {
    const run = getRunOfFile(name, QUESTION);
    if (run === undefined || this.own.has(run)) return undefined;
    const body = await this.read(run, QUESTION);
    if (!isObject(body) || body.host !== hostname()) return undefined;
    const { pid, host: _host, ...question } = body as unknown as BoardQuestion & { pid: number; host: string };
    if (this.isAlive(pid)) return question;
    await this.sweep(question);
    return undefined;
  }

  private async readAnswer(name: string): Promise<void> {
    const run = getRunOfFile(name, ANSWER);
    const asked = run === undefined ? undefined : this.own.get(run);
    if (!asked) return;
    const answer = await this.read(asked.run, ANSWER);
    await rm(join(this.folder, name), { force: true });
    if (isObject(answer) && answer.id === asked.id) this.answers.fire(answer as unknown as BoardAnswer);
  }

  private async write(run: string, kind: string, value: object): Promise<void> {
    const body = JSON.stringify(value);
    const seal = (await this.seal(run))(`${kind}\n${body}`);
    await replaceFile(join(this.folder, `${run}${kind}`), JSON.stringify({ body, seal }), { private: true });
  }

  /** The content of a file; undefined if no program of the user wrote it for this run. */
  private async read(run: string, kind: string): Promise<unknown> {
    const file = tryJson(await readFileText(join(this.folder, `${run}${kind}`), MOST_BYTES).catch(() => ""));
    if (!isObject(file) || typeof file.body !== "string") return undefined;
    if (file.seal !== (await this.seal(run))(`${kind}\n${file.body}`)) return undefined;
    const body = tryJson(file.body);
    return isObject(body) && body.run === run ? body : undefined;
  }

  private async sweep(question: BoardQuestion): Promise<void> {
    const names = [`${question.run}${QUESTION}`, `${question.run}${ANSWER}`].map((name) => join(this.folder, name));
    for (const path of [...names, this.getClaimPath(question)]) await rm(path, { force: true }).catch(() => undefined);
  }

  private getClaimPath({ run, id }: BoardQuestion): string {
    return join(this.folder, `${run}.${id}.shown`);
  }
}

function getRunOfFile(name: string, kind: string): string | undefined {
  const run = name.endsWith(kind) ? name.slice(0, -kind.length) : "";
  return isRunId(run) ? run : undefined;
}
