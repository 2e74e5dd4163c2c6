import { existsSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { isAtOrBelow } from "../../disk/below.ts";
import { escapeName } from "../../node/files/byte-names.ts";
import { ignoreRules } from "../../node/files/ignore-rules.ts";
import { AGENT_IGNORE_FILE } from "../../node/files/ignored-paths.ts";
import { normalizeSlashes } from "../../node/files/real-path.ts";
import { createGlobTest } from "../../node/search/glob.ts";
import { HOME } from "../../runs/store/run-folder.ts";
import { splitPathSegments } from "../../safety/paths/paths.ts";
import { findSecretReason } from "../../safety/paths/sensitive.ts";
import type { WorkspaceFolder } from "../../schema/run-values.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import type { LeftOut } from "./copy-files.ts";

/** Why a workspace file isn't copied: it may hold a secret, the user excludes it, or it belongs to the agent itself. */
export type Exclusion = "secret" | "excluded" | "ours";

/** Decides what must stay out of a copy. `copies` is the folder with all copies. */
export async function createExclusions(folders: readonly string[], lend: readonly string[], copies: string) {
  const lent = lend.map((glob) => glob.replace(/\/$/, "")).map(createGlobTest);
  const getRelativeName = (path: string): string => {
    const folder = folders.find((one) => isAtOrBelow(path, one));
    const name = folder === undefined ? basename(path) : relative(folder, path);
    return normalizeSlashes(name);
  };
  const isLent = (path: string): boolean => {
    const names = getRelativeName(path).split("/");
    const paths = names.map((_name, at) => names.slice(0, at + 1).join("/"));
    return lent.length > 0 && paths.some((one) => lent.some((fits) => fits(one)));
  };
  return {
    isLent,
    isExcluded: (path: string): boolean =>
      basename(path) === HOME || basename(path) === ".git" || isAtOrBelow(path, copies),
    /** Reads the rules for a tree's files, and returns a test for paths relative to its root. */
    async createFileTest(root: string, files: readonly string[]): Promise<(file: string) => Exclusion | undefined> {
      const isSecret = createSecretFileTest();
      const forbidden = await findExcludedFiles(root, files, folders);
      return (file) => {
        if (file.split("/").includes(HOME)) return "ours";
        if (!isSecret(file) && !forbidden.has(file)) return undefined;
        if (isLent(join(root, file))) return undefined;
        return forbidden.has(file) ? "excluded" : "secret";
      };
    },
  };
}

/** Creates a test for files that may hold secrets. Checks each folder's path once. */
function createSecretFileTest(): (file: string) => boolean {
  const folders = new Map<string, { readonly isSecret: boolean; readonly last: string }>();
  const inspectFolder = (folder: string) => {
    const known = folders.get(folder);
    if (known) return known;
    const names = splitPathSegments(folder);
    const made = { isSecret: findSecretReason(names) !== undefined, last: names.at(-1) ?? "" };
    folders.set(folder, made);
    return made;
  };
  return (file) => {
    const at = file.lastIndexOf("/");
    const { isSecret, last } = inspectFolder(at === -1 ? "" : file.slice(0, at));
    return (
      isSecret ||
      findSecretReason([...(last === "" ? [] : [last]), ...splitPathSegments(file.slice(at + 1))]) !== undefined
    );
  };
}

/** Files from which the user excludes the agent. Most workspaces have none. */
async function findExcludedFiles(
  root: string,
  files: readonly string[],
  folders: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const hasFile = files.some((file) => basename(file) === AGENT_IGNORE_FILE);
  if (!hasFile && !folders.some((folder) => existsSync(join(folder, AGENT_IGNORE_FILE)))) return found;
  const rules = new Map(folders.map((folder) => [folder, ignoreRules(folder)]));
  for (const file of files) {
    const path = join(root, file);
    for (const [folder, rule] of rules) {
      if (!isAtOrBelow(path, folder)) continue;
      const name = normalizeSlashes(relative(folder, path));
      if (await rule.isOutOfBounds(name)) found.add(file);
    }
  }
  return found;
}

/** Why paths of the workspace aren't in a copy. */
type Reason = LeftOut | Exclude<Exclusion, "ours"> | "large" | "bytes";

/** Further names are only counted. */
const MOST_NAMES = 5;

/** The differences between a copy and the workspace that the user should know. */
export class LeftOutPaths {
  private readonly paths = new Map<Reason, string[]>();
  private readonly noted = new Map<string, Sentence>();
  private readonly folders: readonly WorkspaceFolder[];

  constructor(folders: readonly WorkspaceFolder[]) {
    this.folders = folders;
  }

  /** A path that isn't in the copy. */
  add(reason: Reason, path: string): void {
    const label = escapeName(this.formatPathLabel(path));
    const known = this.paths.get(reason);
    if (known) known.push(label);
    else this.paths.set(reason, [label]);
  }

  /** A path as the lists of a review show it. */
  private formatPathLabel(path: string): string {
    const folder = this.folders.find((one) => isAtOrBelow(path, one.path));
    if (!folder) return path;
    const file = normalizeSlashes(relative(folder.path, path));
    return this.folders.length > 1 ? `${folder.name}/${file}` : file;
  }

  /** Notes a repository that is only partly there. */
  note(what: "subfolder" | "partialClone", folder: string): void {
    this.noted.set(`${what} ${folder}`, displayText(`isolation.copy.${what}`, { folder }));
  }

  listNotes(): readonly Sentence[] {
    const lists = [...this.paths].map(([reason, paths]) => {
      const names = [...paths.slice(0, MOST_NAMES)];
      const more = paths.length - names.length;
      const list = more > 0 ? [...names, displayText("common.andMore", { count: more })] : names;
      return displayText(`isolation.copy.leftOut.${reason}`, { files: list });
    });
    return [...this.noted.values(), ...lists];
  }
}
