import { join } from "node:path";
import { allCommands } from "../../src/commands/all.ts";
import { isPrepared } from "../../src/core/commands/command.ts";
import { type CommandSet, commandSet } from "../../src/core/commands/command-set.ts";
import type { Outcome } from "../../src/core/commands/outcome.ts";
import type { FolderWatch } from "../../src/core/ports/folder-watch.ts";
import { fileReplacer } from "../../src/node/files/atomic-write.ts";
import { readCommitted } from "../../src/node/git/committed-files.ts";
import { nodeOutputs } from "../../src/node/processes/outputs.ts";
import { nodeShell } from "../../src/node/processes/shell.ts";
import { nodeWorkspace } from "../../src/node/workspace.ts";
import { type UndoJournal, undoJournal } from "../../src/runs/undo/journal.ts";
import { preImages } from "../../src/runs/undo/pre-images.ts";
import { type ProgramView, programView } from "../../src/runs/undo/program-view.ts";
import { type Undo, undoOf } from "../../src/runs/undo/undo.ts";
import { withUndo } from "../../src/runs/undo/with-undo.ts";
import { diskView } from "../../src/runtime/wrappers.ts";

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
    const kept = preImages(run, maxBytes);
    this.journal = undoJournal(run, kept);
    this.undo = undoOf({ journal: this.journal, kept, files: fileReplacer(), folder: work });
    const outputs = join(run, "outputs");
    this.commands = withUndo(
      commandSet(
        allCommands({
          workspace: nodeWorkspace({ folders: [{ name: "work", path: work }] }),
          shell: nodeShell({ outputFolder: outputs }),
          outputs: nodeOutputs(outputs),
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
    if (!isLarge) return diskView({ folderWatch: watch, savedSince }, folder, folders);
    const look = async () => undefined;
    const held = () => Promise.reject(new Error("No snapshot was taken."));
    return programView({ folder, folders, look, held, watch, readHeld: readCommitted, savedSince });
  }

  write(filename: string, text: string): Promise<Outcome> {
    return this.act("write_to_file", { filename, contents: text });
  }
}

/** Watches nothing: only small folders are seen. */
export const NO_WATCH: FolderWatch = { watch: async () => undefined, remember: async () => undefined };
