import * as vscode from "vscode";

/** Allows for starting the extension, which then finds interpreters. */
const ANSWER_MS = 5000;

/** The interpreter selected in the Python extension for a folder; undefined without that extension. */
export async function findChosenInterpreter(folder: string): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<unknown>("ms-python.python");
  if (!extension) return undefined;
  return Promise.race([
    askForInterpreter(extension, vscode.Uri.file(folder)),
    new Promise<undefined>((resolve) => setTimeout(resolve, ANSWER_MS, undefined)),
  ]);
}

async function askForInterpreter(
  extension: vscode.Extension<unknown>,
  folder: vscode.Uri,
): Promise<string | undefined> {
  const environments = getMember(extension.isActive ? extension.exports : await extension.activate(), "environments");
  const active = callMember(environments, "getActiveEnvironmentPath", folder);
  const resolved = await callMember(environments, "resolveEnvironment", active);
  const uri = getMember(getMember(resolved, "executable"), "uri");
  return uri instanceof vscode.Uri ? uri.fsPath : undefined;
}

/** A member of the exports of another extension. */
function getMember(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function callMember(value: unknown, name: string, argument: unknown): unknown {
  const method = getMember(value, name);
  return typeof method === "function" ? Reflect.apply(method, value, [argument]) : undefined;
}
