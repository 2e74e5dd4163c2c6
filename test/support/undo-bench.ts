import { join } from "node:path";
import { createAllCommands } from "../../src/commands/all.ts";
import { isPrepared } from "../../src/core/commands/command.ts";
import { type CommandSet, createCommandSet } from "../../src/core/commands/command-set.ts";
import type { Outcome } from "../../src/core/commands/outcome.ts";
import type { FolderWatch } from "../../src/core/ports/folder-watch.ts";
import { createFileReplacer } from "../../src/node/files/atomic-write.ts";
import { readCommitted } from "../../src/node/git/committed-files.ts";
import { createNodeOutputs } from "../../src/node/processes/outputs.ts";
import { createNodeShell } from "../../src/node/processes/shell.ts";
import { createNodeWorkspace } from "../../src/node/workspace.ts";
import { createUndoJournal, type UndoJournal } from "../../src/runs/undo/journal.ts";
import { createPreImages } from "../../src/runs/undo/pre-images.ts";
import { createProgramView, type ProgramView } from "../../src/runs/undo/program-view.ts";
import { createUndo, type Undo } from "../../src/runs/undo/undo.ts";
import { addUndo } from "../../src/runs/undo/with-undo.ts";
import { createDiskView } from "../../src/runtime/wrappers.ts";

/** Real commands over a real folder, each call a step, with an undo for what they do. */
export class UndoBench {
  readonly undo: Undo;
  readonly journal: UndoJournal;
  /** The files that the user is said to have saved while a program ran. */
  readonly saved = new Set<string>();
  private readonly commands: CommandSet;
  private step = 0;

  /** `run` is the run's own folder, `maxBytes` what its pre-images may hold; it `sees` what programs change if there is a watch, alone if the folder `isLarge`. */
  constructor(work: string, run: string, maxBytes?: number, sees?: FolderWatch, isLarge = false) {
    const kept = createPreImages(run, maxBytes);
    this.journal = createUndoJournal(run, kept);
    this.undo = createUndo({ journal: this.journal, kept, files: createFileReplacer(), folder: work });
    const outputs = join(run, "outputs");
    this.commands = addUndo(
      createCommandSet(
        createAllCommands({
          workspace: createNodeWorkspace({ folders: [{ name: "work", path: work }] }),
          shell: createNodeShell({ outputFolder: outputs }),
          outputs: createNodeOutputs(outputs),
          user: { ask: async () => undefined },
        }),
      ),
      this.journal,
      sees && this.view(sees, work, isLarge),
    );
  }

  /** One step of the agent. */
  async act(name: string, args: Readonly<Record<string, unknown>>): Promise<Outcome> {
    this.step += 1;
    const { step } = this;
    const { signal } = new AbortController();
    const prepared = await this.commands.prepare({ name, args }, { step, signal });
    if (!isPrepared(prepared)) return prepared;
    const running = { step, signal, output: () => undefined, record: async () => undefined };
    return this.commands.run(prepared, running);
  }

  private view(watch: FolderWatch, folder: string, isLarge: boolean): ProgramView {
    const folders = () => [folder];
    const savedSince = () => this.saved;
    if (!isLarge) return createDiskView({ folderWatch: watch, listSavedSince: savedSince }, folder, folders);
    const look = async () => undefined;
    const held = () => Promise.reject(new Error("No snapshot was taken."));
    return createProgramView({
      folder,
      listFolders: folders,
      look,
      loadHeldContents: held,
      watch,
      readHeld: readCommitted,
      savedSince,
    });
  }

  write(filename: string, text: string): Promise<Outcome> {
    return this.act("write_to_file", { filename, contents: text });
  }
}

/** Watches nothing: only small folders are seen. */
export const NO_WATCH: FolderWatch = { watch: async () => undefined, remember: async () => undefined };
