import * as vscode from "vscode";
import { formatDisplaySize } from "../../core/base/text.ts";
import type { HostedRun } from "../../editor/panel/hosted-runs.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import type { FleetParcel, FleetSubmission } from "../../fleet/engine.ts";
import { importFleetKey, loadFleetKey } from "../../fleet/key.ts";
import { listNotAgreed, readKnownPlaces, rememberAgreements } from "../../fleet/known-places.ts";
import { isTemporalPlace, parseTemporalAddress } from "../../fleet/temporal/address.ts";
import { getUserFolder } from "../../node/app-files.ts";
import { findRemoteAddress, hidePassword } from "../../node/git/author.ts";
import type { KeyRing } from "../../runtime/services/key-ring.ts";
import { SETTING_NAMES } from "../../schema/read-settings.ts";
import { getErrorText } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import { showProgress } from "../host/notifications.ts";
import { chooseRunFolder, openFolderName } from "../workspace/folders.ts";
import { convertPathToUri } from "../workspace/places.ts";
import { type FleetRuns, getMachineName } from "./fleet-runs.ts";
import type { FleetPlaces } from "./places.ts";

/** Dependencies of sending a task. */
export interface SendParts {
  readonly fleet: FleetRuns;
  readonly places: FleetPlaces;
  readonly keys: KeyRing;
}

/** A task without its place. */
export type SentTask = Pick<FleetSubmission, "task" | "pictures" | "sources">;

/** Sends a task to a place that the user picks, and returns the id of its run once that has begun; see `FleetRuns.send`. Before the first send there, says what leaves this machine. */
export async function sendTask(parts: SendParts, task: SentTask): Promise<string> {
  const folder = await chooseRunFolder();
  const place = await pickPlace(parts.keys);
  const { selectSentSettings } = await import("./ssh-place.ts");
  const submission = { ...task, folder, settings: selectSentSettings(listGivenSettings(folder)) };
  const send = isTemporalPlace(place) ? sendToFleet : sendToMachine;
  return (await send(parts, place, submission)).id;
}

async function sendToMachine(
  { fleet, places }: SendParts,
  name: string,
  submission: FleetSubmission,
): Promise<HostedRun> {
  const ssh = await import("./ssh-place.ts");
  const machine = getMachineName(name);
  const place = await ssh.openSshPlace(machine, places.copies);
  const { folder } = submission;
  const look = (signal: AbortSignal) =>
    Promise.all([ssh.isFleetKeyMissing(place, signal), ssh.measureFolder(folder, signal)]);
  const [lacksKey, parcel] = await showProgress(t("fleet.looking", { machine }), look);
  const detail = t("fleet.firstSendDetail", { machine, ...describeParcel(submission, parcel) });
  await demandConsent({ place: name, folder }, detail, lacksKey);
  return sendWithProgress(machine, async (signal) => {
    if (lacksKey) await ssh.shareFleetKey(place);
    return fleet.send(place.engine, submission, signal);
  });
}

/** Sends to a fleet, whose workers get the files through a repository. */
async function sendToFleet(
  { fleet, places }: SendParts,
  place: string,
  submission: FleetSubmission,
): Promise<HostedRun> {
  const { folder } = submission;
  const machine = getMachineName(place);
  await demandFleetKey();
  const { measureFolder } = await import("./ssh-place.ts");
  const parcel = await showProgress(t("fleet.looking", { machine }), (signal) => measureFolder(folder, signal));
  const repository = (await findRemoteAddress(folder)) ?? (await askForRepository(folder));
  const through = hidePassword(repository);
  const facts = { machine, repository: formatDisplayLine(through), ...describeParcel(submission, parcel) };
  await demandConsent({ place, folder, through }, t("fleet.firstSendFleetDetail", facts));
  const engine = await places.open(place, folder, repository);
  return sendWithProgress(machine, (signal) => fleet.send(engine, submission, signal));
}

/** Gives the keyboard back to the panel, which lost it to the boxes that asked, and sends. */
async function sendWithProgress(
  machine: string,
  send: (signal: AbortSignal) => Promise<HostedRun>,
): Promise<HostedRun> {
  await vscode.commands.executeCommand("autogpt.focusInput");
  return showProgress(t("fleet.sending", { machine }), send);
}

