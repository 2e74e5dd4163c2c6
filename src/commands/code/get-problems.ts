import { type Command, type PreparedCall, prepared } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Problems, ResolvedPath, Workspace } from "../../core/ports/workspace.ts";
import { displayText } from "../../texts/display-text.ts";
import { FILE_ALIASES, FILENAME, objectSchema, text } from "../arguments.ts";
import { filesOf } from "../line-texts.ts";
import { done, failed, fromPlace, NO_FILE } from "../outcomes.ts";
import { missingFile, touchOf } from "../places.ts";
import { problemCounts, problemList } from "./language-services.ts";

const NO_SERVICE = "There is no language service here. Run the project's own checks with execute_shell.";

/** Lists the problems that the editor's language services report. */
export function getProblems(workspace: Workspace, problems: Problems | undefined): Command {
  return {
    name: "get_problems",
    aliases: ["get_errors", "get_diagnostics", "diagnostics"],
    category: "code",
    effect: "read",
    description: "Lists the errors and warnings that the editor shows, for one file or all.",
    parameters: objectSchema({ filename: FILENAME }),
    argumentAliases: FILE_ALIASES,
    withheld: () => (problems ? undefined : NO_SERVICE),
    async prepare(args, { signal }): Promise<PreparedCall | Outcome> {
      const filename = text(args, "filename");
      const place = filename === undefined ? undefined : await workspace.locate(filename);
      if (place?.kind === "missing")
        return failed(await missingFile(workspace, place.label, signal), NO_FILE);
      const where = place ? `in "${place.label}"` : "in the workspace";
      return prepared("read", `Look at the problems ${where}.`, () => told(problems, where, place), {
        touches: place ? [touchOf(place, "read")] : [],
      });
    },
  };
}

async function told(problems: Problems | undefined, where: string, place?: ResolvedPath): Promise<Outcome> {
  const found = await problems?.list(place);
  if (found === undefined) return failed(NO_SERVICE);
  const outcome = done(
    found.length === 0
      ? `The editor shows no problems ${where}.`
      : `${problemCounts(found)} in ${filesOf(found)}:\n${problemList(found)}`,
    found.length === 0
      ? displayText("timeline.noProblems")
      : displayText("timeline.problems", { count: found.length }),
  );
  return place ? fromPlace(outcome, place) : outcome;
}
