import { join } from "node:path";
import { estimateTokens } from "../../src/core/context/tokens.ts";
import type { ModelPair } from "../../src/core/events/run.ts";
import { sha256 } from "../../src/disk/sha256.ts";
import { loadGrammar } from "../../src/headless/workers.ts";
import { selectRunFolders } from "../../src/node/files/roots.ts";
import { createPolicyDisk } from "../../src/node/policy-disk.ts";
import { chooseShellProgram } from "../../src/node/processes/programs.ts";
import type { Host } from "../../src/runtime/host.ts";
import { unattendedApprover } from "../../src/safety/policy/with-policy.ts";
import { createShellLanguageLoader } from "../../src/safety/shell/load.ts";
import { DEFAULT_SETTINGS } from "../../src/schema/read-settings.ts";
import type { Settings } from "../../src/schema/settings.ts";
import { NO_WATCH } from "./undo-bench.ts";

/** Differences of a test's host from the plainest one. */
export type TestHostOptions = Partial<Omit<Host, "getSettings" | "models">> & {
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
      listFolders: (folder, named) => selectRunFolders(folder, [], named),
      guard: (base) => base,
      createTrash: (fallback) => fallback,
      explainUndoProblem: () => undefined,
    },
    processes: {
      disk: createPolicyDisk(),
      folderWatch: NO_WATCH,
      loadShellLanguage: createShellLanguageLoader(chooseShellProgram().name, loadGrammar),
      documentWorker: "no documents here",
      pageWorker: "no pages here",
      findPythonInterpreter: async () => undefined,
    },
    approver: {
      isPresent: false,
      isPatient: false,
      createApprover: () => unattendedApprover,
      findUser: () => undefined,
      listRules: () => [],
    },
    getSettings: () => settings,
    secrets: { listKeys: async () => [], keyFor: async () => undefined },
    storage: {
      getFallbackFolder: () => join(data, "unwritable"),
      copies: join(data, "copies"),
      getMachineMark: async () => "machine-1",
      seal: async () => sha256,
      listRuns: async () => [],
      openMemory: () => Promise.reject(new Error("No memory is here.")),
    },
    models: { resolveModelPair: async () => models, countTokens: () => estimateTokens },
    clock: { getNow: () => new Date() },
    log: {
      notice: () => undefined,
      reportDelta: () => undefined,
      reportRestart: () => undefined,
      reportOutput: () => undefined,
      shouldWaitForDisk: () => false,
      reportDiskTrouble: () => undefined,
    },
    agents: { addAgent: () => undefined, releaseAgent: (agent) => agent.dispose() },
    listExtraCommands: () => [],
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
