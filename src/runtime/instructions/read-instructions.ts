import { join, posix } from "node:path";
import { getErrorMessage } from "../../core/base/errors.ts";
import { computeFairShares } from "../../core/base/shares.ts";
import { isUriPath } from "../../core/base/uri-path.ts";
import { findFolderProblem, HOME } from "../../runs/store/run-folder.ts";
import type { GuardedFiles } from "../../safety/paths/guarded-reader.ts";
import type { Instructions, LaterInstructions } from "../../schema/run-values.ts";
import { writeInEnglish } from "../../texts/display-text.ts";
import { type FolderInstructions, readInstructionFolders } from "./folder-instructions.ts";

/** A repository's instructions, as opposed to the user's, that the agent reads at its start. */
export interface RepositoryInstructions {
  /** The files, by path relative to the workspace folder. */
  readonly rules: readonly Instructions[];
  /** Instructions that are read later, where they apply. */
  readonly later: readonly LaterInstructions[];
  /** Why other files were skipped, each as a sentence for people. */
  readonly unread: readonly string[];
}

const SETTINGS = `${HOME}/prompt_settings.yaml`;
/** A file, or a folder of files. */
const CLINE_RULES = ".clinerules";
/** Files whose text may import others. */
const IMPORTING: ReadonlySet<string> = new Set(["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"]);
const FILES = [
  SETTINGS,
  `${HOME}/rules.md`,
  "AGENTS.md",
  ...IMPORTING,
  ".github/copilot-instructions.md",
  ".cursorrules",
  "GEMINI.md",
  ".windsurfrules",
  CLINE_RULES,
];
/** The extension's folders, which a repository may have replaced with links. */
const FOLDERS = ["runs", "memory", "profiles"].map((name) => join(HOME, name));
const MAX_CHARS = 32 * 1024;
/** Limits for all files together. */
const MAX_TOTAL_CHARS = 3 * MAX_CHARS;
const MOST_FILES = 60;
const MOST_IMPORTS = 30;
/** Maximum depth of imports within imports. */
const DEEPEST_IMPORT = 5;

/** Reads the files that are known to instruct agents, if they exist and may be read. Identical texts count once. */
export async function readInstructions(folder: string, files: GuardedFiles): Promise<RepositoryInstructions> {
  const findProblem = async (name: string) => (isUriPath(folder) ? undefined : findFolderProblem(join(folder, name)));
  const home = await findProblem(HOME);
  const problems = home === undefined ? await Promise.all(FOLDERS.map(findProblem)) : [home];
  const names = home === undefined ? FILES : FILES.filter((file) => !file.startsWith(`${HOME}/`));
  const found = await Promise.all(names.map((file) => readWithImports(file, files)));
  const more: FolderInstructions = await readInstructionFolders(files);
  const all = dedupeRules([...found.flatMap(({ rules }) => rules), ...more.rules]);
  const kept = all.slice(0, MOST_FILES);
  return {
    rules: limitTotal(kept.map(({ file, text }) => ({ file, text: cut(file, text, MAX_CHARS) }))),
    later: more.later,
    unread: [
      ...problems.filter((one) => one !== undefined).map(writeInEnglish),
      ...new Set([...found.flatMap(({ unread }) => unread), ...more.unread]),
      ...(all.length > kept.length ? [`Only the first ${MOST_FILES} files with instructions are read.`] : []),
    ],
  };
}

/** Instructions that were read, and why others weren't. */
export type ReadFiles = Pick<RepositoryInstructions, "rules" | "unread">;

/** Reads a file and any permitted imports. Each import stays a separate file, so that all of them are shown. */
export async function readWithImports(file: string, { read }: Pick<GuardedFiles, "read">): Promise<ReadFiles> {
  const rules: Instructions[] = [];
  const unread: string[] = [];
  const seen = new Set([file]);
  const waiting = [{ file, depth: 0 }];
  for (const { file: next, depth } of waiting) {
    const { text = "", problem } = await readInstructionText(next, read, depth > 0);
    if (problem !== undefined) unread.push(problem);
    if (text === "") continue;
    rules.push({ file: next, text });
    if (!IMPORTING.has(file) && !/\/CLAUDE(?:\.local)?\.md$/.test(file)) break;
    for (const { path, isOutside } of findImports(text.slice(0, MAX_CHARS), next)) {
      if (seen.has(path)) continue;
      seen.add(path);
      const why = isOutside ? describeOutsideImport(next, path) : checkImportLimit(next, path, depth, waiting.length);
      if (why === undefined) waiting.push({ file: path, depth: depth + 1 });
      else unread.push(...why);
    }
  }
  return { rules, unread };
}

