import assert from "node:assert/strict";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  closeCopyWindow,
  isCopyWindowOpen,
  markCopyWindow,
  mustCopyWindowClose,
} from "../../../src/runtime/isolated/copy-window.ts";
import { getErrorText, writeInEnglish } from "../../../src/texts/display-text.ts";
import { tempFolders } from "../../support/temp-folders.ts";

/** No process has it: the largest one is smaller. */
const NO_PID = 2 ** 30;

describe("the window of an isolated run's copy", () => {
  const tempFolder = tempFolders();

  async function createCopies(): Promise<string> {
    const copies = join(await tempFolder(), "copies");
    await mkdir(join(copies, "run-1"), { recursive: true });
    return copies;
  }

  it("counts as open while its process lives", async () => {
    const copies = await createCopies();
    const before = await isCopyWindowOpen(copies, "run-1");
    await markCopyWindow(copies, "run-1");
    const open = await isCopyWindowOpen(copies, "run-1");
    await markCopyWindow(copies, "run-1", NO_PID);
    assert.deepEqual(
      { before, open, dead: await isCopyWindowOpen(copies, "run-1") },
      { before: false, open: true, dead: false },
    );
  });

  it("is asked to close before its copy is removed, which waits for it and fails if it stays", async () => {
    const copies = await createCopies();
    await markCopyWindow(copies, "run-1");
    const before = await mustCopyWindowClose(copies, "run-1");
    const stayed = closeCopyWindow(copies, "run-1", 400).catch((error: unknown) => writeInEnglish(getErrorText(error)));
    while (!(await mustCopyWindowClose(copies, "run-1"))) await new Promise(setImmediate);
    const sentence = await stayed;
    const later = await mustCopyWindowClose(copies, "run-1");
    const closing = closeCopyWindow(copies, "run-1");
    await markCopyWindow(copies, "run-1", NO_PID);
    await closing;
    await rm(join(copies, "run-1"), { recursive: true });
    assert.deepEqual(
      { before, sentence, later, gone: await mustCopyWindowClose(copies, "run-1") },
      {
        before: false,
        sentence:
          "The copy is still open in a window of its own, maybe because of unsaved files. Close that window, and choose this again.",
        later: false,
        gone: true,
      },
    );
  });
});
