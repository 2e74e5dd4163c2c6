import { realpath } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import type { FleetEngine } from "../../fleet/engine.ts";
import { createFleetKey, type FleetKey, loadFleetKey } from "../../fleet/key.ts";
import { createRemoteShell, type RemoteShell } from "../../fleet/ssh/remote-shell.ts";
import { findMissingPart, sendKey, sendProgram } from "../../fleet/ssh/set-up.ts";
import { SshEngine } from "../../fleet/ssh/ssh-engine.ts";
import { findRemoteAddress, hidePassword } from "../../node/git/author.ts";
import { DisplayError, fail } from "../../texts/display-text.ts";
import type { OtherPlace } from "../options.ts";
import { findOwnVersion } from "../place.ts";
import type { Surroundings } from "../session.ts";
import { createTerminal } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

/** Another place that can be used. */
export interface OpenPlace {
  readonly engine: FleetEngine;
  /** Says to people where what is sent goes, such as `box by ssh`. */
  readonly target: string;
  /** Finds the address of the repository through which a folder travels, without a password; absent: straight to the machine. */
  findRepository?(folder: string): Promise<string>;
  /** A single machine, which can be set up from here. */
  readonly machine?: { readonly shell: RemoteShell; readonly key: FleetKey };
  close(): Promise<void>;
}

/** How a place is named on the command line. */
export interface NamedPlace extends Omit<OtherPlace, "isAgreed"> {
  /** A folder in the repository whose runs they are. */
  readonly folder: string;
}

/** Opens a place by its name. For a machine, the fleet key is made if there is none; a fleet's workers have theirs already. Throws `UsageError` for a name that isn't one's. */
export async function openPlace(named: NamedPlace, around: Surroundings): Promise<OpenPlace> {
  const { data } = around;
  const { name, sshConfig } = named;
  const [, kind, host = ""] = /^(ssh:|temporal:\/\/)(.+)$/.exec(name) ?? [];
  if (kind === undefined)
    throw new UsageError(
      `--on takes a machine or a fleet, as in --on ssh:box or --on temporal://host:7233, not "${name}".`,
    );
  const known = await loadFleetKey(data);
  const sender = userInfo().username;
  if (kind !== "ssh:") {
    const key = known ?? fail("fleet.noKey");
    const { openTemporalFleet } = await import("../../fleet/temporal/temporal-engine.ts");
    const findRepository = async (folder: string): Promise<string> =>
      hidePassword(named.repository ?? (await findRemoteAddress(folder)) ?? fail("temporal.noRemote", { folder }));
    return {
      target: `${name} and its workers`,
      findRepository,
      ...(await openTemporalFleet({ ...named, data, key, sender }, process.env)),
    };
  }
  const key = known ?? (await createFleetKey(data));
  const shell = createRemoteShell(host, sshConfig);
  const engine = new SshEngine({ shell, data, key, sender });
  return { engine, target: `${host} by ssh`, machine: { shell, key }, close: async () => undefined };
}

/** Asks the person at the terminal; without one, the answer is no. */
export async function askYesOrNo(question: string, { stdin, stderr, signal }: Surroundings): Promise<boolean> {
  if (!stdin.isTTY) return false;
  const terminal = createTerminal(stdin, stderr);
  try {
    const answer = await terminal.ask(`${question} y = yes · n = no\n> `, signal);
    return answer !== undefined && /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}

/** Brings what a machine lacks there, after asking. Throws a sentence for what only its user can install. */
export async function setUpPlace({ machine }: OpenPlace, isAgreed: boolean, around: Surroundings): Promise<void> {
  if (!machine) return;
  const { shell, key } = machine;
  const { data, signal, stderr } = around;
  const sent = new Set<string>();
  for (;;) {
    const missing = await findMissingPart(shell, key, signal, await findOwnVersion());
    if (!missing) return;
    const { part, why } = missing;
    const question = QUESTIONS[part];
    if (question === undefined || sent.has(part)) throw new DisplayError(why);
    if (!isAgreed && !(await askYesOrNo(`${shell.host} ${question}`, around))) throw new DisplayError(why);
    sent.add(part);
    stderr.write(`Sending to ${shell.host} …\n`);
    if (part === "key") await sendKey(shell, data);
    else await sendProgram(shell, dirname(await realpath(process.argv[1] ?? "")), signal);
    stderr.write(`${shell.host} has ${part === "key" ? "your fleet key" : "AutoGPT"} now.\n`);
  }
}

const QUESTIONS: Readonly<Record<string, string>> = {
  program: "doesn't have AutoGPT. Copy it into your data folder there?",
  oldProgram:
    "has an older AutoGPT. Replace it by this one? Runs that work there are interrupted, and continue with it.",
  key: "doesn't have your fleet key, with which it reads your tasks and seals their runs. Send it there?",
};
