import type { Skill } from "../../schema/run-values.ts";

/** The skills of the workspace and of the user. */
export interface Skills {
  /** Lists each name once, the user's own first. */
  list(): Promise<readonly Skill[]>;
  /** Reads a file in the folder of one of the user's skills. Throws `WorkspaceError` if the file is missing or mustn't be read. */
  readOwn(skill: Skill, file: string): Promise<string>;
}
