import { getErrorMessage } from "../core/base/errors.ts";
import { tryJson } from "../core/base/json.ts";
import { escapeInvisibleJson } from "../core/base/text.ts";
import { findExhaustedLimit, LIMIT_NAMES, type Limits } from "../core/budget/budget.ts";
import type { LimitName, RunEnd } from "../core/commands/outcome.ts";
import { createUsageEvent, type Run } from "../core/events/run.ts";
import { createPictureFields } from "../core/loop/live-run.ts";
import { readLinkedBytes, readLinkedText } from "../disk/plain-file.ts";
import { findLockHolder } from "../node/processes/process-lock.ts";
import { readMentionedResources } from "../plugins/resource-mentions.ts";
import { claimDraft, requestRun } from "../runs/log/run-lease.ts";
import { renderPromptSettings } from "../runs/profiles/profile-yaml.ts";
import { createProfiles } from "../runs/profiles/profiles.ts";
import { checkPictures, type GivenPicture, keepPictures } from "../runs/store/run-pictures.ts";
import { beginRun, openRun } from "../runtime/compose-run.ts";
import type { ComposedRun, LiveComposedRun } from "../runtime/composed-run.ts";
import type { NewRun } from "../runtime/first-event.ts";
import { cleanUpCopies } from "../runtime/isolated/stored-copies.ts";
import { agreeToPlan, changeLimits, formatLimit, parseHigherLimit } from "../runtime/run-control.ts";
import { demandSight } from "../runtime/run-pictures.ts";
import type { AgentEvent } from "../schema/events.ts";
import { isUnsentOfRun } from "../schema/host-validators.ts";
import { getRunLimits } from "../schema/read-settings.ts";
import { convertToStoredEvent } from "../schema/readers.ts";
import type { Instructions, Mode } from "../schema/run-values.ts";
import { DisplayError, displayText, writeInEnglish } from "../texts/display-text.ts";
import { chooseProfile } from "./chosen-profile.ts";
import { formatSpending, LIMIT_SETTINGS, renderEvent, renderFinalPlan, renderInstructionLines } from "./display.ts";
import { describeUnknownCommands } from "./host.ts";
import type { RunOptions } from "./options.ts";
import { addSentCommand, chooseOwnStart, suggestHandOver } from "./own-start.ts";
import { getRunHomes } from "./place.ts";
import { reviewAtEnd } from "./runs/isolated-commands.ts";
import { addIssue } from "./runs/issues.ts";
import { runWithSession, type Session, type Surroundings } from "./session.ts";
import { type LoadedSettings, MOST_SETTINGS_BYTES } from "./settings.ts";
import { chooseVoice, makeSpeaker, type Speaker } from "./speaker.ts";
import { UsageError } from "./usage-error.ts";

/** Runs the agent to its end, from its start or from the end of its log. Throws a sentence if it can't start. */
export async function runHeadless(options: RunOptions, around: Surroundings): Promise<RunEnd> {
  return runWithSession(options, around, async (plain) => {
    const session = await addIssue(await addResources(plain));
    return options.resume === undefined
      ? toItsEnd(session, await startRun(session))
      : resumeRun(session, options.resume);
  });
}

/**
 * Adds the text of the task's command, and the servers' resources that the task mentions. Only text from the person who starts the program
 * can do that.
 */
export async function addResources(plain: Session): Promise<Session> {
  const session = await addSentCommand(plain);
  const { options, host, workspace: folder, loaded, warn } = session;
  const { task } = options;
  if (task === undefined) return session;
  const place = { folder, isTrusted: true, settings: loaded.settings };
  const typed = plain.options.task ?? task;
  const { blocks, problems } = await readMentionedResources(typed, host.plugins, place);
  for (const problem of problems) warn(writeInEnglish(problem));
  return { ...session, options: { ...options, task: [task, ...blocks].join("\n\n") } };
}