/** The settings that the user has changed, by their names. */
function listGivenSettings(folder: string): readonly (readonly [string, unknown])[] {
  const all = vscode.workspace.getConfiguration("autogpt", convertPathToUri(folder));
  return SETTING_NAMES.flatMap((name) => {
    const value = all.inspect(name)?.globalValue;
    return value === undefined ? [] : [[name, value] as const];
  });
}

async function pickPlace(keys: KeyRing): Promise<string> {
  const { listSshHosts } = await import("./ssh-place.ts");
  const [hosts, { places }] = await Promise.all([listSshHosts(), readKnownPlaces(getUserFolder())]);
  const items = [
    ...hosts.map((host) => ({ label: `$(vm) ${formatDisplayLine(host)}`, place: `ssh:${host}` })),
    ...places.filter(isTemporalPlace).map((place) => ({
      label: `$(server-environment) ${formatDisplayLine(getMachineName(place))}`,
      description: t("fleet.isFleet"),
      place,
    })),
    { label: `$(add) ${t("fleet.add")}`, place: undefined },
  ];
  const placeHolder = t(items.length === 1 ? "fleet.noMachines" : "fleet.whichMachine");
  const picked = await vscode.window.showQuickPick(items, { title: t("fleet.sendTitle"), placeHolder });
  if (!picked) throw new vscode.CancellationError();
  return picked.place ?? addFleet(keys);
}

/** Asks for a fleet: the address of its server and, off this machine, a key for it. */
async function addFleet(keys: KeyRing): Promise<string> {
  const text = await ask({
    prompt: t("fleet.addressPrompt"),
    placeHolder: "temporal://host:7233/namespace",
    value: "temporal://",
    validateInput: (value) => findProblem(() => parseTemporalAddress(value.trim())),
  });
  const place = text.trim();
  if (parseTemporalAddress(place).isLocal) return place;
  const key = (await ask({ prompt: t("fleet.apiKeyPrompt"), password: true })).trim();
  if (key !== "") await keys.set(place, key);
  return place;
}

/** Asks for the fleet's key if this machine has none: workers with another one couldn't read the task. */
async function demandFleetKey(): Promise<void> {
  const data = getUserFolder();
  if (await loadFleetKey(data)) return;
  await importFleetKey(data, await ask({ prompt: t("fleet.keyPrompt"), password: true }));
}

async function askForRepository(folder: string): Promise<string> {
  const prompt = t("fleet.repositoryPrompt", { folder: openFolderName(folder) });
  const isMissing = (value: string): string | undefined => (value.trim() === "" ? prompt : undefined);
  return (await ask({ prompt, validateInput: isMissing })).trim();
}

async function ask(options: vscode.InputBoxOptions): Promise<string> {
  const text = await vscode.window.showInputBox({ title: t("fleet.sendTitle"), ignoreFocusOut: true, ...options });
  if (text === undefined) throw new vscode.CancellationError();
  return text;
}

function findProblem(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return write(getErrorText(error));
  }
}

function describeParcel({ folder, settings }: FleetSubmission, parcel: FleetParcel) {
  return {
    count: parcel.files,
    size: write(formatDisplaySize(parcel.bytes)),
    folder: openFolderName(folder),
    settings: Object.keys(settings).join(", ") || t("fleet.noSettings"),
  };
}

/** Asks unless the user has agreed, in any program, that this repository goes there; `isNew`: even then. */
async function demandConsent(
  sent: { readonly place: string; readonly folder: string; readonly through?: string },
  detail: string,
  isNew = false,
): Promise<void> {
  const missing = await listNotAgreed(getUserFolder(), [sent]);
  if (missing.length === 0 && !isNew) return;
  const button = t("fleet.sendButton");
  const question = t("fleet.firstSend", { machine: getMachineName(sent.place) });
  const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, button);
  if (answer !== button) throw new vscode.CancellationError();
  await rememberAgreements(getUserFolder(), missing);
}
