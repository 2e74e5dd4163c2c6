import * as vscode from "vscode";
import type { CodeSymbol, ResolvedPath, SearchMatch, Symbols, Workspace } from "../../core/ports/workspace.ts";
import { pause } from "../../editor/review/new-problems.ts";
import { convertPathToUri, convertUriToPath, isFileUri } from "./places.ts";
import { fetchTypescriptProblems } from "./typescript-problems.ts";

/** How long to retry language services that have just started, in milliseconds. */
const LONGEST_MS = 6_000;
const AGAIN_MS = 300;

/** Number of files containing a name to open, so that their language services start. */
const MOST_FILES = 8;

/** Symbols from the editor's language services. Files are opened for them in the background, without a tab. */
export function createEditorSymbols(workspace: Workspace): Symbols {
  return {
    async find(name, signal) {
      const files = await openFilesContaining(workspace, name, signal);
      // A name that occurs nowhere is defined nowhere.
      return retryUntilFound(files.length > 0 ? LONGEST_MS : 0, signal, async () => {
        const known = await findInWorkspace(workspace, name);
        const local = known.some((one) => one.name === name) ? [] : await findInFiles(workspace, files, name);
        return sortExactFirst([...known, ...local], name);
      });
    },
    async findReferences(place, { line, column }, signal) {
      const document = await openDocument(place.path);
      if (!document) return [];
      const at = new vscode.Position(line - 1, column - 1);
      const name = document.getText(document.getWordRangeAtPosition(at));
      await openFilesContaining(workspace, name, signal);
      // While TypeScript loads a project, it knows only open files. It reports problems once it has loaded everything.
      await fetchTypescriptProblems(document, place.label, signal);
      const found = await retryUntilFound(LONGEST_MS, signal, () =>
        ask<vscode.Location>("executeReferenceProvider", document.uri, at),
      );
      const matches = await Promise.all(found.map((location) => findMatch(workspace, location)));
      return matches.filter((match) => match !== undefined);
    },
  };
}

/** Asks until there is a result or the time is up. */
async function retryUntilFound<T>(
  longestMs: number,
  signal: AbortSignal,
  look: () => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const until = Date.now() + longestMs;
  for (;;) {
    signal.throwIfAborted();
    const found = await look();
    if (found.length > 0 || Date.now() >= until) return found;
    await pause(AGAIN_MS, signal);
  }
}

/** Opens the files that contain a name, so that their language services know them. */
async function openFilesContaining(
  workspace: Workspace,
  name: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const root = await workspace.locate(".");
  const { matches } = await workspace.search(root, { pattern: name, regex: false, limit: 200, signal });
  const labels = [...new Set(matches.map(({ label }) => label))].slice(0, MOST_FILES);
  const places = await Promise.all(labels.map((label) => workspace.locate(label)));
  for (const { path } of places) await openDocument(path);
  return places.map(({ path }) => path);
}

async function findInWorkspace(workspace: Workspace, name: string): Promise<readonly CodeSymbol[]> {
  const found = await ask<vscode.SymbolInformation>("executeWorkspaceSymbolProvider", name);
  const symbols = await Promise.all(
    found
      .filter((one) => one.name.toLowerCase().includes(name.toLowerCase()))
      .map(async ({ name: own, kind, location, containerName }) => {
        const label = await findLabel(workspace, location.uri);
        if (label === undefined) return undefined;
        return {
          name: stripParentheses(own),
          kind: formatSymbolKind(kind),
          label,
          line: location.range.start.line + 1,
          within: containerName,
        };
      }),
  );
  return symbols.filter((one) => one !== undefined);
}

/** Searches file by file, for languages whose services don't know the whole workspace. */
async function findInFiles(
  workspace: Workspace,
  files: readonly string[],
  name: string,
): Promise<readonly CodeSymbol[]> {
  const lists = await Promise.all(
    files.map(async (path) => {
      const uri = convertPathToUri(path);
      const label = await findLabel(workspace, uri);
      const tops = await ask<vscode.DocumentSymbol>("executeDocumentSymbolProvider", uri);
      return label === undefined ? [] : flattenSymbols(tops, "").map((one) => ({ ...one, label }));
    }),
  );
  return lists.flat().filter((one) => one.name === name);
}

function flattenSymbols(symbols: readonly vscode.DocumentSymbol[], within: string): Omit<CodeSymbol, "label">[] {
  return symbols.flatMap(({ name, kind, selectionRange, children = [] }) => [
    {
      name: stripParentheses(name),
      kind: formatSymbolKind(kind),
      line: (selectionRange?.start.line ?? 0) + 1,
      within,
    },
    ...flattenSymbols(children, name),
  ]);
}

function sortExactFirst(symbols: readonly CodeSymbol[], name: string): readonly CodeSymbol[] {
  return symbols.toSorted((one, other) => Number(other.name === name) - Number(one.name === name));
}

/** A use of a name. Untrusted files, such as installed packages, are named but not quoted. */
async function findMatch(workspace: Workspace, { uri, range }: vscode.Location): Promise<SearchMatch | undefined> {
  const place = await findPlace(workspace, uri);
  const document = place && (await openDocument(convertUriToPath(uri)));
  if (!place || !document) return undefined;
  const line = range.start.line;
  const text = place.ignored ? "(in a file that git ignores)" : document.lineAt(line).text;
  return { label: place.label, line: line + 1, text };
}

async function findLabel(workspace: Workspace, uri: vscode.Uri): Promise<string | undefined> {
  return (await findPlace(workspace, uri))?.label;
}

/** Undefined for a file outside the workspace or one that is ignored. */
async function findPlace(workspace: Workspace, uri: vscode.Uri): Promise<ResolvedPath | undefined> {
  return isFileUri(uri) ? workspace.locate(convertUriToPath(uri)).catch(() => undefined) : undefined;
}

async function openDocument(path: string): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(convertPathToUri(path));
  } catch {
    return undefined;
  }
}

/** Results of the services; none if there is no service. */
async function ask<T>(what: string, ...args: readonly unknown[]): Promise<readonly T[]> {
  try {
    return (await vscode.commands.executeCommand<readonly T[] | undefined>(`vscode.${what}`, ...args)) ?? [];
  } catch {
    return [];
  }
}

/** TypeScript adds parentheses to function names. */
function stripParentheses(name: string): string {
  return name.replace(/\(.*\)$/, "");
}

function formatSymbolKind(kind: vscode.SymbolKind): string {
  return (vscode.SymbolKind[kind] ?? "name").replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
