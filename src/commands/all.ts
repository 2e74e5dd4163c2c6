import type { Command } from "../core/commands/command.ts";
import type { User } from "../core/ports/approver.ts";
import type { ModelTraits } from "../core/ports/model.ts";
import type { CellRunner, Notebooks } from "../core/ports/notebooks.ts";
import type { CommandOutputs, Git, Processes, Python, PythonSyntax, Shell } from "../core/ports/programs.ts";
import type { Skills } from "../core/ports/skills.ts";
import type { Memory } from "../core/ports/storage.ts";
import type { Agents } from "../core/ports/sub-agents.ts";
import type { Tasks } from "../core/ports/tasks.ts";
import type { UserTerminals } from "../core/ports/terminals.ts";
import type { TestExplorer, TestReports } from "../core/ports/tests.ts";
import type { BinaryFiles, CodeSearch, Documents, Problems, Symbols, Workspace } from "../core/ports/workspace.ts";
import { deleteAgent, listAgents, messageAgent, startAgent } from "./agent/agents.ts";
import { askUser } from "./agent/ask-user.ts";
import { doNothing } from "./agent/do-nothing.ts";
import { findTools, type HiddenCommands } from "./agent/find-tools.ts";
import { createMemoryAddCommand, createMemorySearchCommand } from "./agent/memories.ts";
import { readSkill } from "./agent/read-skill.ts";
import { createTaskCompleteCommand } from "./agent/task-complete.ts";
import { updatePlan } from "./agent/update-plan.ts";
import { analyzeCode } from "./code/analyze-code.ts";
import { findReferences } from "./code/find-references.ts";
import { findSymbol } from "./code/find-symbol.ts";
import { getProblems } from "./code/get-problems.ts";
import { improveCode } from "./code/improve-code.ts";
import { searchCode } from "./code/search-code.ts";
import { writeTests } from "./code/write-tests.ts";
import { appendToFile } from "./files/append-to-file.ts";
import { createFolder } from "./files/create-folder.ts";
import { deleteFile } from "./files/delete-file.ts";
import { editFile } from "./files/edit-file.ts";
import { listFiles } from "./files/list-files.ts";
import { moveFile } from "./files/move-file.ts";
import { readFile } from "./files/read-file.ts";
import { searchFiles } from "./files/search-files.ts";
import { writeToFile } from "./files/write-to-file.ts";
import { cloneRepository } from "./git/clone-repository.ts";
import { createGitDiffCommand } from "./git/git-diff.ts";
import { createGitLogCommand } from "./git/git-log.ts";
import { createGitStatusCommand } from "./git/git-status.ts";
import { runCell } from "./notebooks/run-cell.ts";
import { executePythonCode, executePythonFile } from "./shell/execute-python.ts";
import { executeShell } from "./shell/execute-shell.ts";
import { getTerminalOutput } from "./shell/get-terminal-output.ts";
import { executeShellPopen, listProcesses, readProcessOutput, stopProcess } from "./shell/processes.ts";
import { runTask } from "./tasks/run-task.ts";
import { runTests } from "./tests/run-tests.ts";
import { clickElement, typeText } from "./web/browser-elements.ts";
import { findInPage, readConsole, readShownPage, takeScreenshot } from "./web/browser-looks.ts";
import { goBack, openPage } from "./web/browser-pages.ts";
import { callApi } from "./web/call-api.ts";
import { downloadFile } from "./web/download-file.ts";
import { generateImage } from "./web/generate-image.ts";
import { browseWebsite, getHyperlinks, getTextSummary } from "./web/pages.ts";
import { readAudioFromFile } from "./web/read-audio-from-file.ts";
import { sendTweet } from "./web/send-tweet.ts";
import type { OnlineServices } from "./web/services.ts";
import { createWebSearchCommand } from "./web/web-search.ts";

