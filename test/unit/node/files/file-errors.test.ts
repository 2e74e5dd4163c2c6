import assert from "node:assert/strict";
import { WorkspaceError } from "../../../../src/core/ports/workspace.ts";
import { convertFileError, runFileOperation } from "../../../../src/node/files/file-errors.ts";

const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: '"a" is not there any more. Look at its folder with list_files.',
  EACCES: 'The system denies access to "a". Choose another file, or ask the user to change its permissions.',
  EROFS: '"a" is on a read-only disk, so it was left unchanged. Choose another place.',
  ENOSPC: 'The disk is full, so "a" was left unchanged. Ask the user to make room, then try again.',
  EISDIR: '"a" is a folder. Name a file in it.',
  EBUSY:
    '"a" is in use by another program, such as a virus scanner, a build or an editor. Try again later, or ask the user to close it there.',
  EWEIRD: 'The system refused "a" (EWEIRD). Try another way, or tell the user.',
};

describe("what the system refuses", () => {
  for (const [code, sentence] of Object.entries(SENTENCES))
    it(`is a sentence for ${code}`, () => {
      const error = convertFileError("a", Object.assign(new Error("no"), { code }));
      assert.deepEqual([error instanceof WorkspaceError, String(error)], [true, `WorkspaceError: ${sentence}`]);
    });

  it("is distinguished from errors of our own", async () => {
    const ours = new TypeError("a bug");
    await assert.rejects(
      runFileOperation("a", () => Promise.reject(ours)),
      ours,
    );
  });
});
