import assert from "node:assert/strict";
import { type Workspace, WorkspaceError } from "../../src/core/ports/workspace.ts";
import type { Tree } from "../support/trees.ts";

export interface WorkspaceUnderTest {
  readonly workspace: Workspace;
  /** Real path of its only folder. */
  readonly folder: string;
}

/** Opens a new workspace that holds this tree. */
export type Planted = (tree: Tree) => Promise<WorkspaceUnderTest>;

/** The sentence a promise is broken with; "" when it is kept. */
export async function complaint(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof WorkspaceError, String(error));
    return error.message;
  }
  return "";
}
