import type { Command, Prepared, Preparing } from "../../core/command.ts";
import type { Outcome } from "../../core/outcome.ts";
import { type Args, number, objectSchema, requiredText, text, texts } from "../arguments.ts";
import { FILE_ALIASES, FILENAME } from "../file-arguments.ts";
import { isAsSeen } from "../file-change.ts";
import { folderPath } from "../folder-path.ts";
import { LINE_ARGUMENTS } from "../line-arguments.ts";
import { missingFile } from "../missing.ts";
import { failed } from "../outcomes.ts";
import { isStillThere, TIMEOUT_SECONDS } from "../run-line.ts";
import { touchOf } from "../touch.ts";
import { type PythonParts, pythonCommand, pythonRun, type ReadyParts } from "./python-parts.ts";

/** Runs a file of Python that is in the workspace. */
export function executePythonFile(parts: PythonParts): Command {
  return pythonCommand(
    parts,
    {
      name: "execute_python_file",
      aliases: ["run_python_file", "execute_python_script"],
      description:
        "Runs a Python file of the workspace with the workspace's interpreter, and gives its exit code and output. Nobody can type into it.",
      parameters: objectSchema(
        {
          filename: { ...FILENAME, description: 'Like "src/app.py".' },
          args: { type: "array", items: { type: "string" }, description: "Its arguments." },
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
  { workspace, shell, python, shellTimeoutSeconds }: ReadyParts,
  args: Args,
  { step, signal }: Preparing,
): Promise<Prepared | Outcome> {
  const place = await workspace.locate(requiredText(args, "filename"));
  const { label, kind, path } = place;
  if (kind === "missing") return failed(await missingFile(workspace, label, signal));
  if (kind !== "file" || !/\.pyw?$/i.test(label))
    return failed(`"${label}" is not a Python file. Name a file that ends with .py.`);
  const given = texts(args, "args");
  if (given.some((word) => word.includes("\0"))) return failed("An argument holds a NUL character.");
  const folder = await workspace.locate(folderPath(text(args, "folder")));
  if (folder.kind !== "folder") return failed(`There is no folder "${folder.label}" to run it in.`);
  const seconds = number(args, "timeout_seconds") ?? shellTimeoutSeconds;
  return pythonRun({ python, shell, file: path, args: given, folder, seconds }, step, {
    touches: [touchOf(place, "read")],
    fresh: async () => (await isAsSeen(workspace, place)) && isStillThere(workspace, folder),
  });
}