/** Resumes a stored run and runs it to its end. Throws a sentence when that cannot be done. */
export async function resumeRun(session: Session, id: string): Promise<RunEnd> {
  const run = await continueRun(session, id);
  return "reason" in run ? run : toItsEnd(session, run);
}

/** Starts a run according to the options, and to what else is given. */
export async function startRun(
  session: Session,
  given: Pick<NewRun, "id" | "pictures" | "sources"> = {},
): Promise<LiveComposedRun> {
  const { options, loaded, workspace, host, warn } = session;
  const { settings } = loaded;
  const usual = await host.models.resolveModelPair(workspace);
  const own = await chooseOwnStart(session);
  const { profile, task, draft } = await chooseProfile(session, usual.fast, own);
  const models = profile.model === undefined ? usual : await host.models.resolveModelPair(workspace, profile.model);
  const home = getRunHomes(workspace, session.around.data).own;
  // The file of an agent or a command is read again for each run.
  if (!own)
    await createProfiles(home)
      .save(profile)
      .catch(() => undefined);
  if (options.isolated)
    await cleanUpCopies(host, settings.isolation.quotaMb).catch((error: unknown) => warn(getErrorMessage(error)));
  const run = await beginRun(host, {
    task,
    profile,
    folder: workspace,
    settings,
    models,
    mode: chooseMode(options, settings.run.continuous),
    pictures: checkPictures(await loadPictures(options)),
    instructions: [
      ...(options.promptSettings === undefined ? [] : [await readInstructionsFile(options.promptSettings)]),
      ...(own?.instructions ?? []),
    ],
    ...given,
  });
  hear(session, run, true);
  if (draft?.completion) await run.run.record(createUsageEvent("draft", draft.completion));
  for (const line of renderInstructionLines(run.run.head)) warn(line);
  warnAboutCommands(session, run);
  return run;
}

/** The pictures that the command line names. Throws `UsageError` for one that can't be read. */
export async function loadPictures({ pictures }: Pick<RunOptions, "pictures">): Promise<readonly GivenPicture[]> {
  return Promise.all(
    pictures.map(async (path) => {
      const data = await readLinkedBytes(path).catch(() => undefined);
      if (!data) throw new UsageError(`--picture names ${path}, which can't be read.`);
      return { name: path, data };
    }),
  );
}

function chooseMode({ plan, isolated }: RunOptions, continuous: boolean): Mode {
  if (isolated) return "isolated";
  if (plan) return "plan";
  return continuous ? "continuous" : "ask";
}

async function readInstructionsFile(path: string): Promise<Instructions> {
  const text = await readLinkedText(path, MOST_SETTINGS_BYTES).catch(() => undefined);
  if (text === undefined) throw new UsageError(`--prompt-settings names ${path}, which can't be read.`);
  return { file: path, text: renderPromptSettings(text, path), by: "user" };
}

/** Changes the limits of a stored run to those that this start sets. */
export function applyGivenLimits({ loaded }: Session, { run }: LiveComposedRun): Promise<void> {
  return changeLimits(run, selectGivenLimits(loaded));
}

/** Opens a stored run as it is. Throws a sentence if it can't be continued here. */
export async function openStoredRun(session: Session, id: string): Promise<LiveComposedRun> {
  const { host } = session;
  const opened = await openRun(host, await host.store.open(id));
  if (!isLive(opened)) {
    await opened.dispose();
    const why = opened.readOnly ?? displayText("actions.readOnly");
    if (opened.holder) throw new Error(`${writeInEnglish(why)} To continue it here, add --take-over.`);
    throw new DisplayError(why);
  }
  hear(session, opened, false);
  return opened;
}

