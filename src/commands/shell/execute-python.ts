import type { Command, PrepareContext, PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import {
  type Args,
  createObjectSchema,
  FILE_ALIASES,
  FILENAME,
  getNumberArgument,
  getRequiredText,
  getTextArgument,
  getTextOrJson,
  listTextArguments,
  TEXT_OR_JSON,
} from "../arguments.ts";
import { isAsSeen } from "../file-change.ts";
import { createFailure } from "../outcomes.ts";
import { createTouch, describeMissingFile, getFolderPath } from "../places.ts";
import { isStillThere, LINE_ARGUMENTS, TIMEOUT_SECONDS } from "./run-line.ts";
import { createPythonCommand, type PythonDependencies, preparePythonRun, type ReadyPython } from "./run-python.ts";

const CODE = { type: "string", minLength: 1 } as const;
const UNDERSTOOD_CODE = { ...TEXT_OR_JSON, minLength: 1, minItems: 1 } as const;

/** Runs code from the call, in a file of the run's own folder. */
export function executePythonCode(parts: PythonDependencies): Command {
  return createPythonCommand(
    parts,
    {
      name: "execute_python_code",
      traits: { titles: [{ code: "RunPython" }], question: { code: "runPython" }, rank: 90 },
      aliases: ["run_python_code", "execute_python", "python"],
      description:
        "Runs Python code in the workspace folder; print what you want to see. Can import the workspace's modules. No state is kept.",
      // Older programs give the code a name.
      parameters: createObjectSchema(
        { code: UNDERSTOOD_CODE, name: { type: "string" }, timeout_seconds: TIMEOUT_SECONDS },
        ["code"],
      ),
      offered: createObjectSchema({ code: CODE, timeout_seconds: TIMEOUT_SECONDS }, ["code"]),
      argumentAliases: {
        basename: "name",
        source: "code",
        python_code: "code",
        script: "code",
        timeout: "timeout_seconds",
      },
    },
    prepareCode,
  );
}

async function prepareCode(
  { workspace, shell, outputs, python, shellTimeoutSeconds }: ReadyPython,
  args: Args,
  { step }: PrepareContext,
): Promise<PreparedCall | Outcome> {
  const code = stripFences(getTextOrJson(args, "code", { label: "code.py" }));
  if (code.trim() === "") return createFailure("The code is empty. Say what to run.");
  if (code.includes("\0")) return createFailure("The code contains a NUL character. Leave it out.");
  const folder = await workspace.locate(".");
  const seconds = getNumberArgument(args, "timeout_seconds") ?? shellTimeoutSeconds;
  const variables = { PYTHONPATH: folder.path };
  const file = python.getCodePath(step);
  return preparePythonRun({ python, shell, outputs, file, args: [], folder, seconds, variables, code }, step, {
    touches: [],
    fresh: () => isStillThere(workspace, folder),
  });
}

/** Removes the fences that models like to put around code. */
function stripFences(code: string): string {
  return /^\s*```(?:python|py)?[ \t]*\r?\n([\s\S]*?)\r?\n?```\s*$/i.exec(code)?.[1] ?? code;
}

/** Runs a Python file of the workspace. */
export function executePythonFile(parts: PythonDependencies): Command {
  return createPythonCommand(
    parts,
    {
      name: "execute_python_file",
      traits: {
        titles: [{ code: "RunFile", file: "filename" }],
        question: { code: "runFile", file: "filename" },
        rank: 240,
      },
      aliases: ["run_python_file", "execute_python_script"],
      description: "Runs a Python file with the workspace's interpreter. No input.",
      parameters: createObjectSchema(
        {
          filename: FILENAME,
          args: { type: "array", items: { type: "string" } },
          folder: LINE_ARGUMENTS.folder,
          timeout_seconds: TIMEOUT_SECONDS,
        },
        ["filename"],
      ),
      argumentAliases: {
        ...FILE_ALIASES,
        arguments: "args",
        argv: "args",
        cwd: "folder",
        directory: "folder",
        timeout: "timeout_seconds",
      },
    },
    prepareFile,
  );
}

async function prepareFile(
  { workspace, shell, outputs, python, shellTimeoutSeconds }: ReadyPython,
  args: Args,
  { step, signal }: PrepareContext,
): Promise<PreparedCall | Outcome> {
  const place = await workspace.locate(getRequiredText(args, "filename"));
  const { label, kind, path } = place;
  if (kind === "missing") return createFailure(await describeMissingFile(workspace, label, signal));
  if (kind !== "file" || !/\.pyw?$/i.test(label))
    return createFailure(`"${label}" is not a Python file. Name a file that ends with .py.`);
  const given = listTextArguments(args, "args");
  if (given.some((word) => word.includes("\0"))) return createFailure("An argument contains a NUL character.");
  const folder = await workspace.locate(getFolderPath(getTextArgument(args, "folder")));
  if (folder.kind !== "folder") return createFailure(`There is no folder "${folder.label}" to run it in.`);
  const seconds = getNumberArgument(args, "timeout_seconds") ?? shellTimeoutSeconds;
  return preparePythonRun({ python, shell, outputs, file: path, args: given, folder, seconds }, step, {
    touches: [createTouch(place, "read")],
    fresh: async () => (await isAsSeen(workspace, place)) && isStillThere(workspace, folder),
  });
}
