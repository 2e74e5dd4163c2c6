import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { omitUndefined } from "../core/base/objects.ts";
import { escapeInvisible } from "../core/base/text.ts";
import type { CommandSet } from "../core/commands/command-set.ts";
import { createUsageEvent } from "../core/events/run.ts";
import type { UserRequests } from "../core/loop/user-requests.ts";
import type { User } from "../core/ports/approver.ts";
import type { FolderWatch } from "../core/ports/folder-watch.ts";
import type { SharedAmount } from "../memory/shared/sharing.ts";
import { createLessonFile } from "../models/chat/lesson-file.ts";
import type { ModelResolver } from "../models/model-resolver.ts";
import { TokenCounter } from "../models/tokens/token-counter.ts";
import { selectRunFolders } from "../node/files/roots.ts";
import { createPolicyDisk } from "../node/policy-disk.ts";
import { chooseShellProgram } from "../node/processes/programs.ts";
import { FileIndexes } from "../node/search/file-index.ts";
import { createRipgrepFinder, listPackageRipgrepPaths, listSearchRipgrepPaths } from "../node/search/find-ripgrep.ts";
import { NodeFolderWatch } from "../node/watch/folder-watch.ts";
import { PluginCatalog } from "../plugins/catalog.ts";
import { Consents } from "../plugins/consents.ts";
import { askServerQuestion } from "../plugins/mcp/elicitation.ts";
import { formatInputVariable, listMcpInputs } from "../plugins/mcp/servers.ts";
import { SignIn } from "../plugins/mcp/sign-in.ts";
import type { PackagedPlugins } from "../plugins/own/own-plugins.ts";
import { createPluginSources } from "../plugins/sources.ts";
import { COSTS_FOLDER, CostLedger } from "../runs/store/cost-ledger.ts";
import { loadRunOwner } from "../runs/store/machine.ts";
import type { RunStore } from "../runs/store/run-store.ts";
import { RunTraces } from "../runs/traces/run-traces.ts";
import { CodeIndexes } from "../runtime/code-search/code-indexes.ts";
import type { ComposedRun } from "../runtime/composed-run.ts";
import type { AskingRun, Host, HostLog } from "../runtime/host.ts";
import { createNodeIsolation } from "../runtime/isolated/node-isolation.ts";
import { mayHoldSecrets } from "../safety/paths/sensitive.ts";
import { createAllowRules } from "../safety/policy/rules.ts";
import { unattendedApprover } from "../safety/policy/with-policy.ts";
import { createShellLanguageLoader } from "../safety/shell/load.ts";
import type { Settings } from "../schema/settings.ts";
import { writeInEnglish } from "../texts/display-text.ts";
import { createFolderMemory } from "./memory/folder-memory.ts";
import { createHeadlessModels, restrictToModel } from "./models.ts";
import { createRunStore, getRunHomes } from "./place.ts";
import { createKeyLookup, listAllKeys, type ServiceKey } from "./service-keys.ts";
import {
  createTerminalApprover,
  createTerminalUser,
  createTurnTaker,
  type Terminal,
  wrapApproverInTurns,
  wrapUserInTurns,
} from "./terminal.ts";
import { EMBEDDING_TABLE, loadGrammar, WORKERS } from "./workers.ts";

/** The person whom all agents of a run ask. Without a run, a server of the user asks. */
export interface Person extends Pick<Host["approver"], "createApprover"> {
  findUser(requests?: UserRequests): User | undefined;
}

/** Dependencies of the command line as a host of runs. */
export interface HeadlessHostOptions {
  /** Real path of the folder to work in. */
  readonly workspace: string;
  readonly settings: Settings;
  readonly keys: readonly ServiceKey[];
  /** The user's own folder on this machine. */
  readonly data: string;
  /** Absolute paths of plugins to use. */
  readonly plugins: readonly string[];
  /** Commands that are always approved. */
  readonly yesTo: readonly string[];
  /** How much of the memory the user agrees to share; absent: nothing. */
  readonly sharesMemory?: SharedAmount;
  readonly onlyModel?: "smart" | "fast";
  /** Threads that several hosts share; absent: the host starts its own. */
  readonly workers?: SharedWorkers;
  /** Absent: none. */
  readonly packaged?: PackagedPlugins;
  readonly log?: Partial<HostLog>;
  /** For runs that may move to another machine; absent: they can't. */
  readonly fence?: Host["storage"]["fence"];
  /** Absent: no one is there to ask. */
  readonly person: Person | undefined;
  warn(sentence: string): void;
}

