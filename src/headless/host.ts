import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CodeIndexes } from "../code-search/code-indexes.ts";
import { visible } from "../core/base/text.ts";
import type { CommandSet } from "../core/commands/command-set.ts";
import { usageEvent } from "../core/events/run.ts";
import type { User } from "../core/ports/approver.ts";
import type { FolderWatch } from "../core/ports/folder-watch.ts";
import type { SharedAmount } from "../memory/shared/sharing.ts";
import { lessonFile } from "../models/chat/lesson-file.ts";
import type { ModelResolver } from "../models/model-resolver.ts";
import { TokenCounter } from "../models/tokens/token-counter.ts";
import { foldersOfRun } from "../node/files/roots.ts";
import { policyDisk } from "../node/policy-disk.ts";
import { shellProgram } from "../node/processes/programs.ts";
import { FileIndexes } from "../node/search/file-index.ts";
import { ripgrepFinder, ripgrepInPackages, ripgrepOnPath } from "../node/search/find-ripgrep.ts";
import { NodeFolderWatch } from "../node/watch/folder-watch.ts";
import { PluginCatalog } from "../plugins/catalog.ts";
import { Consents } from "../plugins/consents.ts";
import { elicited } from "../plugins/mcp/elicitation.ts";
import { inputVariable, mcpInputs } from "../plugins/mcp/servers.ts";
import { SignIn } from "../plugins/mcp/sign-in.ts";
import { pluginSources } from "../plugins/sources.ts";
import { runOwner } from "../runs/store/machine.ts";
import type { RunStore } from "../runs/store/run-store.ts";
import type { ComposedRun } from "../runtime/composed-run.ts";
import type { AskingRun, Host, HostLog } from "../runtime/host.ts";
import { nodeIsolation } from "../runtime/isolated/node-isolation.ts";
import { mayHoldSecrets } from "../safety/paths/sensitive.ts";
import { yesTo } from "../safety/policy/rules.ts";
import { unattendedApprover } from "../safety/policy/with-policy.ts";
import { shellLanguage } from "../safety/shell/load.ts";
import type { Settings } from "../schema/settings.ts";
import { inEnglish } from "../texts/display-text.ts";
import { workspaceMemory } from "./memory/folder-memory.ts";
import { headlessModels, onlyOne } from "./models.ts";
import { homesOf, storeOf } from "./place.ts";
import { allKeys, keysByOrigin, type ServiceKey } from "./service-keys.ts";
import {
  approverInTurn,
  type Terminal,
  terminalApprover,
  terminalUser,
  turnTaker,
  userInTurn,
} from "./terminal.ts";
import { EMBEDDING_TABLE, grammar, WORKERS } from "./workers.ts";

