import { basename, join } from "node:path";
import { describeLateProblems } from "../commands/code/language-services.ts";
import { omitUndefined } from "../core/base/objects.ts";
import { selectCommandsForWindow } from "../core/commands/offered-commands.ts";
import { ContextBudget } from "../core/context/context-budget.ts";
import { getModelNames, type ModelPair, Run, recordModels, type StartedBody } from "../core/events/run.ts";
import type { AgentDependencies } from "../core/loop/agent.ts";
import { LiveRun } from "../core/loop/live-run.ts";
import type { ThinkDependencies } from "../core/loop/think.ts";
import { ModelError } from "../core/ports/model.ts";
import type { ProcessLocks } from "../core/ports/process-locks.ts";
import type { RunLog } from "../core/ports/storage.ts";
import { findTimeToShow, formatLocalDay } from "../core/prompt/prompt.ts";
import { getStrategy } from "../core/strategies/strategies.ts";
import { getProviderName } from "../models/named-providers.ts";
import { findLockHolder, takeProcessLock } from "../node/processes/process-lock.ts";
import { writeDebugFiles } from "../runs/export/debug-files.ts";
import { createFencedLog, createLeasedLog, RunLease } from "../runs/log/run-lease.ts";
import { openRunLog, rewriteLog } from "../runs/log/run-log.ts";
import { makeSecrets } from "../runs/log/secrets.ts";
import { FLEET_MARK } from "../runs/store/fleet-marks.ts";
import { createForkEvents, startFork } from "../runs/store/fork-events.ts";
import { createRunId, ensureHomeFolder, getRunsFolder } from "../runs/store/run-folder.ts";
import { keepPictures } from "../runs/store/run-pictures.ts";
import type { StoredRun } from "../runs/store/run-store.ts";
import type { PolicyState } from "../safety/policy/policy-state.ts";
import type { AgentEvent, AgentEventBody } from "../schema/events.ts";
import type { WorkspaceFolder } from "../schema/run-values.ts";
import type { Settings } from "../schema/settings.ts";
import { DisplayError, type DisplayText, displayText, fail } from "../texts/display-text.ts";
import { type ComposedRun, createFollowedRun, createReadOnlyRun, type LiveComposedRun } from "./composed-run.ts";
import { createFirstEvent, type NewRun } from "./first-event.ts";
import type { Host } from "./host.ts";
import { createFittingInstructions, readFolderInstructions } from "./instructions/run-instructions.ts";
import { getWorkFolder, listOriginFolders } from "./isolated/isolated-host.ts";
import { getIsolationFacts, reopenIsolation, startIsolation } from "./isolated/isolated-start.ts";
import { completeAccept, createIsolatedReview } from "./isolated/isolated-work.ts";
import { openStoredCopy } from "./isolated/stored-copies.ts";
import { renderHostPicture } from "./picture/workspace-picture.ts";
import { createRunFolderLister, describeFolderChanges } from "./run-folders.ts";
import { getPlannerModel } from "./run-model.ts";
import { createRunParts, getFastModel, type RunParts, type SpawningRun } from "./run-parts.ts";
import { createPictureShower, demandSight } from "./run-pictures.ts";
import { createRunPolicy } from "./run-policy.ts";
import { findDescribedAgents } from "./subagents/described-agents.ts";
import { chooseAgentStrategy, createStartedEvent, type SpawnedAgent, type SpawnOptions } from "./subagents/spawn.ts";
import { wrapPart } from "./wrappers.ts";

/** Where a composed run has its files, and how it began. */
interface RunPlace {
  readonly home: string;
  readonly lease: RunLease;
  readonly folder: string;
  readonly past: readonly AgentEvent[];
}

/** Begins a new run and writes its first event; `live.resume()` starts it. An isolated run gets its copy first. */
export async function beginRun(host: Host, wanted: NewRun): Promise<LiveComposedRun> {
  const { profile, sub, pictures = [] } = wanted;
  await demandSight(getRoleModels(wanted).smart, pictures);
  const id = wanted.id ?? createRunId(sub?.spawning.request.name ?? profile.name, host.clock.getNow());
  if (wanted.mode !== "isolated") return composeNewRun(host, id, wanted);
  const isolation = await startIsolation(host, id, wanted);
  try {
    return await composeNewRun(isolation.host, id, wanted);
  } catch (error) {
    await isolation.abandon();
    throw error;
  }
}

/** The models in the roles that the run's strategy gives them. */
function getRoleModels({ models, profile, sub }: NewRun): ModelPair {
  return sub ? models : getStrategy(profile.strategy).assignRoles(models);
}

