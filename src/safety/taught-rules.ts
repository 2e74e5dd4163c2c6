import type { Disk } from "../core/disk.ts";
import { areUnchanged, type FileState, filesRun } from "./runs-files.ts";
import { everyCommand, type Script } from "./shell/reading.ts";
import { taughtLine, teachable } from "./teachable.ts";

/** A command line that the user has said may always run in a folder. */
export interface TaughtRule {
  /** The real folder. */
  readonly folder: string;
  /** Its words joined by one blank, commands by what joins them in the line. */
  readonly line: string;
  /** What it ran when it was taught. Once one of these has changed, the rule is void. */
  readonly files: readonly FileState[];
  /** ISO 8601. */
  readonly at: string;
}

/** Where taught rules are kept between runs: with the user, never in a workspace. */
export interface TaughtStore {
  all(): readonly TaughtRule[];
  save(rules: readonly TaughtRule[]): Promise<void>;
}

/** The command lines that may always run, each in its folder and as long as what it runs stays the same. */
export class TaughtRules {
  private readonly store: TaughtStore;
  private readonly disk: Disk;

  constructor(store: TaughtStore, disk: Disk) {
    this.store = store;
    this.disk = disk;
  }

  get all(): readonly TaughtRule[] {
    return this.store.all();
  }

  /** Keeps a line as one that may always run here. Throws for a line that should be looked at each time. */
  async teach(script: Script, folder: string, now: Date = new Date()): Promise<TaughtRule> {
    const line = teachable(script);
    if (line === undefined)
      throw new Error(
        "This command line cannot be allowed for always. Approve it each time, or write a rule for it.",
      );
    const files = await filesRun(everyCommand(script), folder, this.disk);
    const rule = { folder, line, files, at: now.toISOString() };
    await this.store.save([...this.all.filter((other) => !isSame(other, rule)), rule]);
    return rule;
  }

  async forget(rule: Pick<TaughtRule, "folder" | "line">): Promise<void> {
    await this.store.save(this.all.filter((other) => !isSame(other, rule)));
  }

  /** The rule that allows a line in a folder, if there is one and nothing that it runs has changed. */
  async match(script: Script, folder: string): Promise<TaughtRule | undefined> {
    if (!script.plain || teachable(script) === undefined) return undefined;
    const line = taughtLine(script.plain);
    const rule = this.all.find((other) => isSame(other, { folder, line }));
    return rule && (await areUnchanged(rule.files, this.disk)) ? rule : undefined;
  }
}

function isSame(
  one: Pick<TaughtRule, "folder" | "line">,
  other: Pick<TaughtRule, "folder" | "line">,
): boolean {
  return one.folder === other.folder && one.line === other.line;
}
