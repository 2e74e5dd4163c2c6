import type { Disk } from "../../core/ports/disk.ts";
import { rewrites } from "../shell/deletion.ts";
import { areUnchanged, type ExecutedFile, executedFiles } from "../shell/executed-files.ts";
import { everyCommand, isLiteral, type ShellScript, type SimpleCommand } from "../shell/reading.ts";

const LONGEST = 200;

/** The line that "always allow" would teach, words joined by one blank; undefined for a line that should be looked at each time. */
export function savableLine(script: ShellScript): string | undefined {
  if (!script.plain || script.plain.length === 0 || rewrites(script)) return undefined;
  if (!script.plain.every(isFixed)) return undefined;
  const line = canonicalLine(script.plain);
  return line.length <= LONGEST ? line : undefined;
}

/** A plain line in the one spelling that taught rules are compared in. */
function canonicalLine(plain: readonly SimpleCommand[]): string {
  const pieces = plain.map(({ joint, words }) => {
    const line = words.map(({ text }) => quoted(text)).join(" ");
    return joint === undefined ? line : `${joint} ${line}`;
  });
  return pieces.join(" ");
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : JSON.stringify(text);
}

/** Nothing in it depends on files' names, variables, the end of a pipe or on failing. */
function isFixed({ words, redirects, input, isNegated }: SimpleCommand): boolean {
  return (
    input === undefined &&
    !isNegated &&
    words.every(isLiteral) &&
    redirects.every(({ target }) => target.text === "/dev/null" || target.text === "1")
  );
}

/** A command line that the user has said may always run in a folder. */
export interface SavedRule {
  /** The real folder. */
  readonly folder: string;
  /** Its words joined by one blank, commands by what joins them in the line. */
  readonly line: string;
  /** What it ran when it was taught. Once one of these has changed, the rule is void. */
  readonly files: readonly ExecutedFile[];
  /** ISO 8601. */
  readonly at: string;
}

/** Where taught rules are kept between runs: with the user, never in a workspace. */
export interface SavedRuleStore {
  all(): readonly SavedRule[];
  save(rules: readonly SavedRule[]): Promise<void>;
}

/** The command lines that may always run, each in its folder and as long as what it runs stays the same. */
export class SavedRules {
  private readonly store: SavedRuleStore;
  private readonly disk: Disk;

  constructor(store: SavedRuleStore, disk: Disk) {
    this.store = store;
    this.disk = disk;
  }

  get all(): readonly SavedRule[] {
    return this.store.all();
  }

  /** Keeps a line as one that may always run here. Throws for a line that should be looked at each time. */
  async teach(script: ShellScript, folder: string, now: Date = new Date()): Promise<SavedRule> {
    const line = savableLine(script);
    if (line === undefined)
      throw new Error(
        "This command line cannot be allowed for always. Approve it each time, or write a rule for it.",
      );
    const files = await executedFiles(everyCommand(script), folder, this.disk);
    const rule = { folder, line, files, at: now.toISOString() };
    await this.store.save([...this.all.filter((other) => !isSame(other, rule)), rule]);
    return rule;
  }

  async forget(rule: Pick<SavedRule, "folder" | "line">): Promise<void> {
    await this.store.save(this.all.filter((other) => !isSame(other, rule)));
  }

  /** The rule that allows a line in a folder, if there is one and nothing that it runs has changed. */
  async match(script: ShellScript, folder: string): Promise<SavedRule | undefined> {
    if (!script.plain || savableLine(script) === undefined) return undefined;
    const line = canonicalLine(script.plain);
    const rule = this.all.find((other) => isSame(other, { folder, line }));
    return rule && (await areUnchanged(rule.files, this.disk)) ? rule : undefined;
  }
}

function isSame(one: Pick<SavedRule, "folder" | "line">, other: Pick<SavedRule, "folder" | "line">): boolean {
  return one.folder === other.folder && one.line === other.line;
}
