import * as vscode from "vscode";
import { pause } from "./pause.ts";

/** Diagnostics that have not changed for this long are taken as complete. */
const QUIET_MS = 400;

/** How long the first diagnostics of a file may take. */
const FIRST_MS = { cold: 5_000, warm: 1_500, none: 300 };

/** Language services that keep talking are listened to no longer than this. */
const LONGEST_MS = 10_000;

/** What a language's services have been like so far in this window. */
interface Manners {
  readonly waits: number;
  readonly talks: boolean;
}

const manners = new Map<string, Manners>();

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
    const { waits, talks } = mannersOf(document.languageId);
    manners.set(document.languageId, { waits: waits + 1, talks: talks || last !== undefined });
  } finally {
    watching.dispose();
  }
}

/** The services get time to start once; those that never say anything are not waited for again and again. */
function firstMs(language: string): number {
  const { waits, talks } = mannersOf(language);
  if (!hasService(language) || (!talks && waits > 1)) return FIRST_MS.none;
  return waits === 0 ? FIRST_MS.cold : FIRST_MS.warm;
}

function mannersOf(language: string): Manners {
  return manners.get(language) ?? { waits: 0, talks: false };
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