/** Threads that several hosts of a process can share. */
export interface SharedWorkers {
  readonly tokens: TokenCounter;
  readonly folderWatch: NodeFolderWatch;
  readonly codeIndexes: CodeIndexes;
  close(): Promise<void>;
}

/** Creates threads for hosts whose user folder is `data`. Each starts when it's needed. */
export function createSharedWorkers(data: string): SharedWorkers {
  const tokens = new TokenCounter({ worker: WORKERS.tokens });
  const folderWatch = new NodeFolderWatch(WORKERS.watch);
  const codeIndexes = createCodeIndexes(data, folderWatch);
  const close = async (): Promise<void> => {
    for (const part of [tokens, codeIndexes, folderWatch]) await part.close();
  };
  return { tokens, folderWatch, codeIndexes, close };
}

/** The command line as a host of runs. */
export interface HeadlessHost extends Host {
  readonly plugins: PluginCatalog;
  readonly store: RunStore;
  readonly resolver: ModelResolver;
  /** The run that pays for the memory's vectors. */
  setPayingRun(run: ComposedRun): void;
  /** Releases the resources that its runs share. */
  close(): Promise<void>;
}

function createHostApprover({ person = NOBODY, yesTo }: HeadlessHostOptions): Host["approver"] {
  return {
    isPresent: person !== NOBODY,
    isPatient: false,
    ...person,
    listRules: (commands) => createAllowRules(yesTo.map((name) => commands.resolve(name) ?? name)),
  };
}

/** Makes the host of a workspace. */
export function createHeadlessHost(options: HeadlessHostOptions): HeadlessHost {
  const { workspace, settings, keys, data, warn } = options;
  const keyFor = createKeyLookup(keys);
  const plugins = createHeadlessPlugins(options);
  const resolver = createHeadlessModels(settings, keyFor, createLessonFile(data));
  const workers = options.workers ?? createSharedWorkers(data);
  const { tokens, folderWatch, codeIndexes } = workers;
  const store = createRunStore(workspace, data);
  const paying: { run?: ComposedRun } = {};
  const memory = createFolderMemory({
    ...options,
    resolver,
    keyFor,
    recordCost: (cost) => void paying.run?.run.record(createUsageEvent("embeddings", cost)).catch(() => undefined),
  });
  return {
    kind: "commandLine",
    store,
    resolver,
    workspace: PLAIN_FOLDERS,
    processes: { ...createProcesses(folderWatch, workspace), codeIndexes },
    isolation: createNodeIsolation(WORKERS.copy),
    approver: createHostApprover(options),
    getSettings: () => settings,
    secrets: { listKeys: async () => [...listAllKeys(keys), ...listMcpInputs(process.env)], keyFor },
    storage: {
      getFallbackFolder: () => getRunHomes(workspace, data).fallback,
      copies: join(data, COPIES),
      getMachineMark: async (run) => (await loadRunOwner(data)).computeMark(run),
      seal: async (run) => (await loadRunOwner(data)).createSeal(run),
      listRuns: () => store.list(),
      openMemory: () => memory.open(),
      costs: new CostLedger(join(data, COSTS_FOLDER)),
      ...omitUndefined({ fence: options.fence }),
    },
    models: {
      resolveModelPair: async (_folder, model) =>
        restrictToModel(await resolver.createModelPair(settings, model), options.onlyModel),
      countTokens: tokens.getCounter,
    },
    clock: { getNow: () => new Date() },
    log: {
      ...SILENT,
      notice: (_run, text) => warn(writeInEnglish(text)),
      ...options.log,
    },
    listExtraCommands: () => [],
    plugins,
    traces: new RunTraces(() => import("../runs/traces/otel-sdk.ts")),
    agents: { addAgent: () => undefined, releaseAgent: (agent) => agent.dispose() },
    setPayingRun: (run) => {
      paying.run = run;
    },
    close: async () => {
      for (const part of [plugins, memory]) await part.close();
      if (!options.workers) await workers.close();
    },
  };
}