async function composeNewRun(host: Host, id: string, wanted: NewRun): Promise<LiveComposedRun> {
  const { folder, settings, branch, sub, pictures = [] } = wanted;
  const models = getRoleModels(wanted);
  const home = wanted.home ?? (await ensureHomeFolder(folder, host.storage.getFallbackFolder(folder)));
  const runHome = join(getRunsFolder(home), id);
  const now = createRunFolderLister(host, folder, sub?.spawning.parent.head.folders);
  const folders = now();
  const spawn = createSpawner(host, { folder, settings, home });
  const edits = models.smart.traits?.edits;
  const [found, described] = await Promise.all([
    readFolderInstructions(host, folder, settings),
    sub || settings.agents.max === 0 ? { agents: [], unread: [] } : findDescribedAgents(host, folder),
  ]);
  const words = { ...found, agents: described.agents, unread: [...found.unread, ...described.unread] };
  const skills = sub ? sub.spawning.parent.head.skills : words.skills;
  const parts = await createRunParts(host, {
    runHome,
    folder: getWorkFolder(host, folder),
    listFolders: now,
    settings,
    edits,
    spawn,
    skills,
    described: described.agents,
    only: (sub?.spawning.parent.head ?? wanted).profile.commands,
    models,
    strategy: sub ? chooseAgentStrategy(sub.spawning.parent.head) : wanted.profile.strategy,
    ...omitUndefined({ sub }),
  });
  const { commands, plugins } = parts;
  const offers = await plugins.open({ ...wanted, window: models.smart.contextWindow }, parts);
  const hasCommands = sub === undefined || sub.spawning.request.commands.length > 0;
  const [machine, picture] = await Promise.all([
    host.storage.getMachineMark(id),
    hasCommands ? renderHostPicture(host, parts, { folders, settings }) : undefined,
  ]);
  const lease = await acquireLease(host, id, runHome);
  const log = await openLog(host, parts, id, { runHome, lease });
  const attached = await keepPictures(runHome, pictures);
  const own = { id, machine, day: formatLocalDay(host.clock.getNow()), commands, picture };
  const started = sub
    ? createStartedEvent(sub.spawning, { ...own, model: getModelNames(models) })
    : await createFirstEvent(
        { ...wanted, models },
        {
          ...own,
          attached,
          offers,
          folders: host.isolated ? listOriginFolders(host.isolated.copy) : folders,
          ...getIsolationFacts(host, settings),
          words,
        },
      );
  const past = branch ? createForkEvents(branch, started, host.clock.getNow().toISOString()) : [];
  const run = branch ? await startFork(log, past) : await Run.start(log, started, () => host.clock.getNow());
  if (wanted.mode === "continuous") parts.grants.startContinuous(settings.run.continuousLimit);
  const first = { seq: 0, at: run.state.startedAt, ...run.head };
  const known: AgentEvent[] = branch ? [...past] : [first];
  const stop = run.onEvent((event) => known.push(event));
  await followRun(run, past, parts);
  stop();
  return composeRun(host, run, parts, { home: runHome, lease, folder, past: known });
}

/** Opens a stored run, to be resumed or only read. Grants and continuous mode aren't restored. */
export async function openRun(host: Host, stored: StoredRun): Promise<ComposedRun> {
  const started = stored.events[0];
  if (started?.type !== "started") throw new DisplayError(stored.readOnly ?? displayText("trouble.runUnreadable"));
  const { folder } = started;
  const readOnly = stored.readOnly ?? (host.workspace.isTrusted() ? undefined : displayText("trouble.restrictedMode"));
  if (readOnly !== undefined) return createReadOnlyRun(stored, folder, readOnly);
  const lease = await acquireLease(host, stored.id, stored.folder);
  const holder = await lease.findOther();
  if (holder) return createFollowedRun(stored, folder, { holder, lease });
  if (stored.older) await rewriteLog(stored.folder, stored.events, await host.storage.seal(stored.id));
  if (!started.isolated) return openStoredRun(host, stored, started);
  const current = await finishAccept(host, stored, folder);
  const isolated = await reopenIsolation(host, current, started);
  return "why" in isolated
    ? createReadOnlyRun(current, folder, isolated.why)
    : openStoredRun(isolated, current, started);
}

