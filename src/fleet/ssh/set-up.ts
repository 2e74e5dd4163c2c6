import { spawn } from "node:child_process";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { findSystemProgram } from "../../node/processes/programs.ts";
import type { ServedLine } from "../../schema/fleet/served.ts";
import { DisplayError, type DisplayText, displayText, fail } from "../../texts/display-text.ts";
import { exportFleetKey, type FleetKey } from "../key.ts";
import { INSTALLER } from "./launcher.ts";
import { type RemoteShell, readOnlyAnswer } from "./remote-shell.ts";
import { explainUnfit } from "./ssh-failures.ts";

/** A part that a machine lacks before runs can work there. */
export interface MissingPart {
  /** `program`, `oldProgram` and `key` can be sent there with the user's consent; the others are up to them. */
  readonly part: "node" | "git" | "walls" | "program" | "oldProgram" | "newProgram" | "key" | "otherKey";
  /** The way to get it, as a sentence. */
  readonly why: DisplayText;
}

/**
 * Looks at a machine; undefined if it's ready. `version`: that of the program here, if both should be of one. Throws a sentence if it can't be
 * reached.
 */
export async function findMissingPart(
  shell: RemoteShell,
  key: FleetKey,
  signal: AbortSignal,
  version?: string,
): Promise<MissingPart | undefined> {
  signal.throwIfAborted();
  const { host } = shell;
  const found = await readOnlyAnswer(host, shell.start("serve-run", "check"), "machine", "unfit");
  if (found.type === "unfit") return explainUnfit(host, found);
  return describeMachine(host, found, { key, version });
}

function describeMachine(
  host: string,
  found: Extract<ServedLine, { type: "machine" }>,
  { key, version = found.version }: { readonly key: FleetKey; readonly version: string | undefined },
): MissingPart | undefined {
  if (found.git === undefined) return { part: "git", why: displayText("ssh.noGit", { host }) };
  if (found.walls === undefined)
    return { part: "walls", why: displayText("ssh.noWalls", { host, said: found.noWalls ?? "" }) };
  const versions = { host, found: found.version, own: version };
  const order = compareVersions(found.version, version);
  if (order < 0) return { part: "oldProgram", why: displayText("ssh.oldProgram", versions) };
  if (order > 0) return { part: "newProgram", why: displayText("ssh.newProgram", versions) };
  if (found.key === undefined) return { part: "key", why: displayText("ssh.noKey", { host }) };
  return found.key === key.id ? undefined : { part: "otherKey", why: displayText("ssh.otherKey", { host }) };
}

/** Compares the first two numbers of versions: those that differ in the third one understand each other. */
function compareVersions(one: string, other: string): number {
  const [a = 0, b = 0] = one.split(".").map(Number);
  const [c = 0, d = 0] = other.split(".").map(Number);
  return a - c || b - d;
}

/** Throws a sentence for a machine on which runs can't work. */
export async function demandFitMachine(shell: RemoteShell, key: FleetKey, signal: AbortSignal): Promise<void> {
  const missing = await findMissingPart(shell, key, signal);
  if (missing) throw new DisplayError(missing.why);
}

/** Sends the user's fleet key to a machine of theirs, over the encrypted connection. The user has agreed to it. */
export async function sendKey(shell: RemoteShell, data: string): Promise<void> {
  const program = shell.start("serve-run", "take-key");
  program.write(await exportFleetKey(data));
  program.end();
  await readOnlyAnswer(shell.host, program, "started");
}

/** Copies the program in a folder to a machine of the user, into their data folder there. The user has agreed to it. */
export async function sendProgram(shell: RemoteShell, folder: string, signal: AbortSignal): Promise<void> {
  const { host } = shell;
  await access(join(folder, "autogpt.mjs")).catch(() => fail("ssh.noProgram", { host }));
  const tar = findSystemProgram("tar") ?? fail("ssh.noTar", { host });
  const packing = spawn(tar, ["-cf", "-", "-C", folder, "."], { stdio: ["ignore", "pipe", "ignore"], signal });
  packing.on("error", () => undefined);
  const program = shell.startScript(INSTALLER);
  packing.stdout.on("error", () => program.close());
  packing.stdout.pipe(program.input);
  // One that can't send any more would keep this program alive.
  await readOnlyAnswer(host, program, "started").finally(() => packing.kill());
}