/** The plugins available on the command line. `autogpt plugins` asks for consents. */
function createHeadlessPlugins({
  data,
  settings,
  plugins,
  keys,
  person,
  packaged,
  warn,
}: Pick<
  HeadlessHostOptions,
  "data" | "settings" | "plugins" | "keys" | "person" | "packaged" | "warn"
>): PluginCatalog {
  const consents = new Consents(join(data, CONSENTS_FILE));
  const sources = createPluginSources({
    consents,
    mcp: {
      loadClient: () => import("../plugins/mcp/sdk-client.ts"),
      findSecret: async (kind, name) => process.env[kind === "env" ? name : formatInputVariable(name)],
      // A command line can't keep a secret, so it signs in nowhere.
      findSignIn: (server, url) =>
        new SignIn(server, url, { read: async () => undefined, write: async () => undefined }),
      // The person opens a page themselves, whose address the question has.
      elicitAnswer: ({ id }, _run, request, signal) =>
        askServerQuestion(id, request, {
          ask: async (question) => person?.findUser()?.ask(writeInEnglish(question), signal),
          open: async () => true,
          tell: (text) => warn(writeInEnglish(text)),
        }),
    },
    userFolder: join(data, "plugins"),
    storage: join(data, "plugin-copies"),
    named: plugins,
    classicBridge: fileURLToPath(WORKERS.classicBridge),
    runner: WORKERS.plugins,
    findPythonInterpreter: async () => settings.python.interpreter || undefined,
    loadLanguage: createShellLanguageLoader(chooseShellProgram().name, loadGrammar),
    own: {
      storage: data,
      findKey: createKeyLookup(keys),
      log: () => undefined,
      ...packaged,
    },
  });
  return new PluginCatalog(sources, consents, "commandLine");
}

function createCodeIndexes(data: string, watch: FolderWatch): CodeIndexes {
  return new CodeIndexes({
    worker: WORKERS.code,
    folder: join(data, "code-indexes"),
    table: fileURLToPath(EMBEDDING_TABLE),
    watch,
  });
}

function createProcesses(folderWatch: FolderWatch, workspace: string): Host["processes"] {
  const places = [...listPackageRipgrepPaths(import.meta.url), ...listSearchRipgrepPaths(process.env.PATH)];
  const ripgrep = createRipgrepFinder(places, () => [workspace]);
  return {
    disk: createPolicyDisk(),
    folderWatch,
    files: new FileIndexes({ ripgrep, watch: folderWatch, leftOut: mayHoldSecrets }),
    loadShellLanguage: createShellLanguageLoader(chooseShellProgram().name, loadGrammar),
    documentWorker: WORKERS.documents,
    pageWorker: WORKERS.pages,
    findPythonInterpreter: async () => undefined,
  };
}

/** Naming a folder on the command line counts as trusting it. */
const PLAIN_FOLDERS: Host["workspace"] = {
  isTrusted: () => true,
  listFolders: (folder, named) => selectRunFolders(folder, [], named),
  guard: (base) => base,
  createTrash: (fallback) => fallback,
  explainUndoProblem: () => undefined,
};

const COPIES = "copies";
const CONSENTS_FILE = "plugin-consents.json";

const SILENT: Omit<HostLog, "notice"> = {
  reportDelta: () => undefined,
  reportRestart: () => undefined,
  reportOutput: () => undefined,
  shouldWaitForDisk: () => false,
  reportDiskTrouble: () => undefined,
};

const NOBODY: Person = { createApprover: () => unattendedApprover, findUser: () => undefined };

/** The person at the terminal, whom all agents of a run ask in turn. */
export function createTerminalPerson(terminal: Terminal): Person {
  const take = createTurnTaker();
  const user: User = wrapUserInTurns(createTerminalUser(terminal), take);
  return {
    createApprover: ({ run, grants, getFastModel }: AskingRun) =>
      wrapApproverInTurns(createTerminalApprover({ terminal, grants, run, getFastModel }), take),
    findUser: () => user,
  };
}

/** A sentence for each command of `--yes-to` that isn't offered. */
export function describeUnknownCommands(
  names: readonly string[],
  commands: Pick<CommandSet, "resolve">,
): readonly string[] {
  return names
    .filter((name) => commands.resolve(name) === undefined)
    .map((name) => escapeInvisible(`--yes-to names "${name}", which is no command that is offered here.`));
}