/** Completes and records the accept of a stored isolated run's changes that a crash had interrupted. */
async function finishAccept(host: Host, stored: StoredRun, folder: string): Promise<StoredRun> {
  const recorded: AgentEvent[] = [];
  // Only a run whose copy is here can have begun one. Anyone can commit the files of a run.
  const copy = await openStoredCopy(host, stored).catch(() => undefined);
  if (!copy) return stored;
  const lease = await acquireLease(host, stored.id, stored.folder);
  await completeAccept(host, {
    home: stored.folder,
    folder,
    copy,
    lease,
    record: async (event) => {
      const secrets = makeSecrets(await host.secrets.listKeys());
      const log = await openLog(host, { secrets }, stored.id, { runHome: stored.folder, lease });
      const run = Run.openStored(log, [...stored.events, ...recorded], () => host.clock.getNow());
      recorded.push(await run.record(event));
      await run.close();
    },
  });
  return recorded.length === 0 ? stored : { ...stored, events: [...stored.events, ...recorded] };
}

async function openStoredRun(host: Host, stored: StoredRun, started: StartedBody): Promise<ComposedRun> {
  const { folder } = started;
  const settings = host.getSettings(folder);
  const parts = await createRunParts(host, {
    runHome: stored.folder,
    folder: getWorkFolder(host, folder),
    listFolders: createRunFolderLister(host, folder, started.folders),
    settings,
    only: started.profile.commands,
    skills: started.skills,
    described: started.agents,
    strategy: started.strategy,
    spawn: createSpawner(host, { folder, settings, home: join(stored.folder, "../..") }),
  });
  const lease = await acquireLease(host, stored.id, stored.folder);
  const log = await openLog(host, parts, stored.id, { runHome: stored.folder, lease });
  const run = Run.openStored(log, stored.events, () => host.clock.getNow());
  await followRun(run, stored.events, parts);
  return composeRun(host, run, parts, { home: stored.folder, lease, folder, past: stored.events });
}

/** From now on, the parts that know a run's events follow them. */
async function followRun(
  run: Run,
  past: readonly AgentEvent[],
  { provenance, budget, agents, plugins }: RunParts,
): Promise<void> {
  for (const event of past) provenance.apply(event);
  budget.follow(run);
  agents?.follow(run, past);
  await plugins.follow(run, past);
}

/** A run's folder, with its lease. */
interface LeasedPlace {
  readonly runHome: string;
  readonly lease: RunLease;
}

async function acquireLease({ storage, kind }: Host, id: string, runHome: string): Promise<RunLease> {
  return new RunLease(runHome, await storage.seal(id), { locks: PROCESS_LOCKS, kind });
}

const PROCESS_LOCKS: ProcessLocks = { take: takeProcessLock, findHolder: findLockHolder };

async function openLog(
  host: Host,
  { secrets }: Pick<RunParts, "secrets">,
  id: string,
  { runHome, lease }: LeasedPlace,
): Promise<RunLog> {
  const log = createLeasedLog(await openRunLog(runHome, lease.seal), lease);
  return createFencedLog(wrapPart("log", log, { host, id, secrets }), (event) => host.storage.fence?.(id, event));
}

/** Settings and places that sub-agents share with the run that they work for. */
interface Spawner {
  readonly folder: string;
  readonly settings: Settings;
  readonly home: string;
}

/** Starts agents that work for a run, each as a separate run. */
function createSpawner(host: Host, { folder, settings, home }: Spawner) {
  return async (spawning: SpawnOptions, parent: SpawningRun): Promise<SpawnedAgent> => {
    const pair = parent.model.getModelPair();
    const { fast } = pair;
    const smart = getPlannerModel(pair);
    const agent = await beginRun(host, {
      task: spawning.request.task,
      profile: spawning.parent.state.profile,
      folder,
      settings,
      home,
      models: { smart: spawning.request.model === "smart" ? smart : fast, fast },
      mode: "ask",
      sub: { ...parent, spawning },
    });
    host.agents.addAgent(agent);
    const { live, grants, provenance } = agent;
    return { live, grants, provenance, close: () => host.agents.releaseAgent(agent) };
  };
}

/** The commands that the model of a run is offered now. */
function selectRunCommands(commands: RunParts["commands"], { history }: Run): LiveComposedRun["commands"] {
  const { specs, withheld } = selectCommandsForWindow(commands, history.contextWindow, history.isLean);
  return { specs, withheld, resolve: commands.resolve };
}

