import * as vscode from "vscode";
import type { Problem, Problems, ResolvedPath, Workspace } from "../../core/ports/workspace.ts";
import { withLineEnd } from "../../review/line-ends.ts";
import { ChangedFiles, type LanguageServices, pause } from "../../review/new-problems.ts";
import { isFileUri, pathOf, uriOf } from "./places.ts";
import { typescriptProblems } from "./typescript-problems.ts";

/** Time in which the editor notices a file that was changed on disk. */
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

function servicesFor(workspace: Workspace): LanguageServices {
  return {
    async before(place, changed) {
      const document = openAt(place) ?? (await opened(place));
      if (!document) return [];
      return changed()
        ? undefined
        : typescriptProblems(document, place.label).then((problems) => problems ?? []);
    },
    now: ({ path, label }) => toProblems(label, vscode.languages.getDiagnostics(uriOf(path))),
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

/** The problems of one file; with `settle`, after all services have checked it. */
async function problemsOf(
  document: vscode.TextDocument,
  place: ResolvedPath,
  { settle }: { readonly settle: boolean },
): Promise<readonly Problem[]> {
  const typescript = await typescriptProblems(document, place.label);
  if (settle) await settled(document, { asked: typescript !== undefined });
  return withOthers(typescript, document, place);
}

/** The problems of the TypeScript server and of the other services. */
function withOthers(
  typescript: readonly Problem[] | undefined,
  document: vscode.TextDocument,
  { label }: ResolvedPath,
): readonly Problem[] {
  const told = toProblems(label, vscode.languages.getDiagnostics(document.uri));
  const others = typescript ? told.filter(({ source }) => source !== "ts" && source !== "js") : told;
  return [...(typescript ?? []), ...others].toSorted((one, other) => one.line - other.line);
}

async function allProblems(workspace: Workspace): Promise<readonly Problem[]> {
  const files = vscode.languages.getDiagnostics().filter(([uri]) => isFileUri(uri));
  const lists = await Promise.all(
    files.map(async ([uri, diagnostics]) => {
      const place = diagnostics.length > 0 ? await placeOf(workspace, uri) : undefined;
      return place && !place.ignored ? toProblems(place.label, diagnostics) : [];
    }),
  );
  return lists.flat();
}

/** Undefined for a file outside the workspace. */
async function placeOf(workspace: Workspace, uri: vscode.Uri): Promise<ResolvedPath | undefined> {
  return workspace.locate(pathOf(uri)).catch(() => undefined);
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

function openAt({ path }: ResolvedPath): vscode.TextDocument | undefined {
  const uri = uriOf(path).toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri);
}

/** Undefined for a file that the editor can't open: binary, huge, or missing. */
async function opened({ path }: ResolvedPath): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uriOf(path));
  } catch {
    return undefined;
  }
}

/** Waits until the editor has the current text of the file. */
async function reloaded(
  document: vscode.TextDocument,
  place: ResolvedPath,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<void> {
  // Located again, because the file may not have existed before the change.
  const content = await workspace.read(await workspace.locate(place.path));
  if (content.kind !== "text") return;
  const wanted = withLineEnd(content.file.text, "\n");
  const until = Date.now() + LONGEST_RELOAD_MS;
  while (withLineEnd(document.getText(), "\n") !== wanted && Date.now() < until) await pause(50, signal);
}

/** Diagnostics unchanged for this long count as complete. */
const QUIET_MS = 400;

/** How long the first diagnostics of a file may take. */
const FIRST_MS = { cold: 5_000, warm: 1_500, none: 300 };

/** Maximum wait for language services that keep reporting. */
const LONGEST_MS = 10_000;

/** Behavior of a language's services in this window so far. */
interface Manners {
  readonly waits: number;
  readonly talks: boolean;
}

const manners = new Map<string, Manners>();

/** Facts about the services before the wait. */
interface SettleWatch {
  /** The language's own service has already answered; others may still report. */
  readonly asked: boolean;
  readonly signal?: AbortSignal;
}

/** Waits until the language services seem to have checked a document, for a few seconds at most. */
async function settled(document: vscode.TextDocument, { asked, signal }: SettleWatch): Promise<void> {
  const started = Date.now();
  let last: number | undefined;
  const watching = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
    if (uris.some((uri) => uri.toString() === document.uri.toString())) last = Date.now();
  });
  const first = asked ? FIRST_MS.none : firstMs(document.languageId);
  const done = (): boolean => (last === undefined ? since(started) >= first : since(last) >= QUIET_MS);
  try {
    while (!done() && since(started) < LONGEST_MS) await pause(50, signal);
    const { waits, talks } = mannersOf(document.languageId);
    manners.set(document.languageId, { waits: waits + 1, talks: talks || last !== undefined });
  } finally {
    watching.dispose();
  }
}

/** Services get time to start once; silent ones aren't waited for again. */
function firstMs(language: string): number {
  const { waits, talks } = mannersOf(language);
  if (!hasService(language) || (!talks && waits > 1)) return FIRST_MS.none;
  return waits === 0 ? FIRST_MS.cold : FIRST_MS.warm;
}

function mannersOf(language: string): Manners {
  return manners.get(language) ?? { waits: 0, talks: false };
}

/** True when an extension with code is activated for the language. */
function hasService(language: string): boolean {
  return vscode.extensions.all.some(({ packageJSON }) => startsFor(packageJSON, `onLanguage:${language}`));
}

function startsFor(manifest: unknown, event: string): boolean {
  if (typeof manifest !== "object" || manifest === null) return false;
  if (!("main" in manifest || "browser" in manifest) || !("activationEvents" in manifest)) return false;
  return Array.isArray(manifest.activationEvents) && manifest.activationEvents.includes(event);
}

function since(time: number): number {
  return Date.now() - time;
}
