import * as vscode from "vscode";
import { formatDisplaySize } from "../../core/base/text.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import type { FleetParcel, FleetSubmission } from "../../fleet/engine.ts";
import { SETTING_NAMES } from "../../schema/read-settings.ts";
import { fail } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import { showProgress } from "../host/notifications.ts";
import { chooseRunFolder, openFolderName } from "../workspace/folders.ts";
import { convertPathToUri } from "../workspace/places.ts";
import type { FleetRuns } from "./fleet-runs.ts";

/** Sends a task to a machine that the user picks, and returns the id of its run. Before the first send there, says what leaves this one. */
export async function sendTask(fleet: FleetRuns, copies: string, task: string): Promise<string> {
  const folder = await chooseRunFolder();
  const ssh = await import("./ssh-place.ts");
  const machine = await pickMachine(await ssh.listSshHosts());
  const settings = ssh.selectSentSettings(listGivenSettings(folder));
  const submission: FleetSubmission = { task, folder, settings };
  const place = await ssh.openSshPlace(machine, copies);
  const look = (signal: AbortSignal) =>
    Promise.all([ssh.isFleetKeyMissing(place, signal), ssh.measureFolder(folder, signal), ssh.isAgreedPlace(place)]);
  const [lacksKey, parcel, isAgreed] = await showProgress(t("fleet.looking", { machine }), look);
  if (lacksKey || !isAgreed) await askForConsent(machine, submission, parcel);
  const hosted = await showProgress(t("fleet.sending", { machine }), async (signal) => {
    if (lacksKey) await ssh.shareFleetKey(place);
    return fleet.send(place.engine.place, submission, signal);
  });
  return hosted.id;
}

/** The settings that the user has changed, by their names. */
function listGivenSettings(folder: string): readonly (readonly [string, unknown])[] {
  const all = vscode.workspace.getConfiguration("autogpt", convertPathToUri(folder));
  return SETTING_NAMES.flatMap((name) => {
    const value = all.inspect(name)?.globalValue;
    return value === undefined ? [] : [[name, value] as const];
  });
}

async function pickMachine(hosts: readonly string[]): Promise<string> {
  if (hosts.length === 0) fail("fleet.noMachines");
  const picked = await vscode.window.showQuickPick(
    hosts.map((host) => ({ label: formatDisplayLine(host), host })),
    { title: t("fleet.sendTitle"), placeHolder: t("fleet.whichMachine") },
  );
  if (!picked) throw new vscode.CancellationError();
  return picked.host;
}

async function askForConsent(
  machine: string,
  { folder, settings }: FleetSubmission,
  parcel: FleetParcel,
): Promise<void> {
  const button = t("fleet.sendButton");
  const detail = t("fleet.firstSendDetail", {
    machine,
    count: parcel.files,
    size: write(formatDisplaySize(parcel.bytes)),
    folder: openFolderName(folder),
    settings: Object.keys(settings).join(", ") || t("fleet.noSettings"),
  });
  const answer = await vscode.window.showWarningMessage(
    t("fleet.firstSend", { machine }),
    { modal: true, detail },
    button,
  );
  if (answer !== button) throw new vscode.CancellationError();
}
