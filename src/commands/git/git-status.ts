import { type Command, type PreparedCall, prepared } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { displayText } from "../../texts/display-text.ts";
import { objectSchema } from "../arguments.ts";
import { done, failed } from "../outcomes.ts";
import { pageOf } from "../text-page.ts";
import {
  type GitDependencies,
  gitWithheld,
  historyTouches,
  REPOSITORY,
  REPOSITORY_ALIASES,
  repositoryOf,
} from "./repository.ts";

const ARGS = [
  "status",
  "--porcelain=v1",
  "--branch",
  "--untracked-files=normal",
  "--ignore-submodules=dirty",
];

/** Shows the branch and the changed files. */
export function gitStatus(parts: GitDependencies): Command {
  return {
    name: "git_status",
    aliases: ["get_git_status"],
    category: "git",
    effect: "read",
    description: "Shows the branch and the changed, staged and untracked files.",
    parameters: objectSchema({ folder: REPOSITORY }),
    argumentAliases: { ...REPOSITORY_ALIASES, path: "folder" },
    withheld: () => gitWithheld(parts),
    async prepare(args): Promise<PreparedCall | Outcome> {
      const named = await repositoryOf(parts, args);
      if (!("git" in named)) return named;
      const { git, folder, repository } = named;
      return prepared(
        "read",
        `Look at the state of the git repository ${repository.root}.`,
        async ({ signal }) => {
          const answer = await git.read(repository, [...ARGS, "--", folder.path], signal);
          if (!answer.ok) return failed(answer.why);
          const { text, note } = pageOf(answer.text);
          const rest = note === undefined ? "" : "[There is more. Name a folder below.]";
          return done(
            [text, text.includes("\n") ? "" : "Nothing has changed.", rest].filter(Boolean).join("\n"),
            text.includes("\n")
              ? displayText("timeline.changes", { count: text.trimEnd().split("\n").length - 1 })
              : displayText("timeline.noChanges"),
          );
        },
        { touches: [...historyTouches(repository)] },
      );
    },
  };
}
