import { basename, join } from "node:path";
import { lateProblemsRemark } from "../commands/code/language-services.ts";
import { commandsForWindow } from "../core/commands/offered-commands.ts";
import { ContextBudget } from "../core/context/context-budget.ts";
import { type ModelPair, modelNames, Run, recordModels } from "../core/events/run.ts";
import type { AgentDependencies } from "../core/loop/agent.ts";
import { LiveRun } from "../core/loop/live-run.ts";
import type { ThinkDependencies } from "../core/loop/think.ts";
import { ModelError } from "../core/ports/model.ts";
import type { RunLog } from "../core/ports/storage.ts";
import { localTime } from "../core/prompt/prompt.ts";
import { writeDebugFiles } from "../runs/export/debug-files.ts";
import { openRunLog, rewriteLog } from "../runs/log/run-log.ts";
import { forkEvents, startFork } from "../runs/store/fork-events.ts";
import { homeFolder, newRunId, runsFolder } from "../runs/store/run-folder.ts";
import { keepPictures, pictureBytes } from "../runs/store/run-pictures.ts";
import type { StoredRun } from "../runs/store/run-store.ts";
import type { PolicyState } from "../safety/policy/policy-state.ts";
import type { AgentEvent } from "../schema/events.ts";
import type { Settings } from "../schema/settings.ts";
import { DisplayError, displayText, fail, type Sentence } from "../texts/display-text.ts";
import type { ComposedRun, LiveComposedRun } from "./composed-run.ts";
import { firstEvent, folderWords, type NewRun } from "./first-event.ts";
import type { Host } from "./host.ts";
import { modelOf, reservedFor } from "./late-parts.ts";
import { hostPicture } from "./picture/workspace-picture.ts";
import { folderNews, runFolders } from "./run-folders.ts";
import { RunModel } from "./run-model.ts";
import { fastModel, type RunParts, runParts, type SpawningRun } from "./run-parts.ts";
import { demandSight } from "./run-pictures.ts";
import { runPolicy } from "./run-policy.ts";
import { type SpawnedAgent, type SpawnOptions, startedAgent } from "./subagents/spawn.ts";
import { wrapped } from "./wrappers.ts";

/** Where a run that is composed has its files, and how it began. */
interface RunPlace {
  readonly home: string;
  readonly folder: string;
  readonly past: readonly AgentEvent[];
  /** Absent for a stored run until it goes on. */
  readonly models?: ModelPair;
}

/** A new run, its first event written; `live.resume()` starts it. */
export async function beginRun(host: Host, wanted: NewRun): Promise<LiveComposedRun> {
  const { folder, settings, profile, branch, sub, models, pictures = [] } = wanted;
  await demandSight(models.smart, pictures);
  const home = wanted.home ?? (await homeFolder(folder, host.storage.fallback(folder)));
  const id = newRunId(sub?.spawning.request.name ?? profile.name, host.clock.now());
  const runHome = join(runsFolder(home), id);
  const now = runFolders(host, folder, sub?.spawning.parent.head.folders);
  const folders = now();
  const spawn = spawner(host, { folder, settings, home });
  const edits = models.smart.traits?.edits;
  const parts = await runParts(host, {
    ...{ runHome, folder, folders: now, settings, edits, spawn },
    ...(sub ? { sub } : {}),
  });
  const { commands } = parts;
  const hasCommands = sub === undefined || sub.spawning.request.commands.length > 0;
  const [machine, picture] = await Promise.all([
    host.storage.machine(),
    hasCommands ? hostPicture(host, parts, { folders, settings }) : undefined,
  ]);
  const log = await logOf(host, parts, id, runHome);
  const attached = await keepPictures(runHome, pictures);
  const started = sub
    ? startedAgent(sub.spawning, { id, machine, commands, picture, model: modelNames(models) })
    : await firstEvent(wanted, {
        id,
        machine,
        commands,
        picture,
        attached,
        folders,
        words: await folderWords(host, folder),
      });
  const past = branch ? forkEvents(branch, started, host.clock.now().toISOString()) : [];
  const run = branch ? await startFork(log, past) : await Run.start(log, started, () => host.clock.now());
  for (const event of past) parts.provenance.apply(event);
  parts.agents?.follow(run, past);
  if (wanted.mode === "continuous") parts.grants.startContinuous(settings.run.continuousLimit);
  const first = { seq: 0, at: run.state.startedAt, ...run.head };
  return composeRun(host, run, parts, { home: runHome, folder, past: branch ? past : [first], models });
}

