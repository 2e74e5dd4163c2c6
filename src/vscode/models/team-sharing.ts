import * as vscode from "vscode";
import { omitUndefined } from "../../core/base/objects.ts";
import { isUriPath } from "../../core/base/uri-path.ts";
import { waitForFirstAnswer } from "../../memory/shared/first-answer.ts";
import type { PluginMemoryStores } from "../../memory/shared/plugin-log.ts";
import {
  computeAgreementKey,
  getPasswordAddress,
  getServerLabel,
  SHARED_KINDS,
  type SharedAmount,
  type SharingPlace,
} from "../../memory/shared/sharing.ts";
import { hasSent } from "../../memory/shared/sync-journal.ts";
import type { SharedMemoryOptions, SharedState } from "../../memory/shared/team-memory.ts";
import type { WorkspaceMemory } from "../../memory/workspace-memory.ts";
import { findAuthorName, findRemoteAddress } from "../../node/git/author.ts";
import type { KeyRing } from "../../runtime/services/key-ring.ts";
import type { Settings } from "../../schema/settings.ts";
import { displayText, getErrorText, type Sentence, writeInEnglish } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { showMessage, showProgress } from "../host/notifications.ts";
import { formatTitleWithFolder, openFolderName } from "../workspace/folders.ts";
import { writeSettings } from "./model-setup.ts";
import {
  askServer,
  type CheckAddress,
  findServerInSettings,
  type NamedServer,
  resolveSharingPlace,
  type SharedFolder,
} from "./sharing-server.ts";

const PREFIX = "autogpt.sharedMemory:";
/** Key prefix before a folder's path: stores the entered project name. A setting would name the projects of all folders. */
const PROJECT = "autogpt.sharedProject:";
/** Wait for a server before reporting that it's slow, in milliseconds. */
const ANSWER_MS = 15_000;
/** Problems that resolve without the user. */
const PASSING: ReadonlySet<string> = new Set(["trouble.sharedUnreachable", "trouble.sharedStoreFails"]);

type Answer = SharedAmount | "no";

/** A decision of the user about sharing a folder's memory. */
export interface SharingDecision {
  readonly folder: string;
  readonly place: SharingPlace;
  readonly answer: Answer;
}

/** The user's consents to share memories, each for one folder, server and project. Stored outside any workspace. */
export class TeamSharing {
  private readonly state: vscode.Memento;
  private readonly keys: Pick<KeyRing, "get" | "set" | "clear">;
  private readonly stores: Pick<PluginMemoryStores, "get">;
  private readonly asked = new Set<string>();
  private readonly reported = new Set<string>();

  constructor(
    state: vscode.Memento,
    keys: Pick<KeyRing, "get" | "set" | "clear">,
    stores: Pick<PluginMemoryStores, "get">,
  ) {
    this.state = state;
    this.keys = keys;
    this.stores = stores;
  }

  /**
   * The server for sharing a folder's memory; undefined if it isn't shared. Asks the user once per session, and calls `agreed` when they
   * agree.
   */
  async resolveSharedServer(
    folder: string,
    settings: Settings,
    agreed: (decision: SharingDecision) => void,
  ): Promise<SharedMemoryOptions | undefined> {
    const place = await findSharingPlace(folder, settings, this.getProjectName(folder));
    if (!place) return undefined;
    const key = computeAgreementKey(folder, place);
    const answer = this.state.get<Answer>(PREFIX + key);
    if (answer === undefined && !this.asked.has(key)) {
      this.asked.add(key);
      this.offer(folder, place).then(
        (decision) => decision && agreed(decision),
        (error: unknown) => showMessage("warning", getErrorText(error)),
      );
    }
    if (answer !== "notes" && answer !== "all") return undefined;
    const secret = await this.keys.get(getPasswordAddress(place));
    return {
      ...place,
      ...omitUndefined({ secret }),
      findStore: (id) => this.stores.get(id),
      kinds: SHARED_KINDS[answer],
      getAuthor: () => findAuthorName(folder),
    };
  }

  /** Lets the user name the server, decide what is shared, or enter the password. Undefined when nothing changed. */
  async change(folder: string, settings: Settings, check: CheckAddress): Promise<SharingDecision | undefined> {
    const isVirtual = isUriPath(folder);
    const formatTitle = (title: string) => formatTitleWithFolder(folder, title);
    const shared: SharedFolder = { path: folder, named: this.getProjectName(folder), formatTitle };
    const known = isVirtual ? undefined : await findServerInSettings(shared, settings, check);
    const server = known ?? (await askServer(shared, settings, check));
    if (!server) return undefined;
    const step = await this.askAmount(folder, server);
    if (step === "password") return this.changePassword(folder, server.place);
    if (step !== "server") return step && this.agree(folder, server, step);
    const other = await askServer(shared, settings, check);
    const answer = other && (await this.askAmount(folder, other, "new"));
    return other && answer && answer !== "server" && answer !== "password"
      ? this.agree(folder, other, answer)
      : undefined;
  }

