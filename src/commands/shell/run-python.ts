import { quotePowerShellText } from "../../core/base/text.ts";
import {
  type Command,
  createPreparedCall,
  type PrepareContext,
  type PreparedCall,
} from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { CommandOutputs, Python, Shell } from "../../core/ports/programs.ts";
import type { ResolvedPath } from "../../core/ports/workspace.ts";
import { type Sentence, writeInEnglish } from "../../texts/display-text.ts";
import type { Args } from "../arguments.ts";
import { createFailure } from "../outcomes.ts";
import { DEFAULT_SECONDS, describeLinePlace, runLine, type ShellDependencies } from "./run-line.ts";

/** Dependencies of running Python, which goes through the shell like any program. */
export interface PythonDependencies extends ShellDependencies {
  readonly python?: Python | undefined;
}

/** The same with everything that Python needs. */
export interface ReadyPython extends PythonDependencies {
  readonly shell: Shell;
  readonly python: Python;
}

/** Creates a command that runs Python. It's offered only if there are a Python and a shell. */
export function createPythonCommand(
  parts: PythonDependencies,
  spec: Omit<Command, "category" | "effect" | "withheld" | "prepare">,
  prepare: (ready: ReadyPython, args: Args, preparing: PrepareContext) => Promise<PreparedCall | Outcome>,
): Command {
  return {
    ...spec,
    category: "python",
    effect: "run",
    withheld: () => explainWithheldPython(parts),
    async prepare(args, preparing) {
      const { shell, python } = parts;
      if (!shell || !python) return createFailure("Python is not available.");
      return prepare({ ...parts, shell, python }, args, preparing);
    },
  };
}

/** A sentence on why Python isn't offered; undefined when it is. */
function explainWithheldPython({ shell, python }: PythonDependencies): Sentence | undefined {
  if (!shell) return "Shell commands are turned off (autogpt.shell.enabled), and Python could run them all the same.";
  return python ? python.problem : "Python isn't available here.";
}

/** A Python file to run. */
export interface Program {
  readonly python: Python;
  readonly shell: Shell;
  readonly outputs: CommandOutputs | undefined;
  /** Real path. */
  readonly file: string;
  readonly args: readonly string[];
  readonly folder: ResolvedPath;
  readonly seconds: number | undefined;
  /** Further environment variables. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Set when the file is written just before it runs. */
  readonly code?: string;
}

/** A call that runs a Python file, as it's shown and judged. */
export async function preparePythonRun(
  program: Program,
  step: number,
  more: Pick<PreparedCall, "touches" | "fresh">,
): Promise<PreparedCall> {
  const { python, shell, outputs, file, args, folder, seconds = DEFAULT_SECONDS, code, variables = {} } = program;
  const { words, where, confined, clear } = await python.start(file, folder.path);
  const plain = buildShellCommandLine([...words, ...args], shell.name);
  const line = confined ? plain : addVariables(plain, variables, shell.name);
  const how = `Runs ${writeInEnglish(where)}, in ${folder.path}`;
  const place = describeLinePlace(shell, line, { how, by: where, folder, seconds });
  const text = `${code === undefined ? "" : `${code.trimEnd()}\n\n`}${line}\n\n${place.text}`;
  return createPreparedCall(
    "run",
    text,
    async (running) => {
      if (code !== undefined) await python.keep(step, code);
      try {
        return await runLine({ shell, outputs }, { text: line, cwd: folder.path, seconds }, running);
      } finally {
        await clear?.();
        if (code !== undefined) await python.drop(step);
      }
    },
    // A line that only starts its own code has nothing to analyze.
    {
      ...more,
      captions: place.captions,
      cwd: folder.path,
      ...(confined || code !== undefined ? {} : { shell: line }),
    },
  );
}

/** Words as a command line for a shell, quoted where necessary. */
export function buildShellCommandLine(words: readonly string[], shellName: string): string {
  if (shellName !== "PowerShell") return words.map(quotePosixWord).join(" ");
  const [program = "", ...args] = words;
  return ["&", quotePowerShellText(program), ...args.map(quotePowerShellWord)].join(" ");
}

/** Arguments for a command line, quoted where necessary. */
export function quoteArguments(words: readonly string[], shellName: string): readonly string[] {
  return words.map(shellName === "PowerShell" ? quotePowerShellWord : quotePosixWord);
}

/** A command line with environment variables. */
function addVariables(line: string, variables: Readonly<Record<string, string>>, shellName: string): string {
  const set = Object.entries(variables).map(([name, value]) =>
    shellName === "PowerShell" ? `$env:${name}=${quotePowerShellText(value)};` : `${name}=${quotePosixWord(value)}`,
  );
  return [...set, line].join(" ");
}

function quotePosixWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function quotePowerShellWord(word: string): string {
  return /^[\w./\\:-]+$/.test(word) && !word.startsWith("-") ? word : quotePowerShellText(word);
}
