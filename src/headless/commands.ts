import { basename } from "node:path";
import { allCommands } from "../commands/all.ts";
import type { Command } from "../core/commands/command.ts";
import type { User } from "../core/ports/approver.ts";
import type { Memory } from "../core/ports/storage.ts";
import type { Agents } from "../core/ports/sub-agents.ts";
import { nodeDocuments } from "../node/documents/documents.ts";
import { nodeGit } from "../node/git/git.ts";
import { nodeOutputs } from "../node/processes/outputs.ts";
import { nodePython } from "../node/python/python.ts";
import { type RunShell, runShell, type ShellPreferences } from "../node/sandbox/run-shell.ts";
import { nodeWorkspace } from "../node/workspace.ts";
import { outputsOfRun } from "../runs/store/run-outputs.ts";
import { deleteWithBackup, preImages } from "../runs/undo/pre-images.ts";
import { segments } from "../safety/paths/paths.ts";
import { secretIn } from "../safety/paths/sensitive.ts";
import { confinement } from "../safety/sandbox/confinement.ts";
import { watchedIn } from "../safety/sandbox/plan.ts";
import { createServices, type ServicesOptions } from "../services/services.ts";
import type { Options } from "./options.ts";

const DOCUMENT_WORKER = new URL("../node/documents/document-worker.ts", import.meta.url);
const PAGE_WORKER = new URL("../node/web/page-worker.ts", import.meta.url);

/** Where a run works. */
export interface CommandPlace {
  /** Real path of the folder it works in. */
  readonly workspace: string;
  /** The run's own folder, for what is kept beside its log. */
  readonly runFolder: string;
  readonly user: User | undefined;
  readonly sandbox: ShellPreferences["sandbox"];
  readonly python: Options["python"];
  /** Takes secrets out of a text before it is kept. */
  redact(text: string): string;
  /** Absent: nothing is remembered. */
  readonly memory?: Memory;
  readonly agents?: Agents | undefined;
  /** Absent: nothing leaves the machine. */
  readonly away?: Omit<ServicesOptions, "files" | "worker">;
}

/** The commands as a machine without an editor can do them. */
export async function machineCommands(place: CommandPlace): Promise<{
  readonly all: readonly Command[];
  /** Real paths of the folders it may work in. */
  folders(): readonly string[];
  readonly shell: RunShell;
}> {
  const { workspace, runFolder, user, memory, agents, sandbox, redact } = place;
  const kept = preImages(runFolder);
  const disk = nodeWorkspace({
    folders: [{ name: basename(workspace), path: workspace }],
    trash: (path) => deleteWithBackup(path, kept),
    leftOut: (relative) => secretIn(segments(relative)) !== undefined,
  });
  const { folders } = disk;
  const parts = { outputFolder: runFolder, redact, folders, confine: confinement, watched: watchedIn };
  const shell = await runShell({ enabled: true, sandbox }, parts);
  const python = await nodePython({
    setting: place.python.interpreter,
    useDocker: place.python.useDocker,
    folders,
    sandboxed: shell.sandbox !== undefined,
    runFolder,
  });
  const outputs = outputsOfRun(runFolder, nodeOutputs(runFolder));
  const away = place.away && (await createServices({ ...place.away, files: disk, worker: PAGE_WORKER }));
  const all = allCommands({
    ...{ workspace: disk, user, memory, agents, outputs, ...shell, python, away },
    documents: nodeDocuments({ files: disk, workspace: disk, worker: DOCUMENT_WORKER }),
    git: nodeGit(),
  });
  return { all, folders, shell };
}
