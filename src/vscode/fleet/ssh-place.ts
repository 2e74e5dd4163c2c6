import { hostname, userInfo } from "node:os";
import * as vscode from "vscode";
import type { FleetEngine } from "../../fleet/engine.ts";
import { createFleetKey, type FleetKey, loadFleetKey } from "../../fleet/key.ts";
import { createRemoteShell, type RemoteShell } from "../../fleet/ssh/remote-shell.ts";
import { findMissingPart, sendKey } from "../../fleet/ssh/set-up.ts";
import { SshEngine } from "../../fleet/ssh/ssh-engine.ts";
import { getUserFolder } from "../../node/app-files.ts";
import { DisplayError } from "../../texts/display-text.ts";

export { measureFolder, selectSentSettings } from "../../fleet/parcel.ts";
export { listSshHosts } from "../../fleet/ssh/hosts.ts";

/** A machine of the user that is reached by ssh. */
interface SshPlace {
  readonly shell: RemoteShell;
  readonly key: FleetKey;
  readonly engine: FleetEngine;
}

/** Opens a machine as a place for runs, with the user's fleet key; the first time, makes one. Nothing is sent yet. `copies`: the folder of the editor's copies. */
export async function openSshPlace(host: string, copies: string): Promise<SshPlace> {
  const data = getUserFolder();
  const key = (await loadFleetKey(data)) ?? (await createFleetKey(data));
  const shell = createRemoteShell(host);
  const sender = `${userInfo().username}@${hostname()}`;
  return { shell, key, engine: new SshEngine({ shell, data, key, copies, sender }) };
}

/** True if a machine only lacks the user's fleet key. Throws a sentence if it lacks something else, or can't be reached. */
export async function isFleetKeyMissing({ shell, key }: SshPlace, signal: AbortSignal): Promise<boolean> {
  const version = vscode.extensions.getExtension("autogpt-vscode.autogpt")?.packageJSON.version;
  const missing = await findMissingPart(shell, key, signal, version);
  if (missing && missing.part !== "key") throw new DisplayError(missing.why);
  return missing !== undefined;
}

/** Sends the user's fleet key to a machine. The user has agreed to it. */
export async function shareFleetKey({ shell }: SshPlace): Promise<void> {
  await sendKey(shell, getUserFolder());
}
