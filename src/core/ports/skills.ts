import type { Skill } from "../../schema/run-values.ts";

/** The skills of the workspace and of the user. */
export interface Skills {
  /** Each name once, the user's own first. */
  list(): Promise<readonly Skill[]>;
  /** The text of a file in the folder of one of the user's skills. Throws `WorkspaceError` if it isn't there, or must not be read. */
  readOwn(skill: Skill, file: string): Promise<string>;
}
