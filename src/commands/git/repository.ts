import type { Touch } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Git, Repository } from "../../core/ports/programs.ts";
import type { ResolvedPath, Workspace } from "../../core/ports/workspace.ts";
import { type Args, text } from "../arguments.ts";
import { failed } from "../outcomes.ts";
import { folderPath } from "../places.ts";

/** What git's commands work with. */
export interface GitDependencies {
  readonly workspace: Workspace;
  readonly git?: Git | undefined;
}

/** Why git's commands are not offered, as a sentence; undefined when they are. */
export function gitWithheld({ git }: GitDependencies): string | undefined {
  return git ? undefined : "Git is not installed. Install it and start anew.";
}

/** The schema of an argument that names a folder of a repository. */
export const REPOSITORY = {
  type: "string",
  description: "A folder of the repository; the workspace folder if left out.",
} as const;

/** Older and other names of this. */
export const REPOSITORY_ALIASES: Readonly<Record<string, string>> = {
  directory: "folder",
  dir: "folder",
  repository: "folder",
  repository_path: "folder",
  repo_path: "folder",
  cwd: "folder",
};

/** A repository and the folder by which it was named. */
export interface NamedRepository {
  readonly git: Git;
  readonly folder: ResolvedPath;
  readonly repository: Repository;
}

/** The repository that a call is about, or why there is none. */
export async function repositoryOf(
  { workspace, git }: GitDependencies,
  args: Args,
): Promise<NamedRepository | Outcome> {
  if (!git) return failed("Git is not available.");
  const folder = await workspace.locate(folderPath(text(args, "folder")));
  if (folder.kind !== "folder") return failed(`There is no folder "${folder.label}".`);
  const repository = await git.repositoryAt(folder.path);
  if (!repository)
    return failed(
      `"${folder.label}" is in no git repository. Make one with execute_shell (git init) if you need one.`,
    );
  return { git, folder, repository };
}

/** All that git reads a repository's history from. */
export function historyTouches({ gitFolder, elsewhere = [] }: Repository): readonly Touch[] {
  return [gitFolder, ...elsewhere].map((path) => ({ path, how: "read" }));
}

/** The full name of the commit that a text names, or why there is none. */
export async function commitOf(
  { git, repository }: NamedRepository,
  name: string,
  signal: AbortSignal,
): Promise<string | Outcome> {
  const answer = await git.read(
    repository,
    ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`],
    signal,
  );
  const hash = answer.ok ? answer.text.trim() : "";
  return /^[0-9a-f]{40,64}$/.test(hash)
    ? hash
    : failed(`There is no commit ${JSON.stringify(name)}. Look with git_log.`);
}
