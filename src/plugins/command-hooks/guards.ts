import { join } from "node:path";
import { Queue } from "../../core/base/async.ts";
import { tryJson } from "../../core/base/json.ts";
import { readLinkedText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { sha256 } from "../../disk/sha256.ts";
import type { HookCommand } from "./hook-files.ts";

/** The most commands to remember. */
const MOST = 1_000;

/** Commands that have ever refused a call. While one of them can't answer, the user is asked. */
export class Guards {
  private readonly path: string;
  private readonly turns = new Queue();
  private known: Promise<Set<string>> | undefined;

  constructor(storage: string) {
    this.path = join(storage, "hook-guards.json");
  }

  async has(commands: readonly HookCommand[]): Promise<boolean> {
    const known = await this.loadAll();
    return commands.some((command) => known.has(computeKey(command)));
  }

  /** Remembers a command permanently. If the disk can't be written, only this process knows it. */
  async add(command: HookCommand): Promise<void> {
    const known = await this.loadAll();
    if (known.has(computeKey(command))) return;
    known.add(computeKey(command));
    const kept = JSON.stringify([...known].slice(-MOST));
    await this.turns
      .add(() => replaceFile(this.path, kept, { private: true, makeFolder: true }))
      .catch(() => undefined);
  }

  private loadAll(): Promise<Set<string>> {
    this.known ??= readLinkedText(this.path)
      .catch(() => "")
      .then((text) => {
        const value = tryJson(text);
        return new Set(Array.isArray(value) ? value.filter((item) => typeof item === "string") : []);
      });
    return this.known;
  }
}

function computeKey({ command, env }: HookCommand): string {
  return sha256(JSON.stringify([command, env]));
}
