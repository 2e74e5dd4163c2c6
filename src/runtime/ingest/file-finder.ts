import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import {
  catchWorkspaceErrors,
  findReadableSource,
  isReadable,
  type ReadDependencies,
} from "../../commands/files/read-sources.ts";
import type { ResolvedPath } from "../../core/ports/workspace.ts";
import type { FindFile, PresentFile } from "../../memory/recall/present-files.ts";
import { createNodeDocuments } from "../../node/documents/documents.ts";
import { createNodeNotebooks } from "../../node/documents/notebooks.ts";
import { createPreImages } from "../../runs/undo/pre-images.ts";
import type { Host } from "../host.ts";
import { createRunWorkspace, type RunFilesOptions } from "../run-files.ts";

/** The readers of a run's files: texts as they are in their editors, documents and notebooks as text. */
export function createRunReaders(host: Host, options: RunFilesOptions & { readonly runHome: string }) {
  const { documentWorker: worker } = host.processes;
  const disk = createRunWorkspace(host, { ...options, kept: createPreImages(options.runHome) });
  const workspace = host.workspace.guard(disk);
  const notebooks = createNodeNotebooks({ workspace, worker });
  return {
    disk,
    workspace,
    files: workspace,
    documents: createNodeDocuments({ files: workspace, workspace, worker }),
    notebooks: host.editor?.createNotebooks(notebooks) ?? notebooks,
  };
}

/** Larger files aren't compared with their memories. */
const MOST_BYTES = 20_000_000;

/** A file outside of the workspace that the user once added. The agent may not look at it. */
const OUTSIDE: PresentFile = { changedAt: Number.NEGATIVE_INFINITY, readText: async () => undefined };

/** Finds the files that memories come from, as the run's commands read them. */
export function createFileFinder(readers: ReadDependencies): FindFile {
  return async (source) => {
    if (isAbsolute(source)) return OUTSIDE;
    const place = await catchWorkspaceErrors(readers.workspace.locate(source));
    if (!isReadable(place) || place.kind !== "file") return undefined;
    return {
      changedAt: await readChangeTime(place),
      async readText(signal) {
        if (place.bytes > MOST_BYTES) return undefined;
        const whole = { filename: source, from: 1, to: undefined, isSource: false };
        const found = await catchWorkspaceErrors(findReadableSource(readers, whole, signal));
        const read = isReadable(found) ? await catchWorkspaceErrors(found.read({ signal })) : found;
        return isReadable(read) ? read.text : undefined;
      },
    };
  };
}

/** The time of the last change; unknown for a text in an editor, or in no file of this machine. */
async function readChangeTime({ path, unsaved }: ResolvedPath): Promise<number> {
  const stats = unsaved ? undefined : await stat(path).catch(() => undefined);
  // The time of the last change of its metadata, because a file that is moved here keeps that of its content.
  return stats ? Math.max(stats.mtimeMs, stats.ctimeMs) : Number.NaN;
}
