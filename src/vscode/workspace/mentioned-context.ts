import { access } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { hasSucceeded } from "../../core/base/async.ts";
import { removeMentionedTexts } from "../../core/base/mentioned-texts.ts";
import { isUriPath } from "../../core/base/uri-path.ts";
import {
  addMentionedTexts,
  createMentionTitle,
  type MentionedText,
  type MentionSources,
} from "../../editor/panel/mentions.ts";
import { findNodeGit } from "../../node/git/git.ts";
import type { PluginCatalog } from "../../plugins/catalog.ts";
import type { PluginPlace } from "../../plugins/plugin.ts";
import { readMentionedResources } from "../../plugins/resource-mentions.ts";
import type { OwnCommand } from "../../runtime/instructions/own-commands.ts";
import { readGitChanges } from "../../runtime/picture/git-state.ts";
import type { MentionContext } from "../../schema/panel-messages.ts";
import type { Sentence } from "../../texts/display-text.ts";
import type { EditorIssues } from "../code-host/issues.ts";
import { readSettings } from "../host/settings.ts";
import { findLikelyFolder, openFolders } from "./folders.ts";
import { demandInBounds, isWorkspaceFile } from "./mentions.ts";
import { convertPathToUri, isFileUri } from "./places.ts";

/** The commands of one's own that a task can quote. */
interface QuotedWords {
  listCommands(): Promise<readonly OwnCommand[]>;
  /** The quoted text of the command that a message begins with, if it begins with one. */
  quoteCommand(typed: string, tell: (text: Sentence) => void): Promise<readonly string[]>;
  findPrompt(name: string): Promise<MentionedText | undefined>;
}

/** Dependencies of quoting mentions. */
export interface MentionParts {
  readonly issues: Pick<EditorIssues, "read">;
  readonly plugins: Pick<PluginCatalog, "list">;
  readonly ownWords: QuotedWords;
  /** The end of an earlier run; absent where none can be quoted. */
  readonly readRun?: MentionSources["readRun"];
  /** Shows the user that something couldn't be read. */
  tell(problem: Sentence): void;
}

/**
 * Appends the text of the command that a task or message begins with, and the texts that it mentions, as quotes. Servers are asked only for mentions in `typed`, the part that the user has
 * written. If the text already has quotes, it was processed when its profile was drafted.
 */
export async function quoteMentions(
  text: string,
  { plugins, issues, ownWords, readRun = async () => undefined, tell }: MentionParts,
  typed = removeMentionedTexts(text) === text ? text : "",
): Promise<string> {
  if (typed === "") return text;
  const commands = await ownWords.quoteCommand(typed, tell);
  const whole = await addMentionedTexts(text, {
    ...SOURCES,
    readRun,
    readPrompt: (name) => ownWords.findPrompt(name),
    readIssue: (name) => issues.read(name),
  });
  const { blocks, problems } = await readMentionedResources(typed, plugins, createPluginPlace(findLikelyFolder()));
  problems.forEach(tell);
  return [whole, ...commands, ...blocks].join("\n\n");
}

/** A folder of the window for plugin sources. The user's own plugins don't need a folder. */
export function createPluginPlace(folder = ""): PluginPlace {
  const settings = folder === "" ? readSettings() : readSettings(convertPathToUri(folder));
  return { folder, isTrusted: vscode.workspace.isTrusted && folder !== "", settings };
}

const SOURCES: Pick<MentionSources, "readSelection" | "readProblems" | "readGitChanges"> = {
  readSelection: findSelectedText,
  readProblems: describeReportedProblems,
  readGitChanges: describeRepositoryState,
};

/** The title of a run with mentions whose texts are quoted; undefined for a task without them, which is its own title. */
export async function findTaskTitle(task: string, ownWords: QuotedWords): Promise<string | undefined> {
  const typed = removeMentionedTexts(task);
  return typed === task ? undefined : createMentionTitle(typed, await ownWords.listCommands());
}

/** The kinds of context that have something to add right now. */
export async function findAvailableContexts(
  hasTerminals: boolean,
  ownWords: QuotedWords,
): Promise<ReadonlySet<MentionContext>> {
  const folder = findLikelyFolder();
  const hasGit = folder !== undefined && !isUriPath(folder) && (await hasSucceeded(access(join(folder, ".git"))));
  const found: readonly [MentionContext, boolean][] = [
    ["selection", vscode.window.activeTextEditor?.selection.isEmpty === false],
    ["problems", listSevereDiagnostics().length > 0],
    ["git", hasGit],
    ["file", folder !== undefined],
    ["folder", folder !== undefined],
    ["terminal", hasTerminals],
    ["url", true],
    ["issue", hasGit && vscode.workspace.isTrusted],
    ["prompt", (await ownWords.listCommands()).length > 0],
  ];
  return new Set(found.filter(([, isThere]) => isThere).map(([kind]) => kind));
}

async function findSelectedText(): Promise<MentionedText | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.selection.isEmpty) return undefined;
  const { document, selection } = editor;
  await demandInBounds([document.uri]);
  const label = vscode.workspace.asRelativePath(document.uri);
  const lines = `lines ${selection.start.line + 1} to ${selection.end.line + 1}`;
  return { source: `${label}, ${lines}`, text: document.getText(selection) };
}

const MAX_PROBLEMS = 60;

type Diagnosed = readonly [vscode.Uri, readonly vscode.Diagnostic[]];

/** Errors and warnings of files on the disk. */
function listSevereDiagnostics(): readonly Diagnosed[] {
  return vscode.languages
    .getDiagnostics()
    .filter(([uri]) => isFileUri(uri))
    .map(([uri, all]): Diagnosed => [uri, all.filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning)])
    .filter(([, severe]) => severe.length > 0);
}

async function describeReportedProblems(): Promise<MentionedText> {
  const lines: { readonly severity: vscode.DiagnosticSeverity; readonly line: string }[] = [];
  for (const [uri, diagnostics] of listSevereDiagnostics()) {
    if (!(await isWorkspaceFile(uri))) continue;
    const label = vscode.workspace.asRelativePath(uri);
    for (const { severity, range, message } of diagnostics) {
      const kind = severity === vscode.DiagnosticSeverity.Error ? "error" : "warning";
      lines.push({ severity, line: `${label}:${range.start.line + 1}: ${kind}: ${message}` });
    }
  }
  if (lines.length === 0) return { source: "the editor's problems", text: "no problems" };
  const shown = lines.toSorted((one, other) => one.severity - other.severity).slice(0, MAX_PROBLEMS);
  const more = lines.length > MAX_PROBLEMS ? [`[${lines.length - MAX_PROBLEMS} more]`] : [];
  return { source: "the editor's problems", text: [...shown.map(({ line }) => line), ...more].join("\n") };
}

async function describeRepositoryState(): Promise<MentionedText | undefined> {
  const folder = findLikelyFolder();
  const git = findNodeGit();
  if (folder === undefined || isUriPath(folder) || !git || !vscode.workspace.isTrusted) return undefined;
  const folders = openFolders().map(({ path }) => path);
  const text = await readGitChanges(git, folder, folders, new AbortController().signal);
  return text === undefined ? undefined : { source: "git status", text };
}
