import { type Command, createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { displayText } from "../../texts/display-text.ts";
import { createObjectSchema } from "../arguments.ts";
import { createFailure, createSuccess } from "../outcomes.ts";
import { selectTextPage } from "../text-page.ts";
import {
  explainWithheldGit,
  type GitDependencies,
  listHistoryTouches,
  locateRepository,
  REPOSITORY,
  REPOSITORY_ALIASES,
} from "./repository.ts";

const ARGS = ["status", "--porcelain=v1", "--branch", "--untracked-files=normal", "--ignore-submodules=dirty"];

/** Shows the branch and the changed files. */
export function createGitStatusCommand(parts: GitDependencies): Command {
  return {
    name: "git_status",
    aliases: ["get_git_status"],
    category: "git",
    effect: "read",
    traits: { titles: [{ code: "GitStatus" }], rank: 50, reads: "state" },
    description: "Shows the branch and the changed, staged and untracked files.",
    parameters: createObjectSchema({ folder: REPOSITORY }),
    argumentAliases: { ...REPOSITORY_ALIASES, path: "folder" },
    withheld: () => explainWithheldGit(parts),
    async prepare(args): Promise<PreparedCall | Outcome> {
      const named = await locateRepository(parts, args);
      if (!("git" in named)) return named;
      const { git, folder, repository } = named;
      return createPreparedCall(
        "read",
        `Look at the state of the git repository ${repository.root}.`,
        async ({ signal }) => {
          const answer = await git.read(repository, [...ARGS, "--", folder.path], signal);
          if (!answer.ok) return createFailure(answer.why);
          const { text, note } = selectTextPage(answer.text);
          const rest = note === undefined ? "" : "[There is more. Name a folder below.]";
          return createSuccess(
            [text, text.includes("\n") ? "" : "Nothing has changed.", rest].filter(Boolean).join("\n"),
            text.includes("\n")
              ? displayText("timeline.changes", { count: text.trimEnd().split("\n").length - 1 })
              : displayText("timeline.noChanges"),
          );
        },
        { touches: [...listHistoryTouches(repository)] },
      );
    },
  };
}