/** A stored run, ready to go on, or only to be read. Grants and continuous mode do not come back. */
export async function openRun(host: Host, stored: StoredRun): Promise<ComposedRun> {
  const started = stored.events[0];
  if (started?.type !== "started")
    throw new DisplayError(stored.readOnly ?? displayText("trouble.runUnreadable"));
  const { folder } = started;
  const readOnly =
    stored.readOnly ?? (host.workspace.isTrusted() ? undefined : displayText("trouble.restrictedMode"));
  if (readOnly !== undefined) return readOnlyRun(stored, folder, readOnly);
  const settings = host.settings(folder);
  const parts = await runParts(host, {
    runHome: stored.folder,
    folder,
    folders: runFolders(host, folder, started.folders),
    settings,
    spawn: spawner(host, { folder, settings, home: join(stored.folder, "../..") }),
  });
  if (stored.older) await rewriteLog(stored.folder, stored.events);
  const log = await logOf(host, parts, stored.id, stored.folder);
  const run = Run.from(log, stored.events, () => host.clock.now());
  for (const event of stored.events) parts.provenance.apply(event);
  parts.agents?.follow(run, stored.events);
  return composeRun(host, run, parts, { home: stored.folder, folder, past: stored.events });
}

async function logOf(host: Host, { secrets }: RunParts, id: string, runHome: string): Promise<RunLog> {
  return wrapped("log", await openRunLog(runHome), { host, id, secrets });
}

/** A run that can be read, and nothing else. */
function readOnlyRun(stored: StoredRun, folder: string, readOnly: Sentence): ComposedRun {
  const refuse = async (): Promise<never> => {
    fail("trouble.openReadOnly");
  };
  const closed: RunLog = { append: refuse, sync: refuse, close: async () => undefined };
  return {
    id: stored.id,
    run: Run.from(closed, stored.events),
    past: stored.events,
    home: stored.folder,
    folder,
    readOnly,
    dispose: async () => undefined,
  };
}

/** Settings and places that sub-agents share with the run that they work for. */
interface Spawner {
  readonly folder: string;
  readonly settings: Settings;
  readonly home: string;
}

/** Starts agents that work for a run, each as a run of its own beside it. */
function spawner(host: Host, { folder, settings, home }: Spawner) {
  return async (spawning: SpawnOptions, parent: SpawningRun): Promise<SpawnedAgent> => {
    const { smart, fast } = modelOf(parent.late).pair();
    const agent = await beginRun(host, {
      task: spawning.request.task,
      profile: spawning.parent.state.profile,
      folder,
      settings,
      home,
      models: { smart: spawning.request.model === "smart" ? smart : fast, fast },
      mode: "ask",
      sub: { spawning, secrets: parent.secrets, guard: parent.guard },
    });
    host.agents.joined(agent);
    const { live, grants, provenance } = agent;
    return { live, grants, provenance, close: () => host.agents.left(agent) };
  };
}

