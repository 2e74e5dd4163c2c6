import { realpath } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { createFleetKey, type FleetKey, loadFleetKey } from "../../fleet/key.ts";
import { createRemoteShell, type RemoteShell } from "../../fleet/ssh/remote-shell.ts";
import { findMissingPart, sendKey, sendProgram } from "../../fleet/ssh/set-up.ts";
import { SshEngine } from "../../fleet/ssh/ssh-engine.ts";
import { DisplayError } from "../../texts/display-text.ts";
import type { OtherPlace } from "../options.ts";
import type { Surroundings } from "../session.ts";
import { createTerminal } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

/** Another machine that can be used. */
export interface OpenPlace {
  readonly engine: SshEngine;
  readonly shell: RemoteShell;
  readonly key: FleetKey;
}

/** Opens a place by its name. The fleet key is made if there is none. Throws `UsageError` for a name that isn't one's. */
export async function openPlace({ name, sshConfig }: Omit<OtherPlace, "isAgreed">, data: string): Promise<OpenPlace> {
  const [, host] = /^ssh:(.+)$/.exec(name) ?? [];
  if (host === undefined) throw new UsageError(`--on takes a machine, as in --on ssh:box, not "${name}".`);
  const shell = createRemoteShell(host, sshConfig);
  const key = (await loadFleetKey(data)) ?? (await createFleetKey(data));
  return { shell, key, engine: new SshEngine({ shell, data, key, sender: userInfo().username }) };
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
export async function setUpPlace({ shell, key }: OpenPlace, isAgreed: boolean, around: Surroundings): Promise<void> {
  const { data, signal, stderr } = around;
  const sent = new Set<string>();
  for (;;) {
    const missing = await findMissingPart(shell, key, signal);
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
  key: "doesn't have your fleet key, with which it reads your tasks and seals their runs. Send it there?",
};
