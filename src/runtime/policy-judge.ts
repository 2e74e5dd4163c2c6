import { join } from "node:path";
import type { Disk } from "../core/ports/disk.ts";
import { type CallToJudge, type Explanation, explain } from "../safety/policy/explain.ts";
import type { WorkspaceFolder } from "../schema/run-values.ts";
import type { Host } from "./host.ts";
import { inertPrograms } from "./inert-programs.ts";
import { runParts } from "./run-parts.ts";
import { runPolicy } from "./run-policy.ts";

/** The approvals under which calls are judged. */
export const JUDGE_MODES = ["ask", "readOnlyShell", "continuous", "grant", "plan"] as const;
export type JudgeMode = (typeof JUDGE_MODES)[number];

/** Options for judging calls. */
export interface JudgeOptions {
  /** Real path of the workspace folder. */
  readonly folder: string;
  readonly mode: JudgeMode;
  /** The shell for which command lines are written. */
  readonly shellName: string;
  readonly signal: AbortSignal;
}

/** Judges each call alone. */
export type PolicyJudge = (call: CallToJudge) => Promise<Explanation>;

/** Judges calls with the commands and the policy of a run that is composed like any other, but never started. */
export async function policyJudge(
  host: Host,
  { folder, mode, shellName, signal }: JudgeOptions,
): Promise<PolicyJudge> {
  const settings = withMode(host.settings(folder), mode);
  const folders: readonly WorkspaceFolder[] = host.workspace.folders(folder);
  const judging: Host = {
    ...host,
    settings: () => settings,
    approver: { ...host.approver, isPresent: true },
    processes: {
      ...host.processes,
      disk: withRepositoryCache(host.processes.disk),
      programs: inertPrograms(settings, shellName),
    },
    storage: { ...host.storage, runs: once(() => host.storage.runs()) },
  };
  const parts = await runParts(judging, {
    runHome: join(folder, ".autogpt", "judged"),
    folder,
    folders,
    settings,
    spawn: () => Promise.reject(new Error("No agent is started while calls are judged.")),
  });
  if (mode === "continuous") parts.grants.startContinuous(settings.run.continuousLimit);
  if (mode === "grant") parts.grants.grantNext(1);
  const policy = { ...runPolicy(judging, parts, folder), planning: () => mode === "plan" };
  return (call) => explain(call, parts.commands, policy, signal);
}

function withMode(settings: ReturnType<Host["settings"]>, mode: JudgeMode): typeof settings {
  if (mode !== "readOnlyShell") return settings;
  return { ...settings, approval: { ...settings.approval, readOnlyShell: true } };
}

/** A repository stays known this long, so that calls in quick succession don't each ask git for it. */
const FRESH_MS = 1000;

function withRepositoryCache(disk: Disk): Disk {
  const known = new Map<string, { readonly found: ReturnType<Disk["repository"]>; readonly at: number }>();
  return {
    ...disk,
    repository(folder, folders) {
      const cached = known.get(folder);
      if (cached && performance.now() - cached.at < FRESH_MS) return cached.found;
      const found = disk.repository(folder, folders);
      known.set(folder, { found, at: performance.now() });
      return found;
    },
  };
}

function once<T>(act: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= act();
    return result;
  };
}
