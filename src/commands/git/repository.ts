import type { Touch } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Git, Repository } from "../../core/ports/programs.ts";
import { type ResolvedPath, type Workspace, WorkspaceError } from "../../core/ports/workspace.ts";
import { displayText } from "../../texts/display-text.ts";
import { type Args, text } from "../arguments.ts";
import { failed } from "../outcomes.ts";
import { folderPath } from "../places.ts";

/** Dependencies of git's commands. */
export interface GitDependencies {
  readonly workspace: Workspace;
  readonly git?: Git | undefined;
}

/** A sentence on why git's commands aren't offered; undefined when they are. */
export function gitWithheld({ git }: GitDependencies): string | undefined {
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

/** The repository of a call, or the outcome when there is none. */
export async function repositoryOf(
  { workspace, git }: GitDependencies,
  args: Args,
): Promise<NamedRepository | Outcome> {
  if (!git) return failed("Git is not available.");
  const folder = await workspace.locate(folderPath(text(args, "folder")));
  if (folder.kind !== "folder")
    return failed(`There is no folder "${folder.label}".`, displayText("timeline.noFolder"));
  const repository = await git.repositoryAt(folder.path);
  if (!repository)
    return failed(
      `"${folder.label}" is in no git repository. Make one with execute_shell (git init) if you need one.`,
      displayText("results.noRepository"),
    );
  return { git, folder, repository };
}

/** Everything that git reads for a repository's history, but for what names the working tree as its own. */
export function historyTouches({ gitFolder, elsewhere = [], claimed }: Repository): readonly Touch[] {
  return (claimed ?? [gitFolder, ...elsewhere]).map((path) => ({ path, how: "read" }));
}

/** Full hash of the commit that a text names, or the outcome when there is none. */
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
  // Git itself says nothing about a name that it doesn't know.
  if (!answer.ok && !answer.why.startsWith("Git says")) throw new WorkspaceError(answer.why);
  const hash = answer.ok ? answer.text.trim() : "";
  return /^[0-9a-f]{40,64}$/.test(hash)
    ? hash
    : failed(
        `There is no commit ${JSON.stringify(name)}. Look with git_log.`,
        displayText("results.noCommit"),
      );
}
