import { basename } from "node:path";
import * as vscode from "vscode";
import type { TextEncoding } from "../../core/ports/workspace.ts";
import { parseEditorEncoding } from "../../node/files/editor-encodings.ts";
import { convertPathToUri, convertUriToPath } from "./places.ts";

/** The encoding in which the editor has a file or would open it; undefined for UTF-8, or if the editor guesses. */
export function findEditorEncoding(path: string): TextEncoding | undefined {
  const open = vscode.workspace.textDocuments.find(({ uri }) => convertUriToPath(uri) === path);
  const name = open?.encoding ?? findEncodingInSettings(path);
  return name === undefined || name === "utf8" ? undefined : parseEditorEncoding(name);
}

function findEncodingInSettings(path: string): string | undefined {
  const uri = convertPathToUri(path);
  const files = vscode.workspace.getConfiguration("files", uri);
  const overriding = files.inspect<string>("encoding")?.languageIds ?? [];
  const languageId = overriding.find((id) => findLanguages(path).has(id));
  const settings = languageId === undefined ? files : vscode.workspace.getConfiguration("files", { uri, languageId });
  return settings.get<boolean>("autoGuessEncoding") ? undefined : settings.get<string>("encoding");
}

/** The languages that extensions have for a file's name. VS Code knows the language of open files only. */
function findLanguages(path: string): ReadonlySet<string> {
  const name = basename(path).toLowerCase();
  const ids = vscode.extensions.all.flatMap(({ packageJSON }) => {
    const languages: readonly ContributedLanguage[] = packageJSON.contributes?.languages ?? [];
    return languages
      .filter(({ extensions = [], filenames = [] }) =>
        [
          ...extensions.map((end) => name.endsWith(end.toLowerCase())),
          ...filenames.map((one) => name === one.toLowerCase()),
        ].some(Boolean),
      )
      .map(({ id }) => id);
  });
  return new Set(ids);
}

/** A row of `contributes.languages` in an extension's package.json. */
interface ContributedLanguage {
  readonly id: string;
  readonly extensions?: readonly string[];
  readonly filenames?: readonly string[];
}
