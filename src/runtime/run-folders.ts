import { escapeInvisible } from "../core/base/text.ts";
import type { WorkspaceFolder } from "../schema/run-values.ts";
import type { Host } from "./host.ts";

/**
 * Lists the current folders of a run, its own first; none once its own was closed. A folder keeps its name when others are opened or
 * closed.
 */
export function createRunFolderLister(
  { workspace }: Pick<Host, "workspace">,
  folder: string,
  inPrompt?: readonly WorkspaceFolder[],
): () => readonly WorkspaceFolder[] {
  let wasOpen = false;
  let named = inPrompt;
  return () => {
    const isOpen = workspace.isOpen?.(folder) ?? false;
    wasOpen ||= isOpen;
    if (wasOpen && !isOpen) return [];
    const now = workspace.listFolders(folder, named);
    const closed = (named ?? []).filter((one) => !now.some(({ path }) => path === one.path));
    named = [...now, ...closed];
    return now;
  };
}

/**
 * Describes differences between the folders in a run's prompt and the current ones, as sentences for the model; undefined if there are
 * none.
 */
export function describeFolderChanges(
  inPrompt: readonly WorkspaceFolder[],
  now: readonly WorkspaceFolder[],
): string | undefined {
  const has = (all: readonly WorkspaceFolder[], one: WorkspaceFolder): boolean =>
    all.some(({ path }) => path === one.path);
  const name = (one: WorkspaceFolder): string => escapeInvisible(JSON.stringify(one.name));
  const gone = inPrompt.filter((one) => !has(now, one));
  const fresh = now.filter((one) => !has(inPrompt, one));
  if (gone.length + fresh.length === 0) return undefined;
  const moved = fresh.filter((one) => gone.some((before) => before.name === one.name));
  const isMoved = (one: WorkspaceFolder): boolean => moved.some((other) => other.name === one.name);
  const [added, removed] = [fresh, gone].map((all) => all.filter((one) => !isMoved(one)));
  return [
    ...moved.map(
      (one) =>
        `The folder ${name(one)} is at ${escapeInvisible(one.path)} now: use this path wherever its old one was used.`,
    ),
    ...(added ?? []).map(
      (one) =>
        `The user added the folder ${name(one)} (${escapeInvisible(one.path)}) to the workspace: you can use it.`,
    ),
    ...(removed ?? []).map(
      (one) => `The user removed the folder ${name(one)} from the workspace: you can't use its files any more.`,
    ),
  ].join(" ");
}