/** Dependencies of the commands. A command with an absent dependency isn't offered. */
export interface CommandDependencies {
  readonly workspace: Workspace;
  readonly outputs?: CommandOutputs | undefined;
  readonly documents?: Documents | undefined;
  readonly notebooks?: Notebooks | undefined;
  readonly files?: BinaryFiles | undefined;
  readonly cells?: CellRunner | undefined;
  readonly isSandboxed?: boolean | undefined;
  readonly problems?: Problems | undefined;
  readonly symbols?: Symbols | undefined;
  readonly code?: CodeSearch | undefined;
  readonly shell?: Shell | undefined;
  readonly shellTimeoutSeconds?: number | undefined;
  readonly processes?: Processes | undefined;
  readonly reports?: TestReports | undefined;
  readonly tasks?: Tasks | undefined;
  readonly testExplorer?: TestExplorer | undefined;
  readonly terminals?: UserTerminals | undefined;
  /** A sandbox confines command lines. */
  readonly sandboxed?: boolean | undefined;
  /** See `TaskDependencies`. */
  readonly withoutTerminal?: boolean | undefined;
  /** See `TestDependencies`. */
  isUnattended?(): boolean;
  readonly python?: Python | undefined;
  /** See `FileChangeDependencies`. */
  readonly pythonSyntax?: PythonSyntax | undefined;
  readonly git?: Git | undefined;
  readonly user?: User | undefined;
  readonly memory?: Memory | undefined;
  readonly services?: OnlineServices | undefined;
  readonly agents?: Agents | undefined;
  readonly skills?: Skills | undefined;
  readonly offer?: HiddenCommands | undefined;
  /** The form of edits that the model writes best. */
  readonly edits?: ModelTraits["edits"] | undefined;
}

/** Every command, in the order of the prompt. */
export function createAllCommands(parts: CommandDependencies): readonly Command[] {
  const { workspace, problems, symbols, user, memory, agents } = parts;
  return [
    readFile(parts),
    writeToFile(parts),
    appendToFile(parts),
    editFile(parts, parts.edits),
    moveFile(workspace),
    deleteFile(workspace),
    createFolder(workspace),
    listFiles(workspace),
    searchFiles(workspace),
    searchCode(workspace, parts.code),
    readSkill(parts),
    getProblems(workspace, problems),
    findSymbol(symbols),
    findReferences(workspace, symbols),
    analyzeCode(parts),
    improveCode(parts),
    writeTests(parts),
    ...createProgramCommands(parts),
    createGitStatusCommand(parts),
    createGitDiffCommand(parts),
    createGitLogCommand(parts),
    cloneRepository(parts),
    createWebSearchCommand(parts),
    browseWebsite(parts),
    getTextSummary(parts),
    getHyperlinks(parts),
    callApi(parts),
    downloadFile(parts),
    generateImage(parts),
    readAudioFromFile(parts),
    sendTweet(parts),
    ...createBrowserCommands(parts),
    createMemoryAddCommand(parts),
    createMemorySearchCommand(memory),
    startAgent(agents),
    messageAgent(agents),
    listAgents(agents),
    deleteAgent(agents),
    askUser(user),
    updatePlan(),
    findTools(parts.offer),
    doNothing(),
    createTaskCompleteCommand(),
  ];
}

/** The commands of the browser that the agent drives and sees. */
function createBrowserCommands(parts: CommandDependencies): readonly Command[] {
  return [
    openPage(parts),
    clickElement(parts),
    typeText(parts),
    findInPage(parts),
    goBack(parts),
    readShownPage(parts),
    takeScreenshot(parts),
    readConsole(parts),
  ];
}

/** The commands that run programs, or read what they print. */
function createProgramCommands(parts: CommandDependencies): readonly Command[] {
  const { processes, terminals } = parts;
  return [
    runTests(parts),
    runTask(parts),
    executePythonFile(parts),
    executePythonCode(parts),
    runCell(parts),
    executeShell(parts),
    executeShellPopen(parts),
    listProcesses(processes),
    readProcessOutput(processes),
    stopProcess(processes),
    getTerminalOutput(terminals),
  ];
}
