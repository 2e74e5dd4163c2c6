import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandDependencies } from "../../src/commands/all.ts";
import type { CellRunner } from "../../src/core/ports/notebooks.ts";
import type { UserTerminals } from "../../src/core/ports/terminals.ts";
import type { CodeSearch, Problems, Symbols } from "../../src/core/ports/workspace.ts";
import { findNodeGit } from "../../src/node/git/git.ts";
import { createNodeProcesses, type RunProcesses } from "../../src/node/processes/background-processes.ts";
import { createNodeTestReports } from "../../src/node/tests/test-reports.ts";
import { displayText } from "../../src/texts/display-text.ts";

const PYTHON = process.platform === "win32" ? "python" : "python3";

/** Language services that find everything in the first line of a.txt. */
const SYMBOLS: Symbols = {
  find: async (name) => [{ name, kind: "function", label: "a.txt", line: 1, within: "" }],
  findReferences: async ({ label }, { line }) => [{ label, line, text: "one" }],
};

/** An index that finds everything in the first line of a.txt. */
const CODE: CodeSearch = async () => ({
  places: [{ label: "a.txt", from: 1, to: 1, symbols: ["one"], others: [], line: 1, excerpt: "one" }],
  isPartial: false,
});

/** A kernel whose cells print their number. */
const KERNEL: CellRunner = {
  run: async (_notebook, { start: index }) => ({
    ended: "all",
    results: [{ index, outputs: [`${index + 1}`], succeeded: true, seconds: 0 }],
  }),
};

const NO_PROBLEMS = { problems: [], areNew: true };

/** Language services that never complain. */
export const CONTENT: Problems = {
  list: async () => [],
  expectChange: () => undefined,
  findProblemsAfterChange: async () => NO_PROBLEMS,
  collectLaterProblems: () => ({ ...NO_PROBLEMS, markRead: () => undefined }),
};

/** A terminal that the user shares, in which a command has run. */
const TERMINALS: UserTerminals = {
  list: () => [{ label: "bash", isActive: true, isShared: true }],
  share: () => undefined,
  read: async () => [{ line: "make", cwd: "", state: "ended", code: 2, output: "failed" }],
};

/** This machine's own programs, and language services to go with them, for runs whose files go to a folder. */
export function machineParts(folder: string): Partial<CommandDependencies> & { readonly processes: RunProcesses } {
  const codeFile = (step: number): string => join(folder, `${step}.py`);
  return {
    processes: createNodeProcesses({ outputFolder: folder }),
    git: findNodeGit(),
    reports: createNodeTestReports(() => []),
    terminals: TERMINALS,
    tasks: { list: async () => [], run: async () => ({ ended: "failed", output: "", bytes: 0 }) },
    symbols: SYMBOLS,
    code: CODE,
    problems: CONTENT,
    cells: KERNEL,
    python: {
      getCodePath: codeFile,
      keep: async (step, code) => {
        mkdirSync(folder, { recursive: true });
        writeFileSync(codeFile(step), code);
      },
      drop: async (step) => rmSync(codeFile(step)),
      start: async (file) => ({ words: [PYTHON, "-u", file], where: displayText("approval.onMachine") }),
    },
  };
}
