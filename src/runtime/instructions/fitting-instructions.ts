import { posix } from "node:path";
import { getErrorMessage } from "../../core/base/errors.ts";
import { computeFairShares } from "../../core/base/shares.ts";
import { listTouchedNames, type Touch } from "../../core/commands/command.ts";
import type { CommandSet } from "../../core/commands/command-set.ts";
import { shortenRule } from "../../core/prompt/prompt.ts";
import type { GuardedFiles } from "../../safety/paths/guarded-reader.ts";
import { findInnermostFolder, getPathBelow, type Platform } from "../../safety/paths/paths.ts";
import type { Instructions } from "../../schema/run-values.ts";
import { createFileTest, type FileTest } from "./file-globs.ts";
import { stripFrontMatter } from "./folder-instructions.ts";
import { dedupeRules, type ReadFiles, readInstructions, readWithImports } from "./read-instructions.ts";

/** A workspace folder whose files a run uses. */
export interface UsedFolder {
  /** Its real path. */
  readonly path: string;
  /** The beginning of its files' labels: its name and `/`, or "" for the run's own. */
  readonly prefix: string;
  readonly files: GuardedFiles;
}

/** Dependencies of giving instructions. */
export interface FittingOptions {
  listFolders(): readonly UsedFolder[];
  readonly platform: Platform;
  /** Rules that the prompts already contain. */
  listGivenRules(): readonly Instructions[];
  /** Characters available for the rules. */
  countFreeChars(): number;
  /** Reports why instructions can't be read, once. */
  reportProblem(text: string): void;
}

/** The instructions of one workspace folder for some of its files. */
interface FolderRules {
  /** Instructions for the whole folder. For the run's own folder, they are in the head of its prompts. */
  readonly all: readonly Instructions[];
  readonly scoped: readonly { readonly file: string; readonly test: FileTest }[];
}

const NESTED = ["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"];
const MOST_FOLDERS = 30;
const LEAST_CHARS = 200;

/** Finds the instructions for the files that a run uses. Each is given once, unless a summary has replaced it since. */
export class FittingInstructions {
  private readonly options: FittingOptions;
  private readonly known = new Map<string, Promise<FolderRules>>();
  private readonly nested = new Map<string, Promise<readonly Instructions[]>>();
  private readonly reported = new Set<string>();
  private claimed: { readonly step: number; readonly files: Set<string> } = { step: 0, files: new Set() };

  constructor(options: FittingOptions) {
    this.options = options;
  }

  /** The instructions for these files that the model doesn't have yet. */
  async findForStep(step: number, touches: readonly Touch[]): Promise<readonly Instructions[]> {
    const found = new Map<string, Instructions>();
    for (const path of new Set(touches.flatMap(listTouchedNames)))
      for (const rule of await this.findForFile(path)) found.set(rule.file, rule);
    if (found.size === 0) return [];
    if (this.claimed.step !== step) this.claimed = { step, files: new Set() };
    const { files } = this.claimed;
    const given = this.options.listGivenRules();
    const isNew = ({ file, text }: Instructions): boolean =>
      !files.has(file) && !given.some((one) => one.file === file || one.text === text);
    const rules = dedupeRules([...found.values()].filter(isNew));
    for (const { file } of rules) files.add(file);
    return this.shortenRules(rules);
  }

  private async findForFile(path: string): Promise<readonly Instructions[]> {
    const { platform } = this.options;
    const folders = this.options.listFolders();
    const inner = findInnermostFolder(
      path,
      folders.map((folder) => folder.path),
      platform,
    );
    const folder = folders.find((one) => one.path === inner);
    if (!folder) return [];
    const relative = getPathBelow(path, [folder.path], platform);
    const { all, scoped } = await this.loadFolderRules(folder);
    const fitting = scoped.filter(({ file, test }) => file !== relative && test.isMatch(relative));
    const read = await Promise.all([
      ...fitting.map(({ file }) => this.loadFileTexts(folder, file, () => readScopedText(file, folder))),
      ...listFoldersAbove(relative).flatMap((above) =>
        NESTED.map((name) => `${above}/${name}`)
          .filter((file) => file !== relative)
          .map((file) => this.loadFileTexts(folder, file, () => readNestedTexts(file, folder))),
      ),
    ]);
    return [...all, ...read.flat()].map(({ file, text }) => ({ file: `${folder.prefix}${file}`, text }));
  }

  /** The rules of a folder, read once. */
  private loadFolderRules(folder: UsedFolder): Promise<FolderRules> {
    const known =
      this.known.get(folder.path) ??
      readInstructions(folder.path, folder.files).then(({ rules, later }) => ({
        all: folder.prefix === "" ? [] : rules,
        scoped: later.flatMap(({ file, globs }) => (globs ? [{ file, test: createFileTest(globs) }] : [])),
      }));
    this.known.set(folder.path, known);
    return known;
  }

  /** Reads the texts that apply to a file once. */
  private loadFileTexts(
    folder: UsedFolder,
    file: string,
    read: () => Promise<ReadFiles>,
  ): Promise<readonly Instructions[]> {
    const key = `${folder.path}\n${file}`;
    const known =
      this.nested.get(key) ??
      read().then(
        ({ rules, unread }) => {
          for (const problem of unread) this.report(problem);
          return rules;
        },
        (error: unknown) => {
          this.report(getErrorMessage(error));
          return [];
        },
      );
    this.nested.set(key, known);
    return known;
  }

  private report(problem: string): void {
    if (this.reported.has(problem)) return;
    this.reported.add(problem);
    this.options.reportProblem(problem);
  }

  private shortenRules(rules: readonly Instructions[]): readonly Instructions[] {
    const rooms = computeFairShares(
      rules.map(({ text }) => text.length),
      Math.max(0, this.options.countFreeChars()),
    );
    return rules.map((rule, index) => {
      const room = rooms[index] ?? 0;
      return shortenRule(rule, room < rule.text.length && room < LEAST_CHARS ? 0 : room);
    });
  }
}

/** Adds the instructions for used files to the outcomes of commands. A command can't add any itself. */
export function wrapCommandsWithInstructions(
  commands: CommandSet,
  fitting: Pick<FittingInstructions, "findForStep">,
): CommandSet {
  return {
    ...commands,
    async run(prepared, running) {
      const outcome = await commands.run(prepared, running);
      if (outcome.status !== "done" && outcome.status !== "failed") return outcome;
      const { rules: _, ...own } = outcome;
      const rules = await fitting.findForStep(running.step, prepared.touches);
      return rules.length === 0 ? own : { ...own, rules };
    },
  };
}

/** The folders above a file, without the workspace folder itself, from the top down. */
function listFoldersAbove(file: string): readonly string[] {
  const folders: string[] = [];
  for (let at = posix.dirname(file); at !== "." && at !== "/"; at = posix.dirname(at)) folders.unshift(at);
  return folders.slice(0, MOST_FOLDERS);
}

async function readScopedText(file: string, { files }: UsedFolder): Promise<ReadFiles> {
  const text = await stripFrontMatter((await files.read(file)) ?? "");
  return { rules: text === "" ? [] : [{ file, text }], unread: [] };
}

/** The notes of a folder, unless git ignores them, because an installed package may have its own notes. */
function readNestedTexts(file: string, { files }: UsedFolder): Promise<ReadFiles> {
  return readWithImports(file, {
    read: (path, options) => files.read(path, { ignored: "missing", ...options }),
  });
}
