import type { Command, PrepareContext, PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import {
  type Args,
  createNumberSchema,
  createObjectSchema,
  FILE_ALIASES,
  FILENAME,
  getRequiredText,
  getTextArgument,
  listTextArguments,
} from "../arguments.ts";
import { isAsSeen } from "../file-change.ts";
import { createFailure } from "../outcomes.ts";
import { createTouch, describeMissingFile, getFolderPath } from "../places.ts";
import { isStillThere, LINE_ARGUMENTS, TIMEOUT_SECONDS } from "./run-line.ts";
import { createPythonCommand, type PythonDependencies, preparePythonRun, type ReadyPython } from "./run-python.ts";

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
    prepare,
  );
}

async function prepare(
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
  const seconds = createNumberSchema(args, "timeout_seconds") ?? shellTimeoutSeconds;
  return preparePythonRun({ python, shell, outputs, file: path, args: given, folder, seconds }, step, {
    touches: [createTouch(place, "read")],
    fresh: async () => (await isAsSeen(workspace, place)) && isStillThere(workspace, folder),
  });
}
