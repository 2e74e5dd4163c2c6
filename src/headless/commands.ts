import { basename } from "node:path";
import { allCommands } from "../commands/all.ts";
import type { Command } from "../core/command.ts";
import type { User } from "../core/ports.ts";
import { nodeOutputs } from "../node/outputs.ts";
import { nodeShell } from "../node/shell.ts";
import { nodeWorkspace } from "../node/workspace.ts";
import { preImages } from "../runs/pre-images.ts";
import { takeAway } from "../runs/take-away.ts";
import { segments } from "../safety/paths.ts";
import { secretIn } from "../safety/sensitive.ts";

/** Where a run works. */
export interface CommandPlace {
  /** Real path of the folder it works in. */
  readonly workspace: string;
  /** The run's own folder, for what is kept beside its log. */
  readonly runFolder: string;
  readonly user: User | undefined;
}

/** The commands as a machine without an editor can do them. */
export function machineCommands({ workspace, runFolder, user }: CommandPlace): {
  readonly all: readonly Command[];
  /** Real paths of the folders it may work in. */
  folders(): readonly string[];
} {
  const kept = preImages(runFolder);
  const disk = nodeWorkspace({
    folders: [{ name: basename(workspace), path: workspace }],
    trash: (path) => takeAway(path, kept),
    leftOut: (relative) => secretIn(segments(relative)) !== undefined,
  });
  const shell = nodeShell({ outputFolder: runFolder });
  return {
    all: allCommands({ workspace: disk, user, outputs: nodeOutputs(runFolder), shell }),
    folders: disk.folders,
  };
}