/** Composes the agent of a run from its parts: the one place where a host's parts meet. */
function composeRun(host: Host, run: Run, parts: RunParts, place: RunPlace): LiveComposedRun {
  const { commands, grants, provenance, undo, memory, agents, sub, shell, plugins, model, costs } = parts;
  const { home, folder, past, lease } = place;
  const { id } = run.state;
  provenance.apply(run.head);
  run.onEvent((event, state) => {
    provenance.apply(event);
    void costs.add(event);
    if (!sub) memory.apply(event, state);
    if (event.type !== "over") return;
    grants.endAll();
    void shell.processes?.endAll("not kept");
    void parts.closeBrowser().catch(() => undefined);
  });
  const debugFiles = startDebugFiles(host, run, place);
  const closeTraces = startTraces(host, run, { folder, sub });
  const policy = createRunPolicy(host, parts, {
    folder,
    id,
    isPlanning: () => run.state.mode === "plan" || sub?.spawning.isPlanning() === true,
  });
  const fitting = createFittingInstructions(host, run, parts.listOpenFolders);
  const begunCommands = wrapPart("begunCommands", commands, { fitting });
  const live = new LiveRun(run, parts.requests, async () => {
    tellProblems(host, id, parts);
    await model.ensureModel(async () => host.models.resolveModelPair(folder, await findProfileModel(host, run)));
    const problem = explainIdle(run, sub) ?? (await explainAway(host, run));
    if (problem) throw new ModelError("setup", problem);
    await recordModels(run, model.getModelPair());
    await plugins.start(run.head, parts, () => void live.stop());
    agents?.open();
    return createAgentParts(host, live, { ...parts, commands: begunCommands }, { policy, home });
  });
  lease.keepWhile(
    () => live.running,
    async (why) => {
      const draft = host.handOver?.(id, why) ?? "";
      await live.suspend();
      await release(parts);
      host.log.notice(id, displayText(why === "asked" ? "trouble.handedOver" : "trouble.continuedElsewhere"));
      return draft;
    },
  );
  return {
    id,
    run,
    past,
    live,
    grants,
    provenance,
    policy,
    get commands() {
      return selectRunCommands(commands, run);
    },
    ...omitUndefined({ processes: shell.processes }),
    undo,
    lease,
    findHolder: () => lease.findOther(),
    home,
    folder,
    ...createIsolation(host, parts, live, place),
    getFastModel: () => getFastModel(parts),
    canSeePictures: () => model.canSeePictures(),
    useModels: async (pair) => {
      model.use(pair);
      await recordModels(run, model.getModelPair());
    },
    dispose: async () => {
      await release(parts);
      await run.close();
      await costs.written;
      await debugFiles();
      await closeTraces();
    },
  };
}

/** Finds the model that a run's profile names. A log from another machine names none, because its profile was shown to another user. */
async function findProfileModel({ storage }: Host, { head }: Run): Promise<string | undefined> {
  return head.machine === (await storage.getMachineMark(head.id)) ? head.profile.model : undefined;
}

/** Reports parts of the machine or the profile that can't be used. */
function tellProblems({ log }: Host, id: string, { shell, sub, commands }: RunParts): void {
  if (shell.problem !== undefined) log.notice(id, shell.problem, "warning");
  const unknown = sub ? [] : (commands.listUnknownCommands?.() ?? []);
  if (unknown.length > 0)
    log.notice(id, displayText("trouble.unknownCommands", { list: unknown.join(", ") }), "warning");
}

/** Why a run can't continue, as a sentence; undefined if it can. */
function explainIdle({ state }: Run, sub: RunParts["sub"]): DisplayText | undefined {
  if (state.review?.what === "discarded") return displayText("isolation.discarded");
  const idle = sub?.spawning.explainIdleState();
  return idle === undefined ? undefined : displayText("trouble.continueRunOrFork", { idle });
}

/** Why a run of the user's fleet can't continue on this machine; undefined if it can, and for any other run. */
async function explainAway({ storage }: Host, { head }: Run): Promise<DisplayText | undefined> {
  if (!head.machine.startsWith(FLEET_MARK) || head.machine === (await storage.getMachineMark(head.id)))
    return undefined;
  return displayText("fleet.notClaimed", { run: head.id });
}

/** Creates the review of an isolated run for its user. The review of a sub-agent belongs to the run that it works for. */
function createIsolation(
  { isolated }: Host,
  { shell, sub }: RunParts,
  live: LiveRun,
  { home, folder, lease }: RunPlace,
): Pick<ComposedRun, "isolation"> {
  if (!isolated || sub) return {};
  const cwd = isolated.copy.folders[0]?.path ?? folder;
  const record = (event: AgentEventBody) => live.run.record(event);
  const reviewed = { home, folder, lease, record, isBusy: () => live.running };
  const isolation = createIsolatedReview(isolated, reviewed, async (line, timeoutSeconds, signal) => {
    if (!shell.shell) fail("isolation.noShell");
    return shell.shell.run(line, { cwd, step: 0, timeoutSeconds, signal, reportOutput: () => undefined });
  });
  return { isolation };
}

