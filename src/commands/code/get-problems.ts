import { type Command, createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Problems, ResolvedPath, Workspace } from "../../core/ports/workspace.ts";
import { displayText } from "../../texts/display-text.ts";
import { createObjectSchema, FILE_ALIASES, FILENAME, getTextArgument } from "../arguments.ts";
import { formatFileCount } from "../line-texts.ts";
import { createFailure, createSuccess, markIgnoredPlace, NO_FILE } from "../outcomes.ts";
import { createTouch, describeMissingFile } from "../places.ts";
import { formatProblemCounts, formatProblemList } from "./language-services.ts";

const NO_SERVICE = "There is no language service here. Run the project's own checks with execute_shell.";

/** Lists the problems that the editor's language services report. */
export function getProblems(workspace: Workspace, problems: Problems | undefined): Command {
  return {
    name: "get_problems",
    aliases: ["get_errors", "get_diagnostics", "diagnostics"],
    category: "code",
    effect: "read",
    traits: {
      titles: [{ code: "GetFileProblems", file: "filename" }, { code: "GetProblems" }],
      rank: 30,
      reads: "state",
      isPolled: true,
      needsEditor: true,
    },
    description: "Lists the errors and warnings that the editor shows, for one file or all.",
    parameters: createObjectSchema({ filename: FILENAME }),
    argumentAliases: FILE_ALIASES,
    withheld: () => (problems ? undefined : NO_SERVICE),
    async prepare(args, { signal }): Promise<PreparedCall | Outcome> {
      const filename = getTextArgument(args, "filename");
      const place = filename === undefined ? undefined : await workspace.locate(filename);
      if (place?.kind === "missing")
        return createFailure(await describeMissingFile(workspace, place.label, signal), NO_FILE);
      const where = place ? `in "${place.label}"` : "in the workspace";
      return createPreparedCall(
        "read",
        `Look at the problems ${where}.`,
        () => reportProblems(problems, where, place),
        {
          touches: place ? [createTouch(place, "read")] : [],
        },
      );
    },
  };
}

async function reportProblems(problems: Problems | undefined, where: string, place?: ResolvedPath): Promise<Outcome> {
  const found = await problems?.list(place);
  if (found === undefined) return createFailure(NO_SERVICE);
  const outcome = createSuccess(
    found.length === 0
      ? `The editor shows no problems ${where}.`
      : `${formatProblemCounts(found)} in ${formatFileCount(found)}:\n${formatProblemList(found)}`,
    found.length === 0 ? displayText("timeline.noProblems") : displayText("timeline.problems", { count: found.length }),
  );
  return place ? markIgnoredPlace(outcome, place) : outcome;
}
