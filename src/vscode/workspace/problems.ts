import * as vscode from "vscode";
import type { Problem, Problems, ResolvedPath, Workspace } from "../../core/ports/workspace.ts";
import { unifyLineEnds } from "../../editor/review/line-ends.ts";
import { ChangedFiles, type LanguageServices, pause } from "../../editor/review/new-problems.ts";
import { convertPathToUri, convertUriToPath, isFileUri } from "./places.ts";
import { fetchTypescriptProblems } from "./typescript-problems.ts";

/** Time for the editor to notice a file that changed on disk, in milliseconds. */
const LONGEST_RELOAD_MS = 2_000;

/** The problems that the editor's language services report in a workspace. Files are opened for them in the background, without a tab. */
export function createEditorProblems(workspace: Workspace): Problems {
  const changedFiles = new ChangedFiles(createLanguageServices(workspace));
  return {
    async list(place) {
      if (!place) return listAllProblems(workspace);
      if (place.kind !== "file") return [];
      const open = findOpenDocument(place);
      const document = open ?? (await openDocument(place));
      return document ? fetchFileProblems(document, place, { settle: !open }) : [];
    },
    expectChange: (place) => changedFiles.expect(place),
    findProblemsAfterChange: (place, signal) => changedFiles.announceChange(place, signal),
    collectLaterProblems: () => changedFiles.collectLaterProblems(),
  };
}

function createLanguageServices(workspace: Workspace): LanguageServices {
  return {
    async findProblemsBefore(place, changed) {
      const document = findOpenDocument(place) ?? (await openDocument(place));
      if (!document) return [];
      return changed() ? undefined : fetchTypescriptProblems(document, place.label).then((problems) => problems ?? []);
    },
    listCurrentProblems: ({ path, label }) =>
      toProblems(label, vscode.languages.getDiagnostics(convertPathToUri(path))),
    async follow(place, report, signal) {
      const document = findOpenDocument(place) ?? (await openDocument(place));
      if (!document) return;
      await waitForReload(document, place, workspace, signal);
      let typescript: readonly Problem[] | undefined;
      const tell = (): void => report(mergeOtherProblems(typescript, document, place));
      const telling = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        if (uris.some((uri) => uri.toString() === document.uri.toString())) tell();
      });
      try {
        typescript = await fetchTypescriptProblems(document, place.label, signal);
        tell();
        await waitUntilSettled(document, { asked: typescript !== undefined, signal });
        tell();
      } finally {
        telling.dispose();
      }
    },
  };
}

/** The problems of one file; with `settle`, after all services have checked it. */
async function fetchFileProblems(
  document: vscode.TextDocument,
  place: ResolvedPath,
  { settle }: { readonly settle: boolean },
): Promise<readonly Problem[]> {
  const typescript = await fetchTypescriptProblems(document, place.label);
  if (settle) await waitUntilSettled(document, { asked: typescript !== undefined });
  return mergeOtherProblems(typescript, document, place);
}

/** Merges the TypeScript server's problems with those of other services. */
function mergeOtherProblems(
  typescript: readonly Problem[] | undefined,
  document: vscode.TextDocument,
  { label }: ResolvedPath,
): readonly Problem[] {
  const told = toProblems(label, vscode.languages.getDiagnostics(document.uri));
  const others = typescript ? told.filter(({ source }) => source !== "ts" && source !== "js") : told;
  return [...(typescript ?? []), ...others].toSorted((one, other) => one.line - other.line);
}

async function listAllProblems(workspace: Workspace): Promise<readonly Problem[]> {
  const files = vscode.languages.getDiagnostics().filter(([uri]) => isFileUri(uri));
  const lists = await Promise.all(
    files.map(async ([uri, diagnostics]) => {
      const place = diagnostics.length > 0 ? await findPlace(workspace, uri) : undefined;
      return place && !place.ignored ? toProblems(place.label, diagnostics) : [];
    }),
  );
  return lists.flat();
}

/** Undefined for a file outside the workspace. */
async function findPlace(workspace: Workspace, uri: vscode.Uri): Promise<ResolvedPath | undefined> {
  return workspace.locate(convertUriToPath(uri)).catch(() => undefined);
}

function toProblems(label: string, diagnostics: readonly vscode.Diagnostic[]): readonly Problem[] {
  return diagnostics
    .filter(({ severity }) => severity !== vscode.DiagnosticSeverity.Hint)
    .map(({ range, severity, message, source = "" }) => ({
      label,
      line: range.start.line + 1,
      severity: getSeverityName(severity),
      message,
      source,
    }));
}

function getSeverityName(severity: vscode.DiagnosticSeverity): Problem["severity"] {
  if (severity === vscode.DiagnosticSeverity.Error) return "error";
  return severity === vscode.DiagnosticSeverity.Warning ? "warning" : "info";
}

function findOpenDocument({ path }: ResolvedPath): vscode.TextDocument | undefined {
  const uri = convertPathToUri(path).toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri);
}

/** Undefined for a file that the editor can't open: binary, huge, or missing. */
async function openDocument({ path }: ResolvedPath): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(convertPathToUri(path));
  } catch {
    return undefined;
  }
}

/** Waits until the editor has the current text of the file. */
async function waitForReload(
  document: vscode.TextDocument,
  place: ResolvedPath,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<void> {
  // Located again, because the file may not have existed before the change.
  const content = await workspace.read(await workspace.locate(place.path));
  if (content.kind !== "text") return;
  const wanted = unifyLineEnds(content.file.text, "\n");
  const until = Date.now() + LONGEST_RELOAD_MS;
  while (unifyLineEnds(document.getText(), "\n") !== wanted && Date.now() < until) await pause(50, signal);
}

/** Diagnostics unchanged for this long count as complete. */
const QUIET_MS = 400;

/** Time for the first diagnostics of a file, in milliseconds. */
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
async function waitUntilSettled(document: vscode.TextDocument, { asked, signal }: SettleWatch): Promise<void> {
  const started = Date.now();
  let last: number | undefined;
  const watching = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
    if (uris.some((uri) => uri.toString() === document.uri.toString())) last = Date.now();
  });
  const first = asked ? FIRST_MS.none : getFirstWaitMs(document.languageId);
  const isSettled = (): boolean =>
    last === undefined ? measureSince(started) >= first : measureSince(last) >= QUIET_MS;
  try {
    while (!isSettled() && measureSince(started) < LONGEST_MS) await pause(50, signal);
    const { waits, talks } = getManners(document.languageId);
    manners.set(document.languageId, { waits: waits + 1, talks: talks || last !== undefined });
  } finally {
    watching.dispose();
  }
}

/** Allows services time to start once. Silent services aren't awaited again. */
function getFirstWaitMs(language: string): number {
  const { waits, talks } = getManners(language);
  if (!hasService(language) || (!talks && waits > 1)) return FIRST_MS.none;
  return waits === 0 ? FIRST_MS.cold : FIRST_MS.warm;
}

function getManners(language: string): Manners {
  return manners.get(language) ?? { waits: 0, talks: false };
}

/** True when an extension with code is activated for the language. */
function hasService(language: string): boolean {
  return vscode.extensions.all.some(({ packageJSON }) => isActivatedBy(packageJSON, `onLanguage:${language}`));
}

function isActivatedBy(manifest: unknown, event: string): boolean {
  if (typeof manifest !== "object" || manifest === null) return false;
  if (!("main" in manifest || "browser" in manifest) || !("activationEvents" in manifest)) return false;
  return Array.isArray(manifest.activationEvents) && manifest.activationEvents.includes(event);
}

function measureSince(time: number): number {
  return Date.now() - time;
}
