import { removeMentionedTexts } from "../../core/base/mentioned-texts.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { isWaitingForReview, type RunSummary } from "../../runs/store/run-summary.ts";
import type { Welcome } from "../../schema/panel-values.ts";

const MAX_RUNS = 4;
const MAX_TASK = 4_000;

/** The user's last runs for the start page, newest first, without repeating a task. */
export function selectLastRuns(runs: readonly RunSummary[]): NonNullable<Welcome["lastRuns"]> {
  const own = runs
    .map((run) => ({ ...run, task: removeMentionedTexts(run.task) }))
    .filter(({ isAgent, task }) => !isAgent && task.trim() !== "")
    .toSorted((one, other) => other.startedAt.localeCompare(one.startedAt));
  const seen = new Set<string>();
  const distinct = own.filter(({ task }) => !seen.has(task) && seen.add(task));
  return distinct.slice(0, MAX_RUNS).map((run) => ({
    id: run.id,
    task: run.task.slice(0, MAX_TASK),
    title: run.title ?? run.task.split("\n", 1)[0] ?? "",
    state: run.state,
    ...omitUndefined({ toReview: isWaitingForReview(run) || undefined }),
  }));
}

/** A prompt file of the repository that a task can quote. */
export interface PromptFile {
  /** Its name without `.prompt.md`. */
  readonly name: string;
  /** Path relative to the workspace folder. */
  readonly file: string;
  readonly description: string;
  /** Without its front matter. */
  readonly text: string;
}

const FRONT_MATTER = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/;

/** Parses a prompt file. Uses only the description from its front matter, not its mode, model or tools. */
export function parsePromptFile(file: string, content: string): PromptFile {
  const [matter = "", fields = ""] = FRONT_MATTER.exec(content) ?? [];
  const described = /^description:[ \t]*(.*)$/m.exec(fields)?.[1]?.trim() ?? "";
  return {
    name: file.slice(file.lastIndexOf("/") + 1).replace(/\.prompt\.md$/, ""),
    file,
    description: described.replace(/^(["'])(.*)\1$/, "$2"),
    text: content.slice(matter.length).trim(),
  };
}
