import { basename, dirname, join, relative, sep } from "node:path";
import { chooseCellMark, numberCells, renderCells } from "../../commands/notebooks/cell-text.ts";
import { isNotebook } from "../../core/ports/notebooks.ts";
import { findDocumentKind, type TextEncoding } from "../../core/ports/workspace.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import type { FolderFiles, FoundFile, HashedFile, SkippedFile } from "../../memory/recall/ingest-folder.ts";
import type { SkipReason } from "../../memory/recall/ingest-manifest.ts";
import type { DocumentThread } from "../../node/documents/document-thread.ts";
import { MOST_BYTES } from "../../node/documents/documents.ts";
import { readNotebook } from "../../node/documents/notebook-json.ts";
import { runInFolder } from "../../node/files/held-folder.ts";
import { ignoreRules } from "../../node/files/ignore-rules.ts";
import { addExcludes, type Excludes } from "../../node/search/excludes.ts";
import { decodeTextForSearch, SEARCHED_BYTES } from "../../node/search/search-query.ts";
import { readSmallFile, walk } from "../../node/search/walk.ts";
import { mayHoldSecrets } from "../../safety/paths/sensitive.ts";
import { fail } from "../../texts/display-text.ts";

/** Needs of reading a folder's files. */
export interface FolderFilesOptions {
  /** Real path of the workspace whose memory is filled. */
  readonly workspace: string;
  /** Real path of the folder. */
  readonly folder: string;
  /** Reads the documents; its creator closes it. */
  readonly documents: DocumentThread;
  /** Files and folders that settings leave out of searches. */
  getExcludes?(root: string): Excludes;
  /** The encoding that the user has set for a file. */
  findEncoding?(path: string): TextEncoding | undefined;
}

type Skip = Omit<SkippedFile, "source">;

/** Folders that programs manage, whose files no person wrote. */
const CLOSED = /(?:^|\/)(?:\.autogpt|\.git|\.hg|\.svn)(?:\/|$)/;

/** Longer texts aren't added. */
const MOST_CHARACTERS = 4_000_000;

/**
 * Finds the files below a folder that a search would show. Omits files that git, settings or the user's `.autogptignore` exclude, files
 * that may hold secrets, and files behind a link. Throws a sentence for a folder that can't be added.
 */
export async function findFolderFiles(options: FolderFilesOptions): Promise<FolderFiles> {
  const { workspace, folder } = options;
  const isInside = isAtOrBelow(folder, workspace);
  const root = isInside ? workspace : folder;
  const below = relative(root, folder).split(sep).join("/");
  const inRoot = below === "" ? "" : `${below}/`;
  const rules = addExcludes(ignoreRules(root), options.getExcludes?.(root) ?? { has: () => false, names: [] });
  const ignored = inRoot === "" ? undefined : await rules.matchFileOrFolder(below);
  if (ignored === "agent" || mayHoldSecrets(below || basename(folder)) || CLOSED.test(folder.split(sep).join("/")))
    fail("runs.memory.folderProtected", { folder });
  const prefix = isInside ? inRoot : `${folder.split(sep).join("/")}/`;
  const formatSource = (path: string): string => (isInside ? path : `${prefix}${path}`);
  const resolveSource = (source: string): string =>
    join(root, ...(isInside ? source : source.slice(prefix.length)).split("/"));
  const sources = ignored === undefined ? [] : [{ kind: "ignored-file", name: below } as const];
  return {
    prefix,
    ...(isInside ? { sources } : {}),
    async list(signal) {
      const [files, skipped]: [FoundFile[], SkippedFile[]] = [[], []];
      await walk({ root, relative: inRoot, rules }, signal, async ({ relative: path, kind, stat }) => {
        if (kind === "folder") return "go on";
        const source = formatSource(path);
        const reason = kind === "other" ? "link" : mayHoldSecrets(path) ? "protected" : undefined;
        const found = reason === undefined ? await stat() : undefined;
        if (found) files.push({ source, ...found });
        else skipped.push({ source, reason: reason ?? "unreadable" });
        return "go on";
      });
      return { files, skipped };
    },
    read: (file, signal) => readContent(resolveSource(file.source), file, options, signal),
  };
}

async function readContent(
  path: string,
  file: FoundFile,
  { documents, findEncoding }: FolderFilesOptions,
  signal: AbortSignal,
): Promise<HashedFile | Skip> {
  const kind = findDocumentKind(path);
  const most = kind === undefined || kind === "html" ? SEARCHED_BYTES : MOST_BYTES;
  if (file.bytes > most) return skip("large");
  const bytes = await runInFolder(dirname(path), (at) => readSmallFile(at(basename(path)), most)).catch(
    () => undefined,
  );
  if (!bytes) return skip("unreadable");
  const readText = async (): Promise<string | Skip> => {
    const plain = kind === undefined || kind === "html" ? await decodeTextForSearch(bytes, findEncoding?.(path)) : "";
    if (plain === undefined) return skip("binary");
    if (kind === undefined) return isNotebook(path) ? extractNotebookText(plain) : plain;
    const job = { kind, bytes: kind === "html" ? new TextEncoder().encode(plain) : new Uint8Array(bytes) };
    const reading = await documents.readText(job, signal);
    if ("error" in reading) return { reason: "unreadable", why: reading.error };
    return reading.text.length > MOST_CHARACTERS ? skip("large") : reading.text;
  };
  return { hash: await hashBytes(bytes), readText };
}

/** Computes a hash in another thread, because a document can be large. */
async function hashBytes(bytes: Buffer): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes))).toString("hex");
}

/** Extracts the sources of a notebook's cells; returns a file that isn't a notebook as it is. */
function extractNotebookText(text: string): string {
  try {
    const { cells } = readNotebook(text);
    return renderCells(numberCells(cells), chooseCellMark(cells));
  } catch {
    return text;
  }
}

function skip(reason: SkipReason): Skip {
  return { reason };
}
