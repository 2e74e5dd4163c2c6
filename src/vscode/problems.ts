import * as vscode from "vscode";
import type { Place, Problem, Problems, Workspace } from "../core/ports.ts";
import { withLineEnd } from "./diff/lines.ts";
import { ChangedFiles, type Services } from "./problems/changed-files.ts";
import { pause } from "./problems/pause.ts";
import { settled } from "./problems/settled.ts";
import { typescriptProblems } from "./problems/typescript.ts";

/** The editor takes up a file that was changed on the disk within this time. */
const LONGEST_RELOAD_MS = 2_000;

/** The problems that the editor's language services report in a workspace. Files are opened for them in the background, without a tab. */
export function editorProblems(workspace: Workspace): Problems {
  const changedFiles = new ChangedFiles(servicesFor(workspace));
  return {
    async list(place) {
      if (!place) return allProblems(workspace);
      if (place.kind !== "file") return [];
      const open = openAt(place);
      const document = open ?? (await opened(place));
      return document ? problemsOf(document, place, { settle: !open }) : [];
    },
    expectChange: (place) => changedFiles.expect(place),
    afterChange: (place, signal) => changedFiles.changed(place, signal),
    late: () => changedFiles.late(),
  };
}

function servicesFor(workspace: Workspace): Services {
  return {
    async before(place, changed) {
      const document = openAt(place) ?? (await opened(place));
      if (!document) return [];
      return changed()
        ? undefined
        : typescriptProblems(document, place.label).then((problems) => problems ?? []);
    },
    now: ({ path, label }) => toProblems(label, vscode.languages.getDiagnostics(vscode.Uri.file(path))),
    async follow(place, report, signal) {
      const document = openAt(place) ?? (await opened(place));
      if (!document) return;
      await reloaded(document, place, workspace, signal);
      let typescript: readonly Problem[] | undefined;
      const tell = (): void => report(withOthers(typescript, document, place));
      const telling = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        if (uris.some((uri) => uri.toString() === document.uri.toString())) tell();
      });
      try {
        typescript = await typescriptProblems(document, place.label, signal);
        tell();
        await settled(document, { asked: typescript !== undefined, signal });
        tell();
      } finally {
        telling.dispose();
      }
    },
  };
}

/** The problems of one file; those of all services once these have looked at it when they are to `settle`. */
async function problemsOf(
  document: vscode.TextDocument,
  place: Place,
  { settle }: { readonly settle: boolean },
): Promise<readonly Problem[]> {
  const typescript = await typescriptProblems(document, place.label);
  if (settle) await settled(document, { asked: typescript !== undefined });
  return withOthers(typescript, document, place);
}

/** The TypeScript server's problems with those of the other services. */
function withOthers(
  typescript: readonly Problem[] | undefined,
  document: vscode.TextDocument,
  { label }: Place,
): readonly Problem[] {
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
