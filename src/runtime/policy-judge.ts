import { join } from "node:path";
import { limitToOneCall } from "../core/base/async.ts";
import type { Disk } from "../core/ports/disk.ts";
import { type CallToJudge, type Explanation, explain } from "../safety/policy/explain.ts";
import type { Host } from "./host.ts";
import { createInertPrograms } from "./inert-programs.ts";
import { createRunFolderLister } from "./run-folders.ts";
import { createRunParts } from "./run-parts.ts";
import { createRunPolicy } from "./run-policy.ts";

/** The approvals under which calls are judged. */
export const JUDGE_MODES = ["ask", "readOnlyShell", "continuous", "grant", "plan", "isolated"] as const;
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
export async function createPolicyJudge(
  host: Host,
  { folder, mode, shellName, signal }: JudgeOptions,
): Promise<PolicyJudge> {
  const settings = setMode(host.getSettings(folder), mode);
  const folders = createRunFolderLister(host, folder);
  const judging: Host = {
    ...host,
    getSettings: () => settings,
    approver: { ...host.approver, isPresent: true },
    processes: {
      ...host.processes,
      disk: addBriefCache(host.processes.disk),
      createPrograms: async () => createInertPrograms(settings, shellName),
    },
    storage: { ...host.storage, listRuns: limitToOneCall(() => host.storage.listRuns()) },
  };
  const parts = await createRunParts(judging, {
    runHome: join(folder, ".autogpt", "judged"),
    folder,
    listFolders: folders,
    settings,
    spawn: () => Promise.reject(new Error("No agent is started while calls are judged.")),
  });
  if (mode === "continuous") parts.grants.startContinuous(settings.run.continuousLimit);
  if (mode === "grant") parts.grants.grantNext(1);
  const copied = { commands: parts.inCopy, folders: [{ path: folder, origin: folder }], places: [folder] };
  const policy = {
    ...createRunPolicy(judging, parts, { folder, id: "", isPlanning: () => mode === "plan" }),
    ...(mode === "isolated" ? { isolated: copied } : {}),
  };
  return (call) => explain(call, parts.commands, policy, signal);
}

function setMode(settings: ReturnType<Host["getSettings"]>, mode: JudgeMode): typeof settings {
  if (mode !== "readOnlyShell") return settings;
  return { ...settings, approval: { ...settings.approval, readOnlyShell: true } };
}

/** The disk's answers stay valid this long, because calls in quick succession repeat the same questions. */
const FRESH_MS = 3000;

function addBriefCache(disk: Disk): Disk {
  return {
    ...disk,
    findRepository: cacheBriefly(disk.findRepository.bind(disk)),
    findProgram: cacheBriefly(disk.findProgram.bind(disk)),
    resolveRealPaths: cacheBriefly(disk.resolveRealPaths.bind(disk)),
  };
}

function cacheBriefly<Args extends readonly unknown[], T>(act: (...args: Args) => T): (...args: Args) => T {
  const known = new Map<string, T>();
  let since = 0;
  return (...args) => {
    const now = performance.now();
    if (now - since > FRESH_MS) {
      known.clear();
      since = now;
    }
    const key = JSON.stringify(args);
    const result = known.get(key) ?? act(...args);
    known.set(key, result);
    return result;
  };
}
