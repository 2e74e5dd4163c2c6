import { isDeepStrictEqual } from "node:util";
import { escapeInvisible } from "../../core/base/text.ts";
import { readFileText, readLinkedText } from "../../disk/plain-file.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import { type ImportedServer, parseImportedServers, type ServersFile } from "./import-servers.ts";
import { parseMcpServer } from "./servers.ts";

/** A server that can be imported, or the reason why it can't. */
export interface ImportRow extends ImportedServer {
  /** Everything that would run or be reached, on separate lines. */
  readonly shown: string;
}

const MOST_BYTES = 5_000_000;

/** Reads the files that exist. Folders, huge files and a workspace's links count as missing. */
export async function readServersFiles(places: readonly Omit<ServersFile, "text">[]): Promise<readonly ServersFile[]> {
  const read = places.map(async (place) => {
    const text = await readServersFile(place).catch(() => "");
    return text === "" ? [] : [{ ...place, text }];
  });
  return (await Promise.all(read)).flat();
}

/** Follows links in users' own files; in a workspace, a link may lead anywhere. */
async function readServersFile({ path, folder }: Omit<ServersFile, "text">): Promise<string> {
  return folder === undefined ? readLinkedText(path, MOST_BYTES) : readFileText(path, MOST_BYTES);
}

/** The servers in some files, except those that the setting already has. If two have the same name, the later one can't be imported. */
export function importRows(
  files: readonly ServersFile[],
  existing: Readonly<Record<string, unknown>>,
): readonly ImportRow[] {
  const taken = new Map(Object.entries(existing));
  return files.flatMap(listServers).flatMap((server) => {
    const before = taken.get(server.id);
    if (isDeepStrictEqual(before, server.values)) return [];
    // Values of variables may decide what runs. Secrets among them are inputs by now.
    const { shown, problem: wrong } = parseMcpServer(server.id, server.values, "workspace");
    const clash = before === undefined ? undefined : displayText("plugins.importTaken", { name: server.id });
    const problem = server.problem ?? wrong ?? clash;
    if (problem === undefined) taken.set(server.id, server.values);
    return [{ ...server, shown, ...(problem ? { problem } : {}) }];
  });
}

function listServers(file: ServersFile): readonly ImportedServer[] {
  try {
    return parseImportedServers(file) ?? [];
  } catch {
    // Its objects are deeper than the parser can go.
    return [];
  }
}

/** Converts rows to entries of the setting. */
export function convertRowsToEntries(rows: readonly ImportRow[]): Readonly<Record<string, ImportRow["values"]>> {
  return Object.fromEntries(rows.map(({ id, values }) => [id, values]));
}

/** A row as lines for people. `say` writes its sentences in their language. */
export function formatImportRow(row: ImportRow, say: (sentence: Sentence) => string): string {
  const { id, path, shown, remarks, problem } = row;
  const notes = [...(problem === undefined ? [] : [problem]), ...remarks].map(say);
  return [`${id} (${escapeInvisible(path)})`, ...shown.split("\n"), ...notes].join("\n  ");
}