/** Opens a stored run, with the options' changes; returns its end if there is nothing to continue. */
async function continueRun(session: Session, id: string): Promise<LiveComposedRun | RunEnd> {
  const { options, loaded } = session;
  if (options.takeOver) await takeOver(session, id);
  const opened = await openStoredRun(session, id);
  const { run } = opened;
  await applyGivenLimits(session, opened);
  await askForBudget(session, opened, selectGivenLimits(loaded));
  if (options.plan && run.state.mode !== "plan") await run.record({ type: "changed", mode: "plan" });
  const isPlanned = run.state.mode === "plan" && run.state.end?.reason === "finished";
  if (isPlanned && !options.plan && options.task === undefined) await agreeToPlan(run);
  else if (options.task !== undefined) await recordResumeMessage(session, opened, options.task);
  else if (run.state.end?.reason === "finished") {
    const { end } = run.state;
    await opened.dispose();
    return end;
  }
  await startContinuous(session, opened);
  warnAboutCommands(session, opened);
  return opened;
}

/** Takes a run over from the process that works on it, and prints what its user had typed there. */
async function takeOver({ host, around, warn }: Session, id: string): Promise<void> {
  const home = await host.store.findRunFolder(id);
  const seal = await host.storage.seal(id);
  await requestRun(home, seal, { findHolder: findLockHolder, signal: around.signal });
  const draft = tryJson(await claimDraft(home, seal));
  if (isUnsentOfRun(draft) && draft.text !== "") warn(`Typed there and not sent: ${draft.text}`);
}

async function recordResumeMessage(
  { host, options, workspace }: Session,
  { run, home }: LiveComposedRun,
  text: string,
): Promise<void> {
  const pictures = checkPictures(await loadPictures(options));
  if (pictures.length > 0) await demandSight((await host.models.resolveModelPair(workspace)).smart, pictures);
  const attached = await keepPictures(home, pictures);
  await run.record({ type: "said", text, by: "user", ...createPictureFields(attached) });
}

/** A stored run's grants aren't restored; those of this start replace them. */
export async function startContinuous(
  { loaded: { settings } }: Session,
  { run, grants }: LiveComposedRun,
): Promise<void> {
  if (!settings.run.continuous || run.state.mode === "plan" || run.state.isolated) return;
  if (run.state.mode !== "continuous") await run.record({ type: "changed", mode: "continuous" });
  grants.startContinuous(settings.run.continuousLimit);
}

function isLive(run: ComposedRun): run is LiveComposedRun {
  return run.live !== undefined;
}

/** The limits set by this start; a stored run keeps its others. */
function selectGivenLimits({ settings, given }: LoadedSettings): Partial<Limits> {
  const limits = getRunLimits(settings.run);
  const names = LIMIT_NAMES.filter((name) => given.has(LIMIT_SETTINGS[name]));
  return Object.fromEntries(names.map((name) => [name, limits[name]]));
}

/** Asks for a higher value of each used-up limit that this start doesn't raise. Without an answer, the limit stays. */
async function askForBudget(
  { lines, around, warn }: Session,
  { run }: LiveComposedRun,
  given: Partial<Limits>,
): Promise<void> {
  const { end } = run.state;
  if (end?.reason !== "exhausted" || end.budget) return;
  const findUsedUpLimit = (): LimitName | undefined => findExhaustedLimit(run.state.totals, run.state.limits);
  let limit = given[end.limit] === undefined ? end.limit : findUsedUpLimit();
  while (limit !== undefined) {
    const now = run.state.limits[limit];
    const answer = await lines?.ask(
      `The run has used up its limit of ${formatLimit(limit, now)}. What should it be from now on? [${now * 2}]\n> `,
      around.signal,
    );
    if (answer === undefined)
      return warn(
        `The run has used up its limit of ${formatLimit(limit, now)}. Give it a higher one, as in --set ${LIMIT_SETTINGS[limit]}=${now * 2}.`,
      );
    const higher = parseHigherLimit(answer.trim() === "" ? String(now * 2) : answer, now);
    if (typeof higher === "string") lines?.say(higher);
    else {
      await changeLimits(run, { [limit]: higher });
      limit = findUsedUpLimit();
    }
  }
}

