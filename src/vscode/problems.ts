import * as vscode from "vscode";
import type { Place, Problem, Problems, Workspace } from "../core/ports.ts";
import { withLineEnd } from "./diff/lines.ts";
import { newProblems } from "./problems/new-problems.ts";
import { pause } from "./problems/pause.ts";
import { settled } from "./problems/settled.ts";
import { typescriptProblems } from "./problems/typescript.ts";

/** The editor takes up a file that was changed on the disk within this time. */
const LONGEST_RELOAD_MS = 2_000;

/** What the editor's language services complain about in the files of a workspace. Files are opened for them in the background, without a tab. */
export function editorProblems(workspace: Workspace): Problems {
  return {
    async list(place) {
      if (!place) return allProblems(workspace);
      if (place.kind !== "file") return [];
      const open = openAt(place);
      const document = open ?? (await opened(place));
      return document ? problemsOf(document, place, { settle: !open }) : [];
    },
    async newSince(place, before, signal) {
      const document = openAt(place) ?? (await opened(place));
      if (!document) return [];
      await reloaded(document, place, workspace, signal);
      return newProblems(before, await problemsOf(document, place, { settle: true, signal }));
    },
  };
}

/** The problems of one file; those of all services once these have looked at it when they are to `settle`. */
async function problemsOf(
  document: vscode.TextDocument,
  { label }: Place,
  { settle, signal }: { readonly settle: boolean; readonly signal?: AbortSignal },
): Promise<readonly Problem[]> {
  const typescript = await typescriptProblems(document, label, signal);
  if (settle) await settled(document, { asked: typescript !== undefined, ...(signal ? { signal } : {}) });
  const told = toProblems(label, vscode.languages.getDiagnostics(document.uri));
  const others = typescript ? told.filter(({ source }) => source !== "ts" && source !== "js") : told;
  return [...(typescript ?? []), ...others].toSorted((one, other) => one.line - other.line);
}

async function allProblems(workspace: Workspace): Promise<readonly Problem[]> {
  const files = vscode.languages.getDiagnostics().filter(([uri]) => uri.scheme === "file");
  const lists = await Promise.all(
    files.map(async ([uri, diagnostics]) => {
      const place = diagnostics.length > 0 ? await placeOf(workspace, uri) : undefined;
      return place && !place.ignored ? toProblems(place.label, diagnostics) : [];
    }),
  );
  return lists.flat();
}

/** Undefined for a file outside the workspace. */
async function placeOf(workspace: Workspace, uri: vscode.Uri): Promise<Place | undefined> {
  return workspace.locate(uri.fsPath).catch(() => undefined);
}

function toProblems(label: string, diagnostics: readonly vscode.Diagnostic[]): readonly Problem[] {
  return diagnostics
    .filter(({ severity }) => severity !== vscode.DiagnosticSeverity.Hint)
    .map(({ range, severity, message, source = "" }) => ({
      label,
      line: range.start.line + 1,
      severity: nameOf(severity),
      message,
      source,
    }));
}

function nameOf(severity: vscode.DiagnosticSeverity): Problem["severity"] {
  if (severity === vscode.DiagnosticSeverity.Error) return "error";
  return severity === vscode.DiagnosticSeverity.Warning ? "warning" : "info";
}

function openAt({ path }: Place): vscode.TextDocument | undefined {
  const uri = vscode.Uri.file(path).toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri);
}

/** Undefined for what the editor does not open: a binary or huge file, or one that is gone. */
async function opened({ path }: Place): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(vscode.Uri.file(path));
  } catch {
    return undefined;
  }
}

/** Waits until the editor has the text that is on the disk now. */
async function reloaded(
  document: vscode.TextDocument,
  place: Place,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<void> {
  // Located anew: the place was looked at before the change, when the file may not have been there.
  const content = await workspace.read(await workspace.locate(place.path));
  if (content.kind !== "text") return;
  const wanted = withLineEnd(content.file.text, "\n");
  const until = Date.now() + LONGEST_RELOAD_MS;
  while (withLineEnd(document.getText(), "\n") !== wanted && Date.now() < until) await pause(50, signal);
}
