import { counted } from "../../core/base/text.ts";
import {
  type Command,
  type PrepareContext,
  type PreparedCall,
  prepared,
} from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Python, Shell } from "../../core/ports/programs.ts";
import type { ResolvedPath } from "../../core/ports/workspace.ts";
import type { Args } from "../arguments.ts";
import { failed } from "../outcomes.ts";
import { DEFAULT_SECONDS, runLine, type ShellDependencies } from "./run-line.ts";

/** What running Python works with. It goes through the shell, as any program does. */
export interface PythonDependencies extends ShellDependencies {
  readonly python?: Python | undefined;
}

/** The same where Python can be run. */
export interface ReadyPython extends PythonDependencies {
  readonly shell: Shell;
  readonly python: Python;
}

/** A command that runs Python: offered and prepared only where there is one, and a shell to run it. */
export function pythonCommand(
  parts: PythonDependencies,
  spec: Omit<Command, "category" | "effect" | "withheld" | "prepare">,
  prepare: (ready: ReadyPython, args: Args, preparing: PrepareContext) => Promise<PreparedCall | Outcome>,
): Command {
  return {
    ...spec,
    category: "python",
    effect: "run",
    withheld: () => pythonWithheld(parts),
    async prepare(args, preparing) {
      const { shell, python } = parts;
      if (!shell || !python) return failed("Python is not available.");
      return prepare({ ...parts, shell, python }, args, preparing);
    },
  };
}

/** Why Python is not offered, as a sentence; undefined when it is. */
function pythonWithheld({ shell, python }: PythonDependencies): string | undefined {
  if (!shell)
    return "Shell commands are turned off (autogpt.shell.enabled), and Python could run them all the same.";
  return python ? python.problem : "There is no Python here.";
}

/** A file of Python to be run. */
export interface Program {
  readonly python: Python;
  readonly shell: Shell;
  /** Real path. */
  readonly file: string;
  readonly args: readonly string[];
  readonly folder: ResolvedPath;
  readonly seconds: number | undefined;
  /** Variables of its environment. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Set when the file is kept just before it is run. */
  readonly code?: string;
}

/** A run of a file of Python, as it is shown and judged. */
export async function pythonRun(
  program: Program,
  step: number,
  more: Pick<PreparedCall, "touches" | "fresh">,
): Promise<PreparedCall> {
  const { python, shell, file, args, folder, seconds = DEFAULT_SECONDS, code, variables = {} } = program;
  const { words, where, confined, clear } = await python.start(file, folder.path);
  const plain = commandLineOf([...words, ...args], shell.name);
  const line = confined ? plain : withVariables(plain, variables, shell.name);
  const text = `${code === undefined ? "" : `${code.trimEnd()}\n\n`}${line}\n\nRuns ${where}, in ${folder.path}, for ${counted(seconds, "second")} at most.`;
  return prepared(
    "run",
    text,
    async (running) => {
      if (code !== undefined) await python.keep(step, code);
      try {
        return await runLine(shell, { text: line, cwd: folder.path, seconds }, running);
      } finally {
        await clear?.();
        if (code !== undefined) await python.drop(step);
      }
    },
    // A line that only starts code of its own tells a reader of lines nothing.
    { ...more, cwd: folder.path, ...(confined || code !== undefined ? {} : { shell: line }) },
  );
}

/** Words as a line of the shell of that name, each quoted where it has to be. */
function commandLineOf(words: readonly string[], shellName: string): string {
  if (shellName !== "PowerShell") return words.map(posixWord).join(" ");
  const [program = "", ...args] = words;
  return ["&", powerShellText(program), ...args.map(powerShellWord)].join(" ");
}

/** Variables of the environment set for the rest of a line. */
function withVariables(line: string, variables: Readonly<Record<string, string>>, shellName: string): string {
  const set = Object.entries(variables).map(([name, value]) =>
    shellName === "PowerShell" ? `$env:${name}=${powerShellText(value)};` : `${name}=${posixWord(value)}`,
  );
  return [...set, line].join(" ");
}

function posixWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function powerShellWord(word: string): string {
  return /^[\w./\\:-]+$/.test(word) && !word.startsWith("-") ? word : powerShellText(word);
}

function powerShellText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
