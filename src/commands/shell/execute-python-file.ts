import type { Command, PrepareContext, PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import {
  type Args,
  FILE_ALIASES,
  FILENAME,
  number,
  objectSchema,
  requiredText,
  text,
  texts,
} from "../arguments.ts";
import { isAsSeen } from "../file-change.ts";
import { failed } from "../outcomes.ts";
import { folderPath, missingFile, touchOf } from "../places.ts";
import { isStillThere, LINE_ARGUMENTS, TIMEOUT_SECONDS } from "./run-line.ts";
import { type PythonDependencies, pythonCommand, pythonRun, type ReadyPython } from "./run-python.ts";

/** Runs a Python file of the workspace. */
export function executePythonFile(parts: PythonDependencies): Command {
  return pythonCommand(
    parts,
    {
      name: "execute_python_file",
      aliases: ["run_python_file", "execute_python_script"],
      description: "Runs a Python file with the workspace's interpreter. No input.",
      parameters: objectSchema(
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
  const place = await workspace.locate(requiredText(args, "filename"));
  const { label, kind, path } = place;
  if (kind === "missing") return failed(await missingFile(workspace, label, signal));
  if (kind !== "file" || !/\.pyw?$/i.test(label))
    return failed(`"${label}" is not a Python file. Name a file that ends with .py.`);
  const given = texts(args, "args");
  if (given.some((word) => word.includes("\0"))) return failed("An argument contains a NUL character.");
  const folder = await workspace.locate(folderPath(text(args, "folder")));
  if (folder.kind !== "folder") return failed(`There is no folder "${folder.label}" to run it in.`);
  const seconds = number(args, "timeout_seconds") ?? shellTimeoutSeconds;
  return pythonRun({ python, shell, outputs, file: path, args: given, folder, seconds }, step, {
    touches: [touchOf(place, "read")],
    fresh: async () => (await isAsSeen(workspace, place)) && isStillThere(workspace, folder),
  });
}
