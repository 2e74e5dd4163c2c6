import * as vscode from "vscode";
import { visible } from "../core/visible.ts";
import type { MemoryItem } from "../memory/memory-item.ts";
import type { MemorySearching } from "./memory-search.ts";

/** Opens what a memory is about: the lines of a file, the run of a step; else the memory itself, which names its source. */
export async function openMemorySource(
  parts: MemorySearching,
  folder: string,
  item: MemoryItem,
): Promise<void> {
  if (await openFile(folder, item)) return;
  if (item.kind === "episode" && item.run !== undefined && (await openRun(parts, item.run))) return;
  const { text, source, place } = item;
  const from = place ? `${source}, ${place}` : source;
  await parts.documents.show("Memory", visible(`From: ${from}\nKept: ${item.at}\n\n${text}`));
}

/** False for what is no file any more. */
async function openFile(folder: string, { kind, source, place = "" }: MemoryItem): Promise<boolean> {
  if (kind !== "file" && kind !== "note") return false;
  const uri = source.startsWith("/")
    ? vscode.Uri.file(source)
    : vscode.Uri.joinPath(vscode.Uri.file(folder), source);
  const inside = uri.path.startsWith(`${vscode.Uri.file(folder).path}/`);
  if (!inside || !(await isFile(uri))) return false;
  const [, from = "1", to = from] = /^lines (\d+) to (\d+)$/.exec(place) ?? [];
  const selection = new vscode.Range(Number(from) - 1, 0, Number(to), 0);
  await vscode.window.showTextDocument(uri, { preview: true, ...(place === "" ? {} : { selection }) });
  return true;
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return (await vscode.workspace.fs.stat(uri)).type === vscode.FileType.File;
  } catch {
    return false;
  }
}

/** False for a run that is no longer stored. */
async function openRun({ stored, runs }: MemorySearching, id: string): Promise<boolean> {
  const hosted = await stored.open(id).catch(() => undefined);
  if (!hosted) return false;
  runs.show(hosted.id);
  await vscode.commands.executeCommand("autogpt.openPanel");
  return true;
}
