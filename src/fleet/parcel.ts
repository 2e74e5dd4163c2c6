import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { createHarmlessGit } from "../node/git/git.ts";
import { findRepositoryAround } from "../node/git/repository.ts";
import { createYielder } from "../node/processes/event-loop.ts";
import { mayHoldSecrets } from "../safety/paths/sensitive.ts";
import { isSettingName } from "../schema/read-settings.ts";
import type { SettingName } from "../schema/settings.ts";
import { fail } from "../texts/display-text.ts";
import type { FleetParcel } from "./engine.ts";

const MOST_CHARACTERS = 400_000_000;

/** Counts what a task would send of a workspace folder. Nothing leaves this machine. */
export async function measureFolder(folder: string, signal: AbortSignal): Promise<FleetParcel> {
  const repository = (await findRepositoryAround(folder)) ?? fail("fleet.noRepository", { folder });
  const git = await createHarmlessGit(repository, signal);
  if ("why" in git) return fail("isolation.copy.git", { folder, why: git.why });
  const list = async (...which: readonly string[]): Promise<readonly string[]> => {
    const answer = await git(["ls-files", "-z", ...which], { most: MOST_CHARACTERS });
    return answer.ok ? answer.text.split("\0") : fail("isolation.copy.git", { folder, why: answer.why });
  };
  const tracked = await list("--cached");
  const added = await list("--others", "--exclude-standard");
  const sent = [...tracked, ...added.filter((name) => !mayHoldSecrets(join(repository.root, name)))];
  const pause = createYielder(signal);
  let files = 0;
  let bytes = 0;
  for (const name of new Set(sent)) {
    await pause();
    const found = await lstat(join(repository.root, name)).catch(() => undefined);
    if (!found?.isFile()) continue;
    files += 1;
    bytes += found.size;
  }
  return { files, bytes };
}

/** The settings that go with a task: which model thinks, and how much it may do. All others are those of the other machine. */
const SENT: ReadonlySet<SettingName> = new Set<SettingName>([
  "model.smart",
  "model.fast",
  "model.fallback",
  "model.temperature",
  "model.reasoningEffort",
  "model.thoughts",
  "model.replyFormat",
  "model.requestsPerMinute",
  "model.tokensPerMinute",
  "run.maxSteps",
  "run.maxReplies",
  "run.maxTokens",
  "run.maxMinutes",
  "run.budgetUsd",
]);

/** Those of some settings that go with a task. */
export function selectSentSettings(entries: Iterable<readonly [string, unknown]>): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...entries].filter(([name]) => isSettingName(name) && SENT.has(name)));
}
