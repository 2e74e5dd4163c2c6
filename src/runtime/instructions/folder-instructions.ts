import { getErrorMessage } from "../../core/base/errors.ts";
import { cutText } from "../../core/base/text.ts";
import type { GuardedFiles } from "../../safety/paths/guarded-reader.ts";
import type { Instructions, LaterInstructions } from "../../schema/run-values.ts";
import { createFileTest, fitEverything, parseGlobs } from "./file-globs.ts";

/** A folder with instructions, each in a file with front matter. */
interface InstructionFolder {
  readonly folder: string;
  readonly glob: string;
  /** The field with the globs of files to which a text applies. */
  readonly globs: string;
  /** Without globs, a text applies to everything; absent: the model reads it when it's relevant. */
  readonly isAlways?: true;
  /** The field that says when a text applies, as Windsurf writes it. */
  readonly trigger?: string;
}

const FOLDERS: readonly InstructionFolder[] = [
  { folder: ".github/instructions", glob: "*.instructions.md", globs: "applyTo" },
  { folder: ".cursor/rules", glob: "*.{mdc,md}", globs: "globs" },
  { folder: ".claude/rules", glob: "*.md", globs: "paths", isAlways: true },
  { folder: ".clinerules", glob: "*.md", globs: "paths", isAlways: true },
  { folder: ".windsurf/rules", glob: "*.md", globs: "globs", isAlways: true, trigger: "trigger" },
  { folder: ".roo/rules", glob: "*.md", globs: "", isAlways: true },
  { folder: ".kilocode/rules", glob: "*.md", globs: "", isAlways: true },
];

/** Triggers of texts that the model reads when they're relevant. */
const BY_CHOICE: ReadonlySet<string> = new Set(["model_decision", "manual"]);

const MOST_FILES = 100;
const MAX_DESCRIPTION = 300;

/** The instructions in these folders, by when they apply. */
export interface FolderInstructions {
  readonly rules: readonly Instructions[];
  readonly later: readonly LaterInstructions[];
  readonly unread: readonly string[];
}

/** Reads the folders of other agents' rules. */
export async function readInstructionFolders(files: GuardedFiles): Promise<FolderInstructions> {
  const read = await Promise.all(FOLDERS.map((one) => readFolder(one, files)));
  const all = read.flat();
  return {
    rules: all.flatMap(({ rule }) => rule ?? []),
    later: all.flatMap(({ later }) => later ?? []),
    unread: all.flatMap(({ unread = [] }) => unread),
  };
}

/** A file's instructions, for every prompt or for later. */
interface ReadFile {
  readonly rule?: Instructions;
  readonly later?: LaterInstructions;
  readonly unread?: readonly string[];
}

async function readFolder(place: InstructionFolder, files: GuardedFiles): Promise<readonly ReadFile[]> {
  try {
    const { labels, more } = await files.list(place.folder, { glob: place.glob, limit: MOST_FILES });
    const read = await Promise.all(
      labels.filter((label) => !label.endsWith("/")).map((file) => readFolderFile(place, file, files)),
    );
    const unread = [`${place.folder} has more than ${MOST_FILES} files; the others aren't read.`];
    return more ? [...read, { unread }] : read;
  } catch (error) {
    return [{ unread: [getErrorMessage(error)] }];
  }
}

async function readFolderFile(place: InstructionFolder, file: string, files: GuardedFiles): Promise<ReadFile> {
  try {
    const { getFieldText, parseFrontMatter } = await import("./front-matter.ts");
    const matter = parseFrontMatter((await files.read(file)) ?? "");
    const text = matter.body.trim();
    const globs = parseGlobs(getFieldText(matter, place.globs));
    if (text === "") return {};
    const trigger = place.trigger === undefined ? "" : getFieldText(matter, place.trigger);
    const isAlways = getFieldText(matter, "alwaysApply") === "true" || trigger === "always_on";
    if (isAlways || fitEverything(globs)) return { rule: { file, text } };
    if (globs.length === 0 && place.isAlways && !BY_CHOICE.has(trigger)) return { rule: { file, text } };
    const description = cutText(getFieldText(matter, "description") || getFirstLine(text), MAX_DESCRIPTION);
    if (globs.length === 0) return { later: { file, description } };
    return createGlobFile(file, globs, description);
  } catch (error) {
    return { unread: [getErrorMessage(error)] };
  }
}

/** The text for some files; if no glob is usable, the model reads the text when it's relevant. */
function createGlobFile(file: string, globs: readonly string[], description: string): ReadFile {
  const { usable, problems } = createFileTest(globs);
  const unread = problems.map((problem) => `${file}: ${problem}`);
  return { later: { file, ...(usable.length > 0 ? { globs: usable } : {}), description }, unread };
}

/** The first informative line, without heading markup. */
export function getFirstLine(text: string): string {
  return (/^[#\s>*-]*(\S.*)$/m.exec(text)?.[1] ?? "").trim();
}

/** A file's text without its front matter. */
export async function stripFrontMatter(text: string): Promise<string> {
  const { parseFrontMatter } = await import("./front-matter.ts");
  return parseFrontMatter(text).body.trim();
}
