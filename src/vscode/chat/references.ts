import * as vscode from "vscode";
import { addReferences, type ChatReference } from "../../chat/references.ts";
import { quoteMentions, type ServerMentions } from "../workspace/mentioned-context.ts";
import { demandInBounds, isWorkspaceFile } from "../workspace/mentions.ts";

/** Builds a run's message with all its references, and lists the names of those that were left out. */
export async function buildChatMessage(
  request: Pick<vscode.ChatRequest, "prompt" | "references">,
  servers: ServerMentions,
): Promise<{ readonly text: string; readonly leftOut: readonly string[] }> {
  const known: ChatReference[] = [];
  const leftOut: string[] = [];
  for (const { id, range, value } of request.references) {
    if (value === undefined) continue;
    const reference = await readReference(value);
    if (reference) known.push({ ...reference, range });
    else leftOut.push(value instanceof vscode.Uri ? vscode.workspace.asRelativePath(value) : id);
  }
  const text = addReferences(request.prompt, known);
  return { text: await quoteMentions(text, servers, request.prompt), leftOut };
}

/** Undefined if a run can't or may not read the reference. Throws a sentence for a file that the user excludes from agents. */
async function readReference(value: unknown): Promise<ChatReference | undefined> {
  if (typeof value === "string") return { text: value };
  if (value instanceof vscode.Location) return readSelection(value);
  if (!(value instanceof vscode.Uri)) return undefined;
  await demandInBounds([value]);
  return (await isWorkspaceFile(value)) ? { file: vscode.workspace.asRelativePath(value) } : undefined;
}

async function readSelection({ uri, range }: vscode.Location): Promise<ChatReference> {
  await demandInBounds([uri]);
  const document = await vscode.workspace.openTextDocument(uri);
  return {
    file: vscode.workspace.asRelativePath(uri),
    lines: [range.start.line + 1, range.end.line + 1],
    text: document.getText(range),
  };
}
