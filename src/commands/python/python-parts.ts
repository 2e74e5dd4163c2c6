import { type Prepared, prepared } from "../../core/command.ts";
import type { Python } from "../../core/machine-ports.ts";
import type { Place, Shell } from "../../core/ports.ts";
import { commandLineOf, withVariables } from "../quoted.ts";
import { DEFAULT_SECONDS, runLine, type ShellParts } from "../run-line.ts";
import { counted } from "../units.ts";

/** What running Python works with. It goes through the shell, as any program does. */
export interface PythonParts extends ShellParts {
  readonly python?: Python | undefined;
}

/** Why Python is not offered, as a sentence; undefined when it is. */
export function pythonWithheld({ shell, python }: PythonParts): string | undefined {
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
  readonly folder: Place;
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
  more: Pick<Prepared, "touches" | "fresh">,
): Promise<Prepared> {
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
