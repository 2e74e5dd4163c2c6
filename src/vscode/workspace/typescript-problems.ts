import * as vscode from "vscode";
import type { Problem } from "../../core/ports/workspace.ts";
import { pause } from "../../editor/review/new-problems.ts";

const LANGUAGES: ReadonlySet<string> = new Set(["javascript", "javascriptreact", "typescript", "typescriptreact"]);

/** If the server takes longer, it's starting or busy. */
const LONGEST_MS = 10_000;

/**
 * Asks VS Code's TypeScript server about a document, since the server automatically checks only files with a tab. Undefined for other
 * languages, or if the server doesn't answer.
 */
export async function fetchTypescriptProblems(
  document: vscode.TextDocument,
  label: string,
  signal?: AbortSignal,
): Promise<readonly Problem[] | undefined> {
  if (!LANGUAGES.has(document.languageId)) return undefined;
  const [syntax, semantics] = await Promise.all(
    ["syntacticDiagnosticsSync", "semanticDiagnosticsSync"].map((request) =>
      requestDiagnostics(request, document.uri, signal),
    ),
  );
  if (!syntax || !semantics) return undefined;
  const source = document.languageId.startsWith("typescript") ? "ts" : "js";
  return [...syntax, ...semantics].flatMap((diagnostic) => convertDiagnostic(diagnostic, label, source) ?? []);
}

async function requestDiagnostics(
  request: string,
  file: vscode.Uri,
  signal?: AbortSignal,
): Promise<readonly unknown[] | undefined> {
  const stop = new AbortController();
  const answer = Promise.resolve(
    vscode.commands.executeCommand<unknown>("typescript.tsserverRequest", request, { file }),
  ).catch(() => undefined);
  const until = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]);
  const response = await Promise.race([answer, pause(LONGEST_MS, until).catch(() => undefined)]);
  stop.abort();
  signal?.throwIfAborted();
  const isAnswer = typeof response === "object" && response !== null && "body" in response;
  return isAnswer && Array.isArray(response.body) ? response.body : undefined;
}

/** A diagnostic of the server's protocol. */
function convertDiagnostic(diagnostic: unknown, label: string, source: string): Problem | undefined {
  if (typeof diagnostic !== "object" || diagnostic === null) return undefined;
  if (!("text" in diagnostic && "start" in diagnostic && "category" in diagnostic)) return undefined;
  const { text, start, category } = diagnostic;
  if (typeof text !== "string" || category === "suggestion") return undefined;
  if (typeof start !== "object" || start === null || !("line" in start)) return undefined;
  if (typeof start.line !== "number") return undefined;
  const severity = category === "error" ? "error" : category === "warning" ? "warning" : "info";
  return { label, line: start.line, severity, message: text, source };
}
