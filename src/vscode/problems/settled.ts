import * as vscode from "vscode";
import { pause } from "./pause.ts";

/** Diagnostics that have not changed for this long are taken as complete. */
const QUIET_MS = 400;

/** How long the first diagnostics of a file may take. */
const FIRST_MS = { cold: 5_000, warm: 1_500, none: 300 };

/** Language services that keep talking are listened to no longer than this. */
const LONGEST_MS = 10_000;

/** Languages whose services had their time to start. */
const warm = new Set<string>();

/** What is known of the services before the wait. */
export interface Settling {
  /** The language's own service has answered already; others may still talk. */
  readonly asked: boolean;
  readonly signal?: AbortSignal;
}

/** Waits until the language services have looked at a document, as far as that can be seen, and no longer than some seconds. */
export async function settled(document: vscode.TextDocument, { asked, signal }: Settling): Promise<void> {
  const started = Date.now();
  let last: number | undefined;
  const watching = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
    if (uris.some((uri) => uri.toString() === document.uri.toString())) last = Date.now();
  });
  const first = asked ? FIRST_MS.none : firstMs(document.languageId);
  const done = (): boolean => (last === undefined ? since(started) >= first : since(last) >= QUIET_MS);
  try {
    while (!done() && since(started) < LONGEST_MS) await pause(50, signal);
    warm.add(document.languageId);
  } finally {
    watching.dispose();
  }
}

function firstMs(language: string): number {
  if (!hasService(language)) return FIRST_MS.none;
  return warm.has(language) ? FIRST_MS.warm : FIRST_MS.cold;
}

/** True when some extension with code of its own starts for the language. */
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