/** Prints events: unchanged for programs, as text for people. */
export function hear({ options, loaded, out, host, warn }: Session, composed: ComposedRun, fromStart: boolean): void {
  const isDebug = loaded.settings.log.level === "debug";
  const print = (event: AgentEvent): void => {
    if (isDebug) warn(`${event.at} ${event.seq} ${event.type}${"step" in event ? ` of step ${event.step}` : ""}`);
    const text = options.json ? escapeInvisibleJson(JSON.stringify(convertToStoredEvent(event))) : renderEvent(event);
    if (text !== "") out.writeLine(text);
  };
  if (fromStart) for (const event of composed.past) print(event);
  composed.run.onEvent(print);
  host.setPayingRun(composed);
}

function warnAboutCommands({ options, warn }: Session, { commands, run }: LiveComposedRun): void {
  for (const problem of describeUnknownCommands(options.yesTo, commands)) warn(problem);
  const offered = new Set(commands.specs.map(({ name }) => name));
  const left = run.head.commands.map(({ name }) => name).filter((name) => !offered.has(name));
  const { smart, contextWindow } = run.state.model;
  if (left.length > 0)
    warn(
      `The window of ${smart}, ${contextWindow.toLocaleString("en")} tokens, has no room for all commands. These are not offered: ${left.join(", ")}.`,
    );
}

/** Runs to the end. A run that first made a plan continues once the person at the terminal agrees. */
export async function toItsEnd(session: Session, composed: LiveComposedRun): Promise<RunEnd> {
  const { options, out, warn } = session;
  const { run } = composed;
  const speaker = options.speak ? await createSpeaker(session, run) : undefined;
  const last = { type: "" };
  run.onEvent(({ type }) => {
    // The cost of a sentence that is read aloud may come last.
    if (type !== "spent") last.type = type;
  });
  if (speaker) run.onEvent((event) => speaker.hear(event));
  try {
    let end = await waitForEnd(session, composed);
    while (end.reason === "finished" && run.state.mode === "plan" && (await confirmPlan(session))) {
      await agreeToPlan(run);
      end = await waitForEnd(session, composed);
    }
    const isWritten = last.type === "over";
    const plan = renderFinalPlan(run.state);
    if (isWritten && !options.json)
      for (const line of [plan, formatSpending(run.state.totals)]) if (line !== "") out.writeLine(line);
    // A suspended run has no end yet.
    if (run.state.end) {
      await reviewAtEnd(session, composed);
      await suggestHandOver(session, run);
    }
    if (!isWritten && "error" in end) warn(`${end.error} To continue this run: --resume ${run.state.id}`);
    return end;
  } finally {
    await speaker?.close();
    await composed.dispose();
  }
}

/** Reads the run's sentences for the user aloud; undefined if speech isn't available here. */
async function createSpeaker(
  { options, host, loaded, workspace, around, warn }: Session,
  run: Run,
): Promise<Speaker | undefined> {
  const voice = await chooseVoice({
    settings: loaded.settings,
    keyFor: host.secrets.keyFor,
    folders: [workspace],
    env: options.env,
    recordCost: (event) => run.record(event),
  });
  if (typeof voice !== "string") return makeSpeaker(voice, warn, around.signal);
  warn(voice);
  return undefined;
}

async function waitForEnd({ around: { signal } }: Session, { live }: LiveComposedRun): Promise<RunEnd> {
  const stop = (): void => void live.stop();
  signal.addEventListener("abort", stop, { once: true });
  live.resume();
  if (signal.aborted) stop();
  return live.end.finally(() => signal.removeEventListener("abort", stop));
}

async function confirmPlan({ lines, around: { signal } }: Session): Promise<boolean> {
  const answer = await lines?.ask("Carry out this plan? y = yes · n = no\n> ", signal).catch(() => undefined);
  return answer !== undefined && /^y(es)?$/i.test(answer.trim());
}
