import type { Disk } from "../../core/ports/disk.ts";
import type { SavedRule } from "../../schema/stored-files.ts";
import { canDeleteWork } from "../shell/destructive.ts";
import { areUnchanged, readExecutedFiles } from "../shell/executed-files.ts";
import { isLiteral, type SimpleCommand } from "../shell/reading.ts";
import { listCalls, type ShellScript } from "../shell/script.ts";

export type { SavedRule } from "../../schema/stored-files.ts";

const LONGEST = 200;

/** The line that "always allow" would save, with its words joined by one blank; undefined for a line that must be checked each time. */
export function getSavableLine(script: ShellScript): string | undefined {
  if (!script.plain || script.plain.length === 0 || canDeleteWork(listCalls(script))) return undefined;
  if (!script.plain.every(isFixed)) return undefined;
  const line = formatCanonicalLine(script.plain);
  return line.length <= LONGEST ? line : undefined;
}

/** A plain line in the spelling that saved rules are compared in. */
function formatCanonicalLine(plain: readonly SimpleCommand[]): string {
  const pieces = plain.map(({ joint, words }) => {
    const line = words.map(({ text }) => quoteWord(text)).join(" ");
    return joint === undefined ? line : `${joint} ${line}`;
  });
  return pieces.join(" ");
}

function quoteWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : JSON.stringify(text);
}

/** True if nothing in a command depends on file names, variables, piped input or failure. */
function isFixed({ words, redirects, input, isNegated }: SimpleCommand): boolean {
  return (
    input === undefined &&
    !isNegated &&
    words.every(isLiteral) &&
    redirects.every(({ target }) => target.text === "/dev/null" || target.text === "1")
  );
}

/** Stores saved rules between runs: with the user, never in a workspace. */
export interface SavedRuleStore {
  list(): readonly SavedRule[];
  save(rules: readonly SavedRule[]): Promise<void>;
}

/** Command lines that may always run, each in its folder and as long as the files it runs are unchanged. */
export class SavedRules {
  private readonly store: SavedRuleStore;
  private readonly disk: Disk;

  constructor(store: SavedRuleStore, disk: Disk) {
    this.store = store;
    this.disk = disk;
  }

  get all(): readonly SavedRule[] {
    return this.store.list();
  }

  /** Saves a line as always allowed here. Throws a sentence for a line that must be checked each time. */
  async save(script: ShellScript, folder: string, now: Date = new Date()): Promise<SavedRule> {
    const line = getSavableLine(script);
    if (line === undefined)
      throw new Error(
        "This command line can't be saved as always allowed. Approve it each time, or write a rule for it.",
      );
    const files = await readExecutedFiles(listCalls(script), folder, this.disk);
    const rule = { folder, line, files, at: now.toISOString() };
    await this.store.save([...this.all.filter((other) => !isSame(other, rule)), rule]);
    return rule;
  }

  async forget(rule: Pick<SavedRule, "folder" | "line">): Promise<void> {
    await this.store.save(this.all.filter((other) => !isSame(other, rule)));
  }

  /** The rule that allows a line in a folder, if there is one and the files it runs are unchanged. */
  async match(script: ShellScript, folder: string): Promise<SavedRule | undefined> {
    if (!script.plain || getSavableLine(script) === undefined) return undefined;
    const line = formatCanonicalLine(script.plain);
    const rule = this.all.find((other) => isSame(other, { folder, line }));
    return rule && (await areUnchanged(rule.files, this.disk)) ? rule : undefined;
  }
}

function isSame(one: Pick<SavedRule, "folder" | "line">, other: Pick<SavedRule, "folder" | "line">): boolean {
  return one.folder === other.folder && one.line === other.line;
}