  /** Reports the result of a decision once the server has answered, or after waiting too long. */
  async tellResult({ folder, place, answer }: SharingDecision, store: WorkspaceMemory): Promise<void> {
    const facts = { folder: openFolderName(folder), ...this.getPlaceFacts(place) };
    if (answer === "no") {
      const code = (await hasSent(store.folder, place)) ? "runs.share.off" : "runs.share.offUnsent";
      return void showMessage("info", displayText(code, facts));
    }
    const connecting = t("runs.share.connecting", { server: facts.server });
    const state = await showProgress(connecting, (signal) => waitForFirstAnswer(store, ANSWER_MS, signal));
    if (state?.isConnected)
      return void showMessage("info", displayText(answer === "notes" ? "runs.share.on" : "runs.share.onAll", facts));
    if (store.state.mode === "reading") return void showMessage("info", displayText("runs.share.elsewhere"));
    const { problem = displayText("runs.share.slow", { server: facts.server }) } = state ?? {};
    if (isPassing(problem)) void showMessage("warning", problem);
  }

  /** Reports a problem that needs the user, once in a session or after a decision. */
  report(state: SharedState | undefined): void {
    const { problem } = state ?? {};
    if (problem === undefined || isPassing(problem) || this.reported.has(writeInEnglish(problem))) return;
    this.reported.add(writeInEnglish(problem));
    void showMessage("warning", problem);
  }

  private async askAmount(folder: string, { place }: NamedServer, isNew?: "new") {
    const current = this.state.get<Answer>(PREFIX + computeAgreementKey(folder, place));
    const isOn = current === "notes" || current === "all";
    const createPickRow = <Step extends string>(answer: Step, label: string, description: string) => ({
      label: answer === current ? `$(check) ${label}` : label,
      description,
      answer,
    });
    const picks = [
      createPickRow("notes", t("runs.share.notes"), t("runs.share.notesDetail")),
      createPickRow("all", t("runs.share.all"), t("runs.share.allDetail")),
      createPickRow("no", t("runs.share.nothing"), t("runs.share.nothingDetail")),
      ...(isOn ? [createPickRow("password", t("runs.share.password"), "")] : []),
      ...(isNew ? [] : [createPickRow("server", t("runs.share.otherServer"), "")]),
    ];
    const picked = await vscode.window.showQuickPick(picks, {
      title: t("runs.share.title", { folder: openFolderName(folder), ...this.getPlaceFacts(place) }),
      placeHolder: t("runs.share.author", { author: await findAuthorName(folder) }),
      ignoreFocusOut: true,
    });
    return picked?.answer;
  }

  private async offer(folder: string, place: SharingPlace): Promise<SharingDecision | undefined> {
    const author = await findAuthorName(folder);
    const [notes, all, no] = [t("runs.share.notesButton"), t("runs.share.allButton"), t("runs.share.noButton")];
    const picked = await vscode.window.showInformationMessage(
      t("runs.share.ask", { folder: openFolderName(folder), ...this.getPlaceFacts(place), author }),
      ...[notes, all, no],
    );
    const answer = picked === notes ? "notes" : picked === all ? "all" : picked === no ? "no" : undefined;
    if (answer === undefined) return undefined;
    const decision = await this.agree(folder, { place, settings: {} }, answer);
    return decision?.answer === "no" ? undefined : decision;
  }

  /** Stores a decision. If a required password isn't entered, nothing is stored. */
  private async agree(
    folder: string,
    { place, settings, secret, named }: NamedServer,
    answer: Answer,
  ): Promise<SharingDecision | undefined> {
    if (secret !== undefined) await this.keys.set(getPasswordAddress(place), secret);
    else if (answer !== "no" && (await this.keys.get(getPasswordAddress(place))) === undefined) {
      if (!(await this.enterPassword(place))) return undefined;
    }
    await this.state.update(PREFIX + computeAgreementKey(folder, place), answer);
    if (named !== undefined) await this.state.update(PROJECT + folder, named);
    await writeSettings(settings);
    this.reported.clear();
    return { folder, place, answer };
  }

  /** A server and a project for display. */
  private getPlaceFacts(place: SharingPlace): { readonly server: string; readonly project: string } {
    return { server: getServerLabel(place, (id) => this.stores.get(id)), project: place.project };
  }

  private getProjectName(folder: string): string {
    return this.state.get<string>(PROJECT + folder) ?? "";
  }

  private async changePassword(folder: string, place: SharingPlace): Promise<SharingDecision | undefined> {
    if (!(await this.enterPassword(place))) return undefined;
    this.reported.clear();
    return {
      folder,
      place,
      answer: this.state.get<Answer>(PREFIX + computeAgreementKey(folder, place)) ?? "no",
    };
  }

  /** Asks for a password. False when the user cancels. An empty password means a server without passwords. */
  private async enterPassword(place: SharingPlace): Promise<boolean> {
    const password = await vscode.window.showInputBox({
      title: t("runs.share.passwordTitle", { server: this.getPlaceFacts(place).server }),
      prompt: t("runs.share.passwordPrompt"),
      password: true,
      ignoreFocusOut: true,
    });
    if (password === undefined) return false;
    if (password === "") await this.keys.clear(getPasswordAddress(place));
    else await this.keys.set(getPasswordAddress(place), password);
    return true;
  }
}

async function findSharingPlace(
  folder: string,
  { memory }: Settings,
  named: string,
): Promise<SharingPlace | undefined> {
  if (memory.backend === "local" || isUriPath(folder)) return undefined;
  return resolveSharingPlace(memory, memory.project === "" ? await findRemoteAddress(folder) : undefined, named);
}

/** True for problems that are over once the server answers. */
function isPassing(problem: Sentence): boolean {
  return typeof problem !== "string" && (PASSING.has(problem.code) || problem.code === "runs.share.slow");
}
