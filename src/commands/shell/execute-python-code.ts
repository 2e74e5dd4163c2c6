import type { Command, PrepareContext, PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { type Args, createNumberSchema, createObjectSchema, getTextOrJson, TEXT_OR_JSON } from "../arguments.ts";
import { createFailure } from "../outcomes.ts";
import { isStillThere, TIMEOUT_SECONDS } from "./run-line.ts";
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
    prepare,
  );
}

async function prepare(
  { workspace, shell, outputs, python, shellTimeoutSeconds }: ReadyPython,
  args: Args,
  { step }: PrepareContext,
): Promise<PreparedCall | Outcome> {
  const code = stripFences(getTextOrJson(args, "code", { label: "code.py" }));
  if (code.trim() === "") return createFailure("The code is empty. Say what to run.");
  if (code.includes("\0")) return createFailure("The code contains a NUL character. Leave it out.");
  const folder = await workspace.locate(".");
  const seconds = createNumberSchema(args, "timeout_seconds") ?? shellTimeoutSeconds;
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
