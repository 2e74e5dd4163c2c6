import * as vscode from "vscode";
import { hasSucceeded } from "../../core/base/async.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { createUsageEvent, type ModelPair } from "../../core/events/run.ts";
import type { Completion } from "../../core/ports/model.ts";
import { completeProfile, type Profile } from "../../core/prompt/profile.ts";
import { describeContinuousMode, StartMode } from "../../editor/panel/continuous-mode.ts";
import type { HostedRun, HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import type { ModelResolver } from "../../models/model-resolver.ts";
import { createProfiles, findClassicProfile } from "../../runs/profiles/profiles.ts";
import { shareFolder } from "../../runs/store/run-folder.ts";
import type { CheckedPicture } from "../../runs/store/run-pictures.ts";
import type { NewRun } from "../../runtime/first-event.ts";
import { limitCommands, type OwnStart } from "../../runtime/instructions/own-agents.ts";
import { startWays, type Way, type Ways } from "../../runtime/isolated/ways.ts";
import { type DraftedProfile, draftInRun, draftRunProfile } from "../../runtime/profile-draft.ts";
import type { Mode, Source } from "../../schema/run-values.ts";
import { DisplayError, displayText, fail, getErrorText, type Sentence } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import {
  chooseRunFolder,
  findLikelyFolder,
  findPlaceProblem,
  findPlaceRemedy,
  listAllFolders,
  openFolders,
  REMEDY_COMMANDS,
} from "../workspace/folders.ts";
import { convertPathToUri } from "../workspace/places.ts";
import { showMessage, showProgress } from "./notifications.ts";
import type { RunLibrary } from "./run-library.ts";
import type { RunOpener } from "./run-opener.ts";
import { readSettings } from "./settings.ts";

export interface StartRequest {
  readonly task: string;
  readonly profile: Profile;
  readonly folder?: vscode.Uri;
  readonly mode?: Mode;
  readonly maxSteps?: number;
  readonly pictures?: readonly CheckedPicture[];
  readonly models?: ModelPair;
  /** Untrusted sources that its task comes from. */
  readonly sources?: readonly Source[];
  /** The parts that come from an agent's file, or from the command that the task begins with. */
  readonly own?: OwnStart | undefined;
  /** Leaves the panel as it is. */
  readonly quietly?: boolean;
  /** The user has not seen the profile yet, so it isn't stored for the next time. */
  readonly unseen?: boolean;
}

/** A task to try in several ways. */
interface WaysRequest {
  readonly task: string;
  readonly ways: readonly Way[];
  /** The command line that compares them. */
  readonly check?: string;
  readonly folder?: vscode.Uri;
}

/** A drafted profile; `notice` explains a draft that isn't the model's. */
export type DraftResult = Omit<DraftedProfile, "completion">;

/** Starts runs: checks the folder, finds models, drafts profiles. */
export class Starter {
  private readonly desk: ModelResolver;
  private readonly opener: RunOpener;
  private readonly runs: HostedRuns;
  private readonly library: RunLibrary;
  /** IDs of the runs that compare ways. One message reports the end of all of them. */
  readonly compared = new Set<string>();
  /** Costs of drafted profiles by task, until they are charged to a run that starts. */
  private readonly drafts = new Map<string, Completion[]>();

  private readonly modes = new StartMode(askAboutContinuous);

  constructor(desk: ModelResolver, opener: RunOpener, runs: HostedRuns, library: RunLibrary) {
    this.library = library;
    this.desk = desk;
    this.opener = opener;
    this.runs = runs;
  }

  async demandPlace(): Promise<void> {
    const problem = findPlaceProblem();
    if (problem === undefined) return;
    const remedy = findPlaceRemedy();
    const label = t(`actions.${remedy}Button`);
    const answer = await vscode.window.showWarningMessage(problem, label);
    if (answer === label) await vscode.commands.executeCommand(REMEDY_COMMANDS[remedy]);
    throw new vscode.CancellationError();
  }

  /** Throws a sentence when no model is set up. */
  async demandModel(): Promise<void> {
    await this.desk.demand(readSettings());
  }

  /** Throws a sentence if no run can start here, or if there is no model. */
  async demandStart(): Promise<void> {
    const problem = findPlaceProblem();
    if (problem !== undefined) throw new DisplayError(problem);
    await this.demandModel();
  }

  /** Checks whether new runs' model accepts pictures, as far as known; undefined if there is no model. */
  async checkPictureSupport(): Promise<{ readonly model: string; readonly sees: boolean } | undefined> {
    const models = await this.desk.createModelPair(readSettings()).catch(() => undefined);
    if (!models) return undefined;
    const { smart } = models;
    return { model: smart.name, sees: (await smart.seesPictures?.()) !== false };
  }

  /** Offers ways to set up a model. False when there is still none. */
  async offerSetup(): Promise<boolean> {
    try {
      await this.demandModel();
      return true;
    } catch (error) {
      const demo = t("actions.tryDemoButton");
      const picked = await showMessage("warning", getErrorText(error), demo);
      if (picked === demo) await vscode.commands.executeCommand("autogpt.tryDemo");
      return picked !== undefined && picked !== demo && this.hasModel();
    }
  }

  /** True if every profile is reviewed before its run starts. */
  shouldReviewProfile(): boolean {
    return readSettings().run.reviewProfile;
  }

  reuseProfile(): boolean {
    return readSettings().run.reuseProfile;
  }

  async findLastProfile(): Promise<Profile | undefined> {
    const [first] = listAllFolders();
    if (!first || !vscode.workspace.isTrusted) return undefined;
    return (await createProfiles(this.library.getHome(first.path)).findLastUsed())?.profile;
  }

  /** The profile that a classic folder has in `ai_settings.yaml`. */
  async findClassicProfile(): Promise<Profile | undefined> {
    const [first] = openFolders();
    return first && vscode.workspace.isTrusted ? findClassicProfile(first.path) : undefined;
  }

  /**
   * Drafts a profile with the fast model, or only new goals for a reused one. If that fails, the task is the only goal
   * and `notice` says why.
   */
  async draft(
    task: string,
    signal: AbortSignal,
    notice?: (text: Sentence) => void,
    again?: Profile,
  ): Promise<DraftResult> {
    const { completion, ...draft } = await draftRunProfile(
      task,
      async () => (await this.desk.createModelPair(readSettings())).fast,
      { signal, ...omitUndefined({ notice }) },
      again,
    );
    if (completion) this.drafts.set(task, [...(this.drafts.get(task) ?? []), completion]);
    return draft;
  }

  /** Throws a sentence where isolated runs can't start. */
  async demandIsolation(): Promise<void> {
    const folder = findLikelyFolder();
    const why = folder === undefined ? undefined : await this.opener.explainNoIsolation(folder);
    if (why !== undefined) throw new DisplayError(why);
  }

  async start(request: StartRequest): Promise<HostedRun> {
    const folder = await chooseRunFolder(request.folder);
    const settings = readSettings(convertPathToUri(folder));
    const mode = request.mode ?? (await this.modes.chooseMode(settings.run, () => this.opener.canIsolate(folder)));
    if (mode === undefined) throw new vscode.CancellationError();
    const models = request.models ?? (await this.desk.createModelPair(settings, request.profile.model));
    // The file of an agent or a command is read again for each run.
    if (!request.unseen && !request.own) await saveProfile(this.library.getHome(folder), request.profile);
    const hosted = await this.begin({
      task: request.task,
      profile: request.profile,
      folder,
      settings: request.maxSteps ? { ...settings, run: { ...settings.run, maxSteps: request.maxSteps } } : settings,
      models,
      mode,
      pictures: request.pictures ?? [],
      ...omitUndefined({ sources: request.sources, instructions: request.own?.instructions }),
    });
    for (const remark of request.own?.remarks ?? []) this.runs.notice(hosted.id, remark, "warning");
    await this.bookDrafts(hosted, request.task);
    this.runs.add(hosted);
    if (!request.quietly) this.runs.show(hosted.id);
    hosted.live?.resume();
    return hosted;
  }

  /** Starts a run. For an isolated run, shows the progress of copying, which the user can cancel. */
  private async begin(wanted: NewRun): Promise<HostedRun> {
    if (wanted.mode !== "isolated") return this.opener.begin(wanted);
    return showProgress(t("isolation.copying"), (signal, report) =>
      this.opener.begin({
        ...wanted,
        copying: { signal, reportProgress: (count) => report(displayText("isolation.copied", { count })) },
      }),
    );
  }

  /** Starts a task in several isolated runs, each with its own copy. Throws a sentence if none can start. */
  async startWays({ task, ways, check, folder: uri }: WaysRequest): Promise<Ways> {
    const folder = await chooseRunFolder(uri);
    const settings = readSettings(convertPathToUri(folder));
    // Ways that all bring models of their own need none that is set up.
    const own = ways.every((way) => way.models) ? ways[0]?.models : undefined;
    const models = own ?? (await this.desk.createModelPair(settings));
    return showProgress(t("isolation.copying"), (signal) =>
      startWays({
        wanted: { task, profile: completeProfile(task), folder, settings, models },
        ways,
        ...omitUndefined({ check }),
        signal: new AbortController().signal,
        begin: async (wanted) => {
          signal.throwIfAborted();
          const hosted = await this.opener.begin({ ...wanted, copying: { signal } });
          this.compared.add(hosted.id);
          this.runs.add(hosted);
          return hosted;
        },
      }),
    );
  }

  /** Starts a task immediately. Meanwhile drafts its profile, or only new goals for a reused profile. */
  async startTask(request: Omit<StartRequest, "profile" | "unseen">): Promise<HostedRun> {
    const own = request.own?.profile;
    const isAgent = own?.name !== undefined;
    const last = !isAgent && this.reuseProfile() ? await this.findLastProfile() : undefined;
    // A repository can bring a profile along, so its model isn't used before the user has seen it.
    const { model, ...profile } = completeProfile(request.task, { ...last, goals: [] });
    const hosted = await this.start({ ...request, profile: applyOwnStart(profile, own), unseen: true });
    if (model !== undefined) this.runs.notice(hosted.id, displayText("start.profileModelUnseen", { model }), "warning");
    void this.runs
      .draft(hosted, () => this.draftBeside(hosted, isAgent ? hosted.run.state.profile : last))
      .catch((error: unknown) => this.runs.notice(hosted.id, getErrorText(error)));
    return hosted;
  }

  /** Names a run whose task holds more than the user typed. */
  async nameRun(id: string, title: string): Promise<void> {
    await this.library.mark(id, { title });
    this.runs.rename(id, title);
  }

  private async draftBeside({ id, run, folder }: HostedRun, last: Profile | undefined): Promise<void> {
    const { fast } = await this.desk.createModelPair(readSettings(convertPathToUri(folder)));
    await draftInRun(run, fast, last, (text) => this.runs.notice(id, text, "warning"));
  }

  /** Stores a profile and makes it visible to version control. */
  async keepProfile(folder: string, profile: Profile): Promise<void> {
    const home = this.library.getHome(folder);
    await createProfiles(home).save(profile);
    await shareFolder(home);
  }

  private async bookDrafts({ run }: HostedRun, task: string): Promise<void> {
    const drafts = this.drafts.get(task) ?? [];
    this.drafts.clear();
    for (const draft of drafts) await run.record(createUsageEvent("draft", draft));
  }

  private async hasModel(): Promise<boolean> {
    return hasSucceeded(this.demandModel());
  }
}

/** The profile with the name, the role and the model of an agent, and only the commands that both allow. */
function applyOwnStart(profile: Profile, own: OwnStart["profile"] = {}): Profile {
  return { ...profile, ...own, ...omitUndefined({ commands: limitCommands(profile.commands, own.commands) }) };
}

/** Warns of the setting that starts runs in continuous mode. */
async function askAboutContinuous(
  limit: number,
  canIsolate: boolean,
): Promise<"continuous" | "ask" | "isolated" | undefined> {
  const modes = new Map([
    [t("actions.start.continuousButton"), "continuous" as const],
    [t("actions.start.askButton"), "ask" as const],
    ...(canIsolate ? [[t("actions.startIsolatedButton"), "isolated"] as const] : []),
  ]);
  const { title, detail } = describeContinuousMode(limit, canIsolate);
  const setting = t("actions.start.continuousSetting");
  const answer = await vscode.window.showWarningMessage(
    title,
    { modal: true, detail: `${detail} ${setting}` },
    ...modes.keys(),
  );
  return answer === undefined ? undefined : modes.get(answer);
}

/** Stores a profile for future runs. If the folder can't be written, the run continues without it. */
async function saveProfile(home: string, profile: Profile): Promise<void> {
  await createProfiles(home)
    .save(profile)
    .catch(() => undefined);
}

/** Opens a stored profile's file. */
export async function editProfile(home: string): Promise<void> {
  const stored = await createProfiles(home).list();
  if (stored.length === 0) fail("actions.profile.none");
  const items = stored.map((one) => ({
    label: formatDisplayLine(one.profile?.name ?? one.slug),
    description: formatDisplayLine(one.problem ?? one.profile?.role ?? ""),
    path: one.path,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: t("actions.profile.title"),
    placeHolder: t("runs.fork.whichProfile"),
  });
  if (picked) await vscode.window.showTextDocument(vscode.Uri.file(picked.path));
}
