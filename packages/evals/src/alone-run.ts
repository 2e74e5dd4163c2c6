import {
  assertNever,
  type Call,
  COMMAND,
  type Completion,
  createNodeWorkspace,
  type FolderWorkspace,
  getErrorMessage,
  type MainModel,
  ModelError,
  omitUndefined,
  type RunEnd,
  readReply,
  WorkspaceError,
} from "../../../src/headless/library.ts";
import { listFolderFiles, readFolderText } from "./graders.ts";
import type { Attempt, AttemptOptions } from "./measure.ts";

const ROLE =
  "You change the files of a project. Reply with each file that is new or has to change, in full: a line `File: PATH`, then a fenced block with all of its text. To delete a file, write `Delete: PATH`. Write nothing else.";

/** Limit on the reply, unless the window is small. */
const MOST_REPLY_TOKENS = 4_096;

/** A change that a reply requests. */
type FileChange =
  | { readonly kind: "write"; readonly path: string; readonly text: string }
  | { readonly kind: "delete"; readonly path: string }
  | { readonly kind: "rename"; readonly path: string; readonly to: string };

/** A model without an agent. */
export type LoneModel = Pick<MainModel, "model" | "temperature">;

/**
 * Lets the model alone do a task, in one request with all files of the folder; the reply contains whole files. This measures the model's
 * own ability, which an agent should always reach. Throws only for a bug.
 */
export async function runModelAlone(
  { model, temperature }: LoneModel,
  { task, folder, signal, handleReplyPiece }: AttemptOptions,
): Promise<Attempt> {
  const request = {
    messages: [
      { role: "system", content: ROLE },
      { role: "user", content: `${task.task}\n\n${await renderFolderFiles(folder)}` },
    ],
    maxReplyTokens: Math.min(MOST_REPLY_TOKENS, Math.floor(model.contextWindow / 2)),
    ...(temperature === null ? {} : { temperature }),
  } as const;
  try {
    const completion = await model.complete(request, { signal, delta: handleReplyPiece });
    const changes = readChanges(completion);
    const ignored = await applyChanges(changes, folder);
    return {
      end: createReplyEnd(completion),
      events: [],
      counts: { ...computeReplyCounts(completion), ...computeReplyResults(changes, ignored) },
      remark: describeLeftOutChanges(changes, ignored),
      log: formatLogLines([request, completion, { ignored }]),
    };
  } catch (error) {
    if (!signal.aborted && !(error instanceof ModelError)) throw error;
    const end: RunEnd = signal.aborted ? { reason: "stopped" } : { reason: "failed", error: getErrorMessage(error) };
    return { end, events: [], counts: { ...NO_REPLY, usd: 0 }, log: formatLogLines([request, end]) };
  }
}

/** The folder's files with their texts, excluding names that begin with a dot and files that aren't text. */
async function renderFolderFiles(folder: string): Promise<string> {
  const paths = (await listFolderFiles(folder)).filter((path) => !path.startsWith("."));
  const shown = await Promise.all(
    paths.map(async (path) => {
      const text = await readFolderText(folder, path);
      return text === undefined || text.includes("\0") ? [] : [`File: ${path}\n\`\`\`\n${text}\n\`\`\``];
    }),
  );
  return shown.flat().join("\n\n");
}

/** The changes in a reply with whole files, parsed as the agent does; none if the reply can't be read. */
function readChanges(completion: Completion): readonly FileChange[] {
  const reply = readReply(completion, { format: "files" });
  return reply.kind === "unreadable" ? [] : [reply.call, ...(reply.also ?? [])].flatMap(convertCall);
}

function convertCall({ name, args }: Call): readonly FileChange[] {
  switch (name) {
    case COMMAND.write:
      return [{ kind: "write", path: String(args.filename), text: String(args.contents) }];
    case COMMAND.delete:
      return [{ kind: "delete", path: String(args.filename) }];
    case COMMAND.move:
      return [{ kind: "rename", path: String(args.source), to: String(args.destination) }];
    default:
      return [];
  }
}

/** Makes the changes in the folder. Returns a sentence for each change that can't be made. */
async function applyChanges(changes: readonly FileChange[], folder: string): Promise<readonly string[]> {
  const workspace = createNodeWorkspace({ folders: [{ name: "workspace", path: folder }] });
  const ignored: string[] = [];
  for (const change of changes)
    try {
      await makeChange(change, workspace);
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error;
      ignored.push(error.message);
    }
  return ignored;
}

async function makeChange(change: FileChange, workspace: FolderWorkspace): Promise<void> {
  switch (change.kind) {
    case "write":
      return workspace.writeBytes(await workspace.locate(change.path, "new"), Buffer.from(change.text));
    case "delete":
      return void (await workspace.remove(await workspace.locate(change.path)));
    case "rename": {
      const source = await workspace.locate(change.path);
      const target = await workspace.locate(change.to, "new");
      if (source.kind !== "file") throw new WorkspaceError(`There is no file "${source.label}".`);
      if (source.path === target.path) return;
      if (target.kind === "file") await workspace.remove(target);
      return workspace.move(source, await workspace.locate(change.to, "new"));
    }
    default:
      return assertNever(change);
  }
}

function createReplyEnd({ finish, text }: Completion): RunEnd {
  return finish === "length" ? { reason: "exhausted", limit: "tokens" } : { reason: "finished", summary: text };
}

const NO_REPLY: Attempt["counts"] = {
  steps: 0,
  replies: 0,
  unreadable: 0,
  invalid: 0,
  refused: 0,
  input: 0,
  cached: 0,
  output: 0,
};

function computeReplyCounts({ usage, costUsd }: Completion): Attempt["counts"] {
  return {
    ...NO_REPLY,
    replies: 1,
    input: usage?.input ?? 0,
    cached: usage?.cached ?? 0,
    output: usage?.output ?? 0,
    ...omitUndefined({ usd: costUsd }),
  };
}

/** The results of a reply in a run's numbers: its changes count as one step. */
function computeReplyResults(changes: readonly FileChange[], ignored: readonly string[]) {
  return {
    steps: changes.length > ignored.length ? 1 : 0,
    unreadable: changes.length === 0 ? 1 : 0,
    refused: ignored.length,
  };
}

function describeLeftOutChanges(changes: readonly FileChange[], ignored: readonly string[]): string | undefined {
  if (changes.length === 0) return "The reply has no file.";
  return ignored.length === 0 ? undefined : `Left out: ${ignored.join(" ")}`;
}

function formatLogLines(entries: readonly object[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}
