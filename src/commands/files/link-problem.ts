import type { Place } from "../../core/ports.ts";

/** Why a link is not moved or deleted in place of the file it leads to; undefined when the place is no link. */
export function linkProblem({ link, label }: Place, verb: "Move" | "Delete"): string | undefined {
  if (link === undefined) return undefined;
  return `"${link}" is a symbolic link to "${label}". ${verb} "${label}" itself, or the link with execute_shell.`;
}