/** Reports an import only if it looks like a file, because addresses and handles look like imports, too. */
function describeOutsideImport(file: string, path: string): readonly string[] {
  return /\.\w{1,8}$/.test(path) ? [`${path}, which ${file} imports, isn't read: it is outside the workspace.`] : [];
}

function checkImportLimit(file: string, path: string, depth: number, count: number): readonly string[] | undefined {
  if (depth < DEEPEST_IMPORT && count <= MOST_IMPORTS) return undefined;
  return [`${path}, which ${file} imports, isn't read: there are too many imports.`];
}

interface Found {
  readonly text?: string;
  readonly problem?: string;
}

async function readInstructionText(file: string, read: GuardedFiles["read"], isImport: boolean): Promise<Found> {
  try {
    const whole =
      (await read(file, isImport ? { ignored: "refused" } : file === CLINE_RULES ? { folder: "missing" } : {})) ?? "";
    return { text: (file === SETTINGS ? await readSettings(whole) : whole).trim() };
  } catch (error) {
    return { problem: getErrorMessage(error) };
  }
}

/** The parser is loaded on demand, because most workspaces have no such file. */
async function readSettings(text: string): Promise<string> {
  if (text === "") return "";
  const { renderPromptSettings } = await import("../../runs/profiles/profile-yaml.ts");
  return renderPromptSettings(text, SETTINGS);
}

/** Removes instructions with the same text as another file, such as a link to it. */
export function dedupeRules(rules: readonly Instructions[]): readonly Instructions[] {
  const first = new Map<string, Instructions>();
  for (const rule of rules) if (!first.has(rule.text)) first.set(rule.text, rule);
  return [...first.values()];
}

function limitTotal(rules: readonly Instructions[]): readonly Instructions[] {
  const rooms = computeFairShares(
    rules.map(({ text }) => text.length),
    MAX_TOTAL_CHARS,
  );
  return rules.map(({ file, text }, index) => ({ file, text: cut(file, text, rooms[index] ?? 0) }));
}

function cut(file: string, text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, room)}\n(${file} is longer; the rest is omitted.)`;
}

/** A file that instructions import as `@path`. */
interface Import {
  /** Relative to the workspace folder. */
  readonly path: string;
  /** It can't be in the workspace folder. */
  readonly isOutside: boolean;
}

const LONGEST_PATH = 300;

/** The files that a text of this file imports: `@` and a path at the beginning of a word, outside code. */
function findImports(text: string, file: string): readonly Import[] {
  const found = new Map<string, Import>();
  for (const [, written = ""] of omitCode(text).matchAll(/(?:^|[\s(])@((?:[^\s\\@]|\\ )+)/g)) {
    const name = written.replaceAll("\\ ", " ").replace(/[.,;:!?)\]}'"*_]+$/, "");
    if (name === "" || name.length > LONGEST_PATH) continue;
    const path = posix.join(posix.dirname(file), name);
    const isOutside = /^(?:~|\/|[a-z]:)/i.test(name) || path === ".." || path.startsWith("../");
    found.set(name, { path: isOutside ? name : path, isOutside });
  }
  return [...found.values()];
}

/** Removes code blocks and code spans from a text. */
function omitCode(text: string): string {
  let fence: string | undefined;
  const lines = text.split("\n").filter((line) => {
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark === undefined) return fence === undefined;
    if (fence === undefined) fence = mark;
    else if (mark.startsWith(fence)) fence = undefined;
    return false;
  });
  return lines.join("\n").replace(/`[^`\n]*`/g, "");
}
