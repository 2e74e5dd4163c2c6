import type { Touch } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Git, Repository } from "../../core/ports/programs.ts";
import { type ResolvedPath, type Workspace, WorkspaceError } from "../../core/ports/workspace.ts";
import { displayText } from "../../texts/display-text.ts";
import { type Args, getTextArgument } from "../arguments.ts";
import { createFailure } from "../outcomes.ts";
import { getFolderPath } from "../places.ts";

/** Dependencies of git's commands. */
export interface GitDependencies {
  readonly workspace: Workspace;
  readonly git?: Git | undefined;
}

/** A sentence on why git's commands aren't offered; undefined when they are. */
export function explainWithheldGit({ git }: GitDependencies): string | undefined {
  return git ? undefined : "Git isn't installed. Install it and start again.";
}

/** The schema of an argument that names a folder of a repository. */
export const REPOSITORY = { type: "string" } as const;

/** Older and other names of this argument. */
export const REPOSITORY_ALIASES: Readonly<Record<string, string>> = {
  directory: "folder",
  dir: "folder",
  repository: "folder",
  repository_path: "folder",
  repo_path: "folder",
  cwd: "folder",
};

/** A repository with the folder that a call named. */
export interface NamedRepository {
  readonly git: Git;
  readonly folder: ResolvedPath;
  readonly repository: Repository;
}

/** Locates the repository of a call, or returns an outcome if there is none. */
export async function locateRepository(
  { workspace, git }: GitDependencies,
  args: Args,
): Promise<NamedRepository | Outcome> {
  if (!git) return createFailure("Git is not available.");
  const folder = await workspace.locate(getFolderPath(getTextArgument(args, "folder")));
  if (folder.kind !== "folder")
    return createFailure(`There is no folder "${folder.label}".`, displayText("timeline.noFolder"));
  const repository = await git.findRepository(folder.path);
  if (!repository)
    return createFailure(
      `"${folder.label}" is in no git repository. Make one with execute_shell (git init) if you need one.`,
      displayText("results.noRepository"),
    );
  return { git, folder, repository };
}

/** Everything that git reads for a repository's history, except places that name the working tree as their own. */
export function listHistoryTouches({ gitFolder, elsewhere = [], claimed }: Repository): readonly Touch[] {
  return (claimed ?? [gitFolder, ...elsewhere]).map((path) => ({ path, how: "read" }));
}

/** Finds the full hash of the commit that a text names, or returns an outcome if there is none. */
export async function findCommit(
  { git, repository }: NamedRepository,
  name: string,
  signal: AbortSignal,
): Promise<string | Outcome> {
  const answer = await git.read(
    repository,
    ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`],
    signal,
  );
  // Git itself says nothing about a name that it doesn't know.
  if (!answer.ok && !answer.why.startsWith("Git says")) throw new WorkspaceError(answer.why);
  const hash = answer.ok ? answer.text.trim() : "";
  return /^[0-9a-f]{40,64}$/.test(hash)
    ? hash
    : createFailure(`There is no commit ${JSON.stringify(name)}. Look with git_log.`, displayText("results.noCommit"));
}
