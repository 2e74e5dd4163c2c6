import * as vscode from "vscode";
import { allCommands } from "../../commands/all.ts";
import type { Command } from "../../core/commands/command.ts";
import type { User } from "../../core/ports/approver.ts";
import type { Memory } from "../../core/ports/storage.ts";
import type { Agents } from "../../core/ports/sub-agents.ts";
import type { Problems } from "../../core/ports/workspace.ts";
import { nodeDocuments } from "../../node/documents/documents.ts";
import { nodeGit } from "../../node/git/git.ts";
import { nodeOutputs } from "../../node/processes/outputs.ts";
import { nodePython } from "../../node/python/python.ts";
import { type RunShell, runShell } from "../../node/sandbox/run-shell.ts";
import { nodeWorkspace } from "../../node/workspace.ts";
import { outputsOfRun } from "../../runs/store/run-outputs.ts";
import { deleteWithBackup, preImages } from "../../runs/undo/pre-images.ts";
import { segments } from "../../safety/paths/paths.ts";
import { secretIn } from "../../safety/paths/sensitive.ts";
import { confinement } from "../../safety/sandbox/confinement.ts";
import { watchedIn } from "../../safety/sandbox/plan.ts";
import type { WorkspaceFolder } from "../../schema/run-values.ts";
import type { Settings } from "../../schema/settings.ts";
import { createServices, type ServicesOptions } from "../../services/services.ts";
import { editorTrash, editorWorkspace } from "../workspace/editor-workspace.ts";
import { editorProblems } from "../workspace/problems.ts";
import { chosenInterpreter } from "../workspace/python-extension.ts";
import { editorSymbols } from "../workspace/symbols.ts";
import { readSettings } from "./settings.ts";

/** Where a run works. */
export interface CommandPlace {
  /** The run's own folder, for what is kept beside its log. */
  readonly runHome: string;
  readonly folder: string;
  /** All that it works in, its own first. */
  readonly folders: readonly WorkspaceFolder[];
  readonly settings: Settings;
  readonly user: User;
  readonly memory: Memory | undefined;
  readonly agents: Agents | undefined;
  readonly away: Omit<ServicesOptions, "files" | "settings" | "allowHosts">;
  /** What reads documents. */
  readonly documentWorker: string;
  /** Takes secrets out of a text before it is kept. */
  redact(text: string): string;
}

/** The commands as the editor makes them, over the folder the run was started in and the other open ones. */
export async function commandsAt(place: CommandPlace): Promise<{
  readonly all: readonly Command[];
  /** Real paths of the folders. */
  folders(): readonly string[];
  readonly shell: RunShell;
  readonly problems: Problems;
}> {
  const { runHome, folder, settings, user, memory, agents, redact } = place;
  const kept = preImages(runHome);
  const disk = nodeWorkspace({
    folders: place.folders,
    trash: editorTrash((path) => deleteWithBackup(path, kept)),
    leftOut: (relative) => secretIn(segments(relative)) !== undefined,
  });
  const workspace = editorWorkspace(disk);
  const shell = await runShell(settings.shell, {
    outputFolder: runHome,
    redact,
    folders: disk.folders,
    confine: confinement,
    watched: watchedIn,
  });
  const python = await nodePython({
    setting: settings.python.interpreter,
    useDocker: settings.python.useDocker,
    chosen: () => chosenInterpreter(folder),
    folders: disk.folders,
    sandboxed: shell.sandbox !== undefined,
    runFolder: runHome,
  });
  const away = await createServices({
    ...place.away,
    settings,
    allowHosts: () => readSettings(vscode.Uri.file(folder)).web.allowHosts,
    files: workspace,
  });
  const problems = editorProblems(workspace);
  const all = allCommands({
    workspace,
    user,
    ...{ memory, agents, away },
    outputs: outputsOfRun(runHome, nodeOutputs(runHome)),
    documents: nodeDocuments({ files: workspace, workspace, worker: place.documentWorker }),
    problems,
    symbols: editorSymbols(workspace),
    shell: shell.shell,
    processes: shell.processes,
    python,
    git: nodeGit(),
    shellTimeoutSeconds: settings.shell.timeoutSeconds,
  });
  return { all, folders: disk.folders, shell, problems };
}