/** The person whom all agents of a run ask. */
export interface Person extends Pick<Host["approver"], "approver"> {
  user(): User | undefined;
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
  /** Threads that several hosts share; absent: the host has its own. */
  readonly workers?: SharedWorkers;
  /** Called for each piece of a reply to a step. */
  heard?(): void;
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

/** Threads for hosts whose user's own folder is `data`. None starts before it's needed. */
export function sharedWorkers(data: string): SharedWorkers {
  const tokens = new TokenCounter({ worker: WORKERS.tokens });
  const folderWatch = new NodeFolderWatch(WORKERS.watch);
  const codeIndexes = codeIndexesIn(data, folderWatch);
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
  pays(run: ComposedRun): void;
  /** Releases what its runs have shared. */
  close(): Promise<void>;
}

/** Makes the host of a workspace. */
export function headlessHost(options: HeadlessHostOptions): HeadlessHost {
  const { workspace, settings, keys, data, person = NOBODY, warn } = options;
  const keyFor = keysByOrigin(keys);
  const plugins = headlessPlugins(options);
  const resolver = headlessModels(settings, keyFor, lessonFile(data));
  const workers = options.workers ?? sharedWorkers(data);
  const { tokens, folderWatch, codeIndexes } = workers;
  const store = storeOf(workspace, data);
  const paying: { run?: ComposedRun } = {};
  const memory = workspaceMemory({
    ...options,
    resolver,
    keyFor,
    used: (cost) => void paying.run?.run.record(usageEvent("embeddings", cost)).catch(() => undefined),
  });
  return {
    kind: "commandLine",
    store,
    resolver,
    workspace: PLAIN_FOLDERS,
    processes: { ...processesOf(folderWatch, workspace), codeIndexes },
    isolation: nodeIsolation(WORKERS.copy),
    approver: {
      isPresent: person !== NOBODY,
      isPatient: false,
      ...person,
      rules: (commands) => yesTo(options.yesTo.map((name) => commands.resolve(name) ?? name)),
    },
    settings: () => settings,
    secrets: { all: async () => [...allKeys(keys), ...mcpInputs(process.env)], keyFor },
    storage: {
      fallback: () => homesOf(workspace, data).fallback,
      copies: join(data, COPIES),
      machine: async (run) => (await runOwner(data)).markOf(run),
      seal: async (run) => (await runOwner(data)).sealOf(run),
      runs: () => store.list(),
      memory: () => memory.open(),
    },
    models: {
      pair: async (_folder, model) => onlyOne(await resolver.pair(settings, model), options.onlyModel),
      countTokens: tokens.of,
    },
    clock: { now: () => new Date() },
    log: { ...SILENT, delta: () => options.heard?.(), notice: (_run, text) => warn(inEnglish(text)) },
    extraCommands: () => [],
    plugins,
    agents: { joined: () => undefined, left: (agent) => agent.dispose() },
    pays: (run) => {
      paying.run = run;
    },
    close: async () => {
      for (const part of [plugins, memory]) await part.close();
      if (!options.workers) await workers.close();
    },
  };
}

/** The plugins within reach of the command line, with consents that are asked for by `autogpt plugins`. */
function headlessPlugins({
  data,
  settings,
  plugins,
  keys,
  person,
  warn,
}: Pick<HeadlessHostOptions, "data" | "settings" | "plugins" | "keys" | "person" | "warn">): PluginCatalog {
  const consents = new Consents(join(data, CONSENTS_FILE));
  const sources = pluginSources({
    consents,
    mcp: {
      client: () => import("../plugins/mcp/sdk-client.ts"),
      findSecret: async (kind, name) => process.env[kind === "env" ? name : inputVariable(name)],
      // A command line can't keep a secret, so it signs in nowhere.
      auth: (server, url) =>
        new SignIn(server, url, { read: async () => undefined, write: async () => undefined }),
      // The person opens a page themselves, whose address the question has.
      elicit: ({ id }, _run, request, signal) =>
        elicited(id, request, {
          ask: async (question) => person?.user()?.ask(inEnglish(question), signal),
          open: async () => true,
          tell: (text) => warn(inEnglish(text)),
        }),
    },
    userFolder: join(data, "plugins"),
    storage: join(data, "plugin-copies"),
    named: plugins,
    classicBridge: fileURLToPath(WORKERS.classicBridge),
    runner: WORKERS.plugins,
    pythonInterpreter: async () => settings.python.interpreter || undefined,
    language: shellLanguage(shellProgram().name, grammar),
    own: {
      storage: data,
      keyFor: keysByOrigin(keys),
      log: () => undefined,
      loadEmail: () => import("../plugins/own/email/email-plugin.ts"),
      loadOpenApi: () => import("../plugins/own/openapi/openapi-plugin.ts"),
    },
  });
  return new PluginCatalog(sources, consents, "commandLine");
}

function codeIndexesIn(data: string, watch: FolderWatch): CodeIndexes {
  return new CodeIndexes({
    worker: WORKERS.code,
    folder: join(data, "code-indexes"),
    table: fileURLToPath(EMBEDDING_TABLE),
    watch,
  });
}

function processesOf(folderWatch: FolderWatch, workspace: string): Host["processes"] {
  const places = [...ripgrepInPackages(import.meta.url), ...ripgrepOnPath(process.env.PATH)];
  const ripgrep = ripgrepFinder(places, () => [workspace]);
  return {
    disk: policyDisk(),
    folderWatch,
    files: new FileIndexes({ ripgrep, watch: folderWatch, leftOut: mayHoldSecrets }),
    shellKnowledge: shellLanguage(shellProgram().name, grammar),
    documentWorker: WORKERS.documents,
    pageWorker: WORKERS.pages,
    pythonInterpreter: async () => undefined,
  };
}

/** The user names the folder on the command line, which is as good as trusting it. */
const PLAIN_FOLDERS: Host["workspace"] = {
  isTrusted: () => true,
  folders: (folder, named) => foldersOfRun(folder, [], named),
  guard: (base) => base,
  trash: (fallback) => fallback,
  undoProblem: () => undefined,
};

const COPIES = "copies";
const CONSENTS_FILE = "plugin-consents.json";

const SILENT: Omit<HostLog, "notice" | "delta"> = {
  restarted: () => undefined,
  output: () => undefined,
  waitsForDisk: () => false,
  diskTrouble: () => undefined,
};

const NOBODY: Person = { approver: () => unattendedApprover, user: () => undefined };

/** The person at the terminal, whom all agents of a run ask in turn. */
export function atTerminal(terminal: Terminal): Person {
  const take = turnTaker();
  const user: User = userInTurn(terminalUser(terminal), take);
  return {
    approver: ({ run, grants, fast }: AskingRun) =>
      approverInTurn(terminalApprover({ terminal, grants, run, fast }), take),
    user: () => user,
  };
}

/** A sentence for each command of `--yes-to` that isn't offered. */
export function unknownCommands(
  names: readonly string[],
  commands: Pick<CommandSet, "resolve">,
): readonly string[] {
  return names
    .filter((name) => commands.resolve(name) === undefined)
    .map((name) => visible(`--yes-to names "${name}", which is no command that is offered here.`));
}
