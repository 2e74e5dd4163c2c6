import { join } from "node:path";
import { estimateTokens } from "../../src/core/context/tokens.ts";
import type { ModelPair } from "../../src/core/events/run.ts";
import { grammar } from "../../src/headless/workers.ts";
import { foldersOfRun } from "../../src/node/files/roots.ts";
import { policyDisk } from "../../src/node/policy-disk.ts";
import { shellProgram } from "../../src/node/processes/programs.ts";
import type { Host } from "../../src/runtime/host.ts";
import { unattendedApprover } from "../../src/safety/policy/with-policy.ts";
import { shellLanguage } from "../../src/safety/shell/load.ts";
import { DEFAULT_SETTINGS } from "../../src/schema/read-settings.ts";
import type { Settings } from "../../src/schema/settings.ts";
import { sha256 } from "../../src/sha256.ts";
import { NO_WATCH } from "./undo-bench.ts";

/** Differences of a test's host from the plainest one. */
export type TestHostOptions = Partial<Omit<Host, "settings" | "models">> & {
  /** The folder of what can't be kept in the workspace. */
  readonly data: string;
  readonly models: ModelPair;
  readonly settings?: Settings;
};

/** A host with nobody to ask and without memory, over real files. */
export function testHost({ data, models, settings = TEST_SETTINGS, ...differences }: TestHostOptions): Host {
  return {
    kind: "commandLine",
    workspace: {
      isTrusted: () => true,
      folders: (folder, named) => foldersOfRun(folder, [], named),
      guard: (base) => base,
      trash: (fallback) => fallback,
      undoProblem: () => undefined,
    },
    processes: {
      disk: policyDisk(),
      folderWatch: NO_WATCH,
      shellKnowledge: shellLanguage(shellProgram().name, grammar),
      documentWorker: "no documents here",
      pageWorker: "no pages here",
      pythonInterpreter: async () => undefined,
    },
    approver: {
      isPresent: false,
      isPatient: false,
      approver: () => unattendedApprover,
      user: () => undefined,
      rules: () => [],
    },
    settings: () => settings,
    secrets: { all: async () => [], keyFor: async () => undefined },
    storage: {
      fallback: () => join(data, "unwritable"),
      copies: join(data, "copies"),
      machine: async () => "machine-1",
      seal: async () => sha256,
      runs: async () => [],
      memory: () => Promise.reject(new Error("No memory is here.")),
    },
    models: { pair: async () => models, countTokens: () => estimateTokens },
    clock: { now: () => new Date() },
    log: {
      notice: () => undefined,
      delta: () => undefined,
      restarted: () => undefined,
      output: () => undefined,
      waitsForDisk: () => false,
      diskTrouble: () => undefined,
    },
    agents: { joined: () => undefined, left: (agent) => agent.dispose() },
    extraCommands: () => [],
    ...differences,
  };
}

/** The defaults, but nothing leaves the machine and nothing is remembered. */
export const TEST_SETTINGS: Settings = {
  ...DEFAULT_SETTINGS,
  memory: { ...DEFAULT_SETTINGS.memory, enabled: false },
  web: { ...DEFAULT_SETTINGS.web, enabled: false },
  image: { ...DEFAULT_SETTINGS.image, provider: "off" },
};
