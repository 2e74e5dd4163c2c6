import { execFile } from "node:child_process";
import { parse } from "node:path";
import type { PythonSyntax } from "../../core/ports/programs.ts";
import { createEnvironmentOutside, findProgramOutside } from "../processes/program-versions.ts";

/** Time for parsing one file. */
const ANSWER_MS = 3000;

/** Prints the line and the message of a syntax error. */
const PROGRAM = `import ast, sys
try:
    ast.parse(sys.stdin.buffer.read().decode())
    print("fine")
except SyntaxError as error:
    print(error.lineno or 1, error.msg, "(Python %d.%d)" % sys.version_info[:2])`;

/**
 * Parses with the machine's Python, never with a Python below these folders. It's isolated: it runs in the root folder and imports only its
 * own library.
 */
export function createNodePythonSyntax(
  folders: () => readonly string[],
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): PythonSyntax {
  return async (code, signal) => {
    const outside = createEnvironmentOutside(folders(), env);
    const path = findProgramOutside(["python3", "python"], folders(), outside);
    const printed = path === undefined ? "" : await readOutput(path, outside, code, signal);
    const found = /^(\d+) (.+)$/m.exec(printed);
    if (found) return { line: Number(found[1]), message: found[2]?.slice(0, 200) ?? "" };
    return printed.trim() === "fine" ? "fine" : undefined;
  };
}

/** The program's output about the code; "" if it fails or takes too long. */
function readOutput(path: string, env: NodeJS.ProcessEnv, code: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(
      path,
      ["-I", "-S", "-W", "ignore", "-c", PROGRAM],
      {
        cwd: parse(path).root,
        env,
        signal,
        timeout: ANSWER_MS,
        killSignal: "SIGKILL",
        maxBuffer: 65_536,
        windowsHide: true,
        encoding: "utf8",
      },
      (error, stdout) => resolve(error ? "" : stdout),
    );
    // A program that ends early doesn't read its input.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(code);
  });
}
