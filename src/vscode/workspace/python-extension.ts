import * as vscode from "vscode";

/** The extension may have to start first and find interpreters. */
const ANSWER_MS = 5000;

/** The interpreter selected in the Python extension for a folder; undefined without that extension. */
export async function chosenInterpreter(folder: string): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<unknown>("ms-python.python");
  if (!extension) return undefined;
  return Promise.race([
    asked(extension, vscode.Uri.file(folder)),
    new Promise<undefined>((resolve) => setTimeout(resolve, ANSWER_MS, undefined)),
  ]);
}

async function asked(extension: vscode.Extension<unknown>, folder: vscode.Uri): Promise<string | undefined> {
  const environments = member(
    extension.isActive ? extension.exports : await extension.activate(),
    "environments",
  );
  const active = called(environments, "getActiveEnvironmentPath", folder);
  const resolved = await called(environments, "resolveEnvironment", active);
  const uri = member(member(resolved, "executable"), "uri");
  return uri instanceof vscode.Uri ? uri.fsPath : undefined;
}

/** A member of the exports of another extension. */
function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function called(value: unknown, name: string, argument: unknown): unknown {
  const method = member(value, name);
  return typeof method === "function" ? Reflect.apply(method, value, [argument]) : undefined;
}
