import { COMMAND } from "../../core/commands/command-traits.ts";
import type { CodeSearch, Workspace } from "../../core/ports/workspace.ts";
import { computeMaxOutcomeChars } from "../../core/prompt/entries.ts";
import type { Call } from "../../core/reply/reply.ts";
import type { FolderOutline, OutlineLimits } from "../../node/search/folder-outline.ts";
import { mayHoldSecrets } from "../../safety/paths/sensitive.ts";

/** A folder with more names isn't small. */
const MOST_NAMES = 200;
const WALK_MS = 500;
const SEARCH_MS = 5_000;

/** Limits on the files to show, and on all of their characters. */
const MOST_FILES = 40;
const MOST_CHARACTERS = 16_000;

/** Most files in one `read_file` call. */
const FILES_OF_CALL = 20;

/** Sources of the files that are shown. */
export interface OpeningSources {
  readonly workspace: Pick<Workspace, "locate" | "read">;
  readonly code: CodeSearch | undefined;
  /** Lists the files of the folders, without ignored ones. */
  buildOutline(limits: OutlineLimits): Promise<FolderOutline>;
}

/**
 * Selects calls that show files to a model that replies in whole files: all of a small folder, or else those that the task names or that
 * the code search finds. The calls are judged and run like the model's own. Secret files and files that git ignores are left out.
 */
export async function selectOpeningCalls(
  { workspace, code, buildOutline }: OpeningSources,
  { task, contextWindow }: { readonly task: string; readonly contextWindow: number },
): Promise<readonly Call[]> {
  const { labels, unread } = await buildOutline({
    names: MOST_NAMES,
    milliseconds: WALK_MS,
    isLeftOut: mayHoldSecrets,
  });
  const files = labels.filter((label) => !label.endsWith("/")).toSorted();
  const room = Math.min(MOST_CHARACTERS, computeMaxOutcomeChars(contextWindow));
  const all = unread.size === 0 && files.length <= MOST_FILES ? await measureFiles(workspace, files) : undefined;
  const isSmall = all && all.reduce((sum, { length }) => sum + length, 0) <= room;
  const shown = isSmall
    ? all
    : selectFitting(await measureFiles(workspace, await findLikelyFiles(files, task, { workspace, code })), room);
  const names = shown.map(({ label }) => label);
  return Array.from({ length: Math.ceil(names.length / FILES_OF_CALL) }, (_, index) => {
    const [filename = "", ...files] = names.slice(index * FILES_OF_CALL, (index + 1) * FILES_OF_CALL);
    return { name: COMMAND.read, args: { filename, source: true, ...(files.length > 0 ? { files } : {}) } };
  });
}

interface SizedFile {
  readonly label: string;
  /** Characters. */
  readonly length: number;
}

/** The text files among these that may be shown, with their lengths. */
async function measureFiles(
  workspace: OpeningSources["workspace"],
  labels: readonly string[],
): Promise<readonly SizedFile[]> {
  const found = await Promise.all(
    labels.map(async (label): Promise<SizedFile | undefined> => {
      const place = await workspace.locate(label).catch(() => undefined);
      if (place?.kind !== "file" || place.ignored || place.bytes > MOST_CHARACTERS) return undefined;
      const content = await workspace.read(place).catch(() => undefined);
      return content?.kind === "text" ? { label, length: content.file.text.length + label.length } : undefined;
    }),
  );
  return found.filter((one) => one !== undefined);
}

function selectFitting(files: readonly SizedFile[], room: number): readonly SizedFile[] {
  let left = room;
  return files.slice(0, MOST_FILES).filter(({ length }) => {
    if (length > left) return false;
    left -= length;
    return true;
  });
}

/** Files that a task may be about, the likeliest first. */
async function findLikelyFiles(
  files: readonly string[],
  task: string,
  { workspace, code }: Pick<OpeningSources, "workspace" | "code">,
): Promise<readonly string[]> {
  const named = files.filter((file) => task.includes(file) || task.includes(file.slice(file.lastIndexOf("/") + 1)));
  const written = task
    .slice(0, MOST_CHARACTERS)
    .split(/[^\w@./-]+|\.(?=\s|$)/)
    .filter((word) => /\w\.\w+$/.test(word));
  const root = await workspace.locate(".");
  const asked = { query: task.slice(0, 1_000), glob: undefined, count: 10 };
  const found = code
    ? await code(root, {
        ...asked,
        signal: AbortSignal.timeout(SEARCH_MS),
        reportProgress: () => undefined,
      }).catch(() => undefined)
    : undefined;
  const labels = [...named, ...written, ...(found?.places.map(({ label }) => label) ?? [])];
  return [...new Set(labels)].filter((label) => !mayHoldSecrets(label));
}