async function release({ agents, shell, memory, plugins, dispose, closeBrowser }: RunParts): Promise<void> {
  await agents?.close().catch(() => undefined);
  await closeBrowser().catch(() => undefined);
  await plugins.close();
  await shell.processes?.endAll("all");
  await dispose?.();
  await memory.waitUntilSettled();
}

function startDebugFiles(host: Host, run: Run, { home, folder }: RunPlace): () => Promise<void> {
  return writeDebugFiles(run, {
    folder: home,
    isOn: () => host.getSettings(folder).log.debugFiles,
    reportTrouble: (text) => host.log.notice(run.state.id, text),
  });
}

/** Writes traces of the run, if the user wants that. */
function startTraces(
  { traces, getSettings, log }: Host,
  run: Run,
  { folder, sub }: { readonly folder: string; readonly sub: RunParts["sub"] },
): () => Promise<void> {
  const settings = getSettings(folder);
  const { otel, otelTexts } = settings.telemetry;
  return (
    traces?.follow(run, {
      wanted: otel,
      hasTexts: otelTexts,
      provider: getProviderName(settings),
      parent: sub?.spawning.parent.state.id,
      reportTrouble: (text) => log.notice(run.state.id, text, "warning"),
    }) ?? (async () => undefined)
  );
}

function createAgentParts(
  host: Host,
  live: LiveRun,
  parts: RunParts,
  { policy, home }: { readonly policy: PolicyState; readonly home: string },
): Omit<AgentDependencies, "gate"> {
  const { sub, agents, grants, memory, plugins, model, budget } = parts;
  const { run } = live;
  const { log } = host;
  const getSmallTaskModel = () => getFastModel(parts);
  return {
    thinking: model.createThinking(
      {
        findPromptTime: (head) => findTimeToShow(head, host.clock.getNow()),
        collectNews: () => collectNews(run.head, parts),
        contextBudget: new ContextBudget({
          getFastModel: () => model.getModelPair().fast,
          count: (name, window) => host.models.countTokens(name, window),
          getReservedBudget: () => budget.getReservedBudget(),
          ...(agents ? { waitForFreeBudget: (signal) => agents.waitForFinishedAgent(signal) } : {}),
          collectKeptTexts: (through) => plugins.collectKeptTexts(through),
        }),
        ...(sub ? {} : { recall: memory.recall.bind(memory) }),
        reportDelta: (step, delta) => log.reportDelta(live.id, step, delta),
        reportRestart: (step) => log.reportRestart(live.id, step),
        notice: (text, kind) => log.notice(live.id, text, kind),
      },
      (planner) => wrapPart("smallTasks", planner, parts),
    ),
    commands: parts.commands,
    approver: wrapPart(
      "approver",
      host.approver.createApprover({ live, run, grants, getFastModel: getSmallTaskModel }),
      { policy, sub },
    ),
    pausesOnTrouble: host.approver.isPatient && sub === undefined,
    ...omitUndefined({ agents }),
    hooks: plugins,
    selectOpeningCalls: () => parts.selectOpeningCalls(run.state.task, run.state.model.contextWindow),
    reportOutput: (step, chunk) => log.reportOutput(live.id, step, chunk),
    showPicture: createPictureShower(home, () => model.canSeePictures()),
  };
}

function listStartedFolders({ folder, folders }: StartedBody): readonly WorkspaceFolder[] {
  return folders ?? [{ name: basename(folder), path: folder }];
}

/** Collects news for the next prompt, redacted as in the log: changed folders, and problems found after the outcome of their change. */
function collectNews(
  head: StartedBody,
  { problems, secrets, listOpenFolders: openFolders }: RunParts,
): ReturnType<NonNullable<ThinkDependencies["collectNews"]>> {
  const inPrompt = head.isolated?.folders ?? listStartedFolders(head);
  const found = problems?.collectLaterProblems();
  const remarks = [describeFolderChanges(inPrompt, openFolders()), found && describeLateProblems(found)];
  return {
    remarks: remarks.filter((remark) => remark !== undefined).map((remark) => secrets.redact(remark)),
    read: () => found?.markRead(),
  };
}