/** Composes the agent of a run from its parts: the one place where a host's parts meet. */
function composeRun(host: Host, run: Run, parts: RunParts, place: RunPlace): LiveComposedRun {
  const { commands, grants, provenance, undo, late, memory, agents, sub, shell } = parts;
  const { home, folder, past } = place;
  const { id } = run.state;
  late.run = run;
  provenance.apply(run.head);
  run.onEvent((event, state) => {
    provenance.apply(event);
    if (!sub) memory.apply(event, state);
    if (event.type !== "over") return;
    grants.endAll();
    void shell.processes?.endAll("not kept");
  });
  const debugFiles = debugFilesOf(host, run, place);
  const policy = runPolicy(host, parts, folder);
  const model = runModel(host, place);
  const live = new LiveRun(run, async () => {
    if (shell.problem !== undefined) host.log.notice(id, shell.problem);
    await model.ready(() => host.models.pair(folder));
    const idle = sub?.spawning.idleReason();
    if (idle !== undefined) throw new ModelError("setup", displayText("trouble.continueRunOrFork", { idle }));
    await recordModels(run, model.pair());
    agents?.open();
    return agentParts(host, live, parts, { model, policy });
  });
  late.user = host.approver.user(live);
  late.model = model;
  return {
    id,
    run,
    past,
    live,
    grants,
    provenance,
    policy,
    get commands() {
      const { specs, withheld } = commandsForWindow(commands, run.history.contextWindow);
      return { specs, withheld, resolve: commands.resolve };
    },
    ...(shell.processes ? { processes: shell.processes } : {}),
    undo,
    home,
    folder,
    fast: () => fastModel(parts),
    seesPictures: () => model.seesPictures(),
    useModels: async (pair) => {
      model.use(pair);
      await recordModels(run, pair);
    },
    dispose: async () => {
      await agents?.close().catch(() => undefined);
      await shell.processes?.endAll("all");
      await memory.settled();
      await run.close();
      await debugFiles();
    },
  };
}

/** The model of a run, which reads the run's pictures when they are sent. */
function runModel(host: Host, { models, folder, home }: RunPlace): RunModel {
  return new RunModel(
    models,
    () => host.settings(folder).model,
    ({ file }) => pictureBytes(home, file),
  );
}

function debugFilesOf(host: Host, run: Run, { home, folder }: RunPlace): () => Promise<void> {
  return writeDebugFiles(run, {
    folder: home,
    isOn: () => host.settings(folder).log.debugFiles,
    trouble: (text) => host.log.notice(run.state.id, text),
  });
}

function agentParts(
  host: Host,
  live: LiveRun,
  parts: RunParts,
  { model, policy }: { readonly model: RunModel; readonly policy: PolicyState },
): Omit<AgentDependencies, "gate"> {
  const { sub, agents, grants, memory } = parts;
  const { run } = live;
  const { log } = host;
  const fast = () => fastModel(parts);
  return {
    thinking: model.thinking({
      localTime: () => localTime(host.clock.now()),
      news: () => lateNews(parts),
      contextBudget: new ContextBudget({
        fast: () => model.pair().fast,
        count: (name) => host.models.countTokens(name),
        reserved: () => reservedFor(parts),
        ...(agents ? { freed: (signal) => agents.freed(signal) } : {}),
      }),
      ...(sub ? {} : { recall: memory.recall.bind(memory) }),
      delta: (step, delta) => log.delta(live.id, step, delta),
      restarted: (step) => log.restarted(live.id, step),
      notice: (text) => log.notice(live.id, text),
    }),
    commands: parts.commands,
    approver: wrapped("approver", host.approver.approver({ live, run, grants, fast }), { policy, sub }),
    pausesOnTrouble: host.approver.isPatient && sub === undefined,
    ...(agents ? { agents } : {}),
    output: (step, chunk) => log.output(live.id, step, chunk),
  };
}

/** Changed folders, and problems that were found after the outcome of their change, for the next prompt, redacted as in the log. */
function lateNews(parts: RunParts): ReturnType<NonNullable<ThinkDependencies["news"]>> {
  const { problems, secrets, late, openFolders } = parts;
  const head = late.run?.head;
  const inPrompt = head && (head.folders ?? [{ name: basename(head.folder), path: head.folder }]);
  const found = problems?.late();
  const remarks = [inPrompt && folderNews(inPrompt, openFolders()), found && lateProblemsRemark(found)];
  return {
    remarks: remarks.filter((remark) => remark !== undefined).map((remark) => secrets.redact(remark)),
    read: () => found?.markRead(),
  };
}
