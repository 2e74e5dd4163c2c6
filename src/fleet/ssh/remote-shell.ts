import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import type { Writable } from "node:stream";
import { tryJson } from "../../core/base/json.ts";
import { findOnPath, findSystemProgram, quoteWord } from "../../node/processes/programs.ts";
import { createShellEnvironment } from "../../node/processes/shell-environment.ts";
import type { ServedLine } from "../../schema/fleet/served.ts";
import { isServedLine } from "../../schema/host-validators.ts";
import { DisplayError, displayText, fail } from "../../texts/display-text.ts";
import { isHostName } from "./hosts.ts";
import { LAUNCHER } from "./launcher.ts";
import { explainSshFailure, explainUnfit, quoteMessage } from "./ssh-failures.ts";

/** Characters of a line, as a window accepts them. */
const LONGEST_LINE = 32_000_000;
const MOST_STDERR = 20_000;

/** The program that another machine runs for this one. */
export interface RemoteProgram {
  /** Its answers. Throws a sentence if it ends without success, `LostConnection` if that may pass. */
  readonly lines: AsyncIterable<ServedLine>;
  readonly input: Writable;
  write(text: string): void;
  /** Ends its input. */
  end(): void;
  close(): void;
}

/** A connection failed in a way that may pass. */
export class LostConnection extends DisplayError {
  override readonly name = "LostConnection";
}

/** Starts programs on one other machine, and says how git gets there. */
export interface RemoteShell {
  readonly host: string;
  /** Starts the agent's program there, with these arguments. */
  start(...args: readonly string[]): RemoteProgram;
  /** Starts a script of ours there, which contains nothing of others. */
  startScript(script: string, ...args: readonly string[]): RemoteProgram;
  /** The address of a repository there. */
  formatAddress(path: string): string;
  /** The command with which git connects. */
  readonly gitCommand: string;
}

/**
 * No agent, display or port of this machine is forwarded, whatever the user's configuration says. Nothing is asked, and no command of
 * the configuration replaces ours.
 */
const OPTIONS = [
  ...["-a", "-x", "-T"],
  ...[
    "BatchMode=yes",
    "ClearAllForwardings=yes",
    "PermitLocalCommand=no",
    "RemoteCommand=none",
    "ConnectTimeout=15",
    "ServerAliveInterval=15",
    "ServerAliveCountMax=3",
  ].flatMap((option) => ["-o", option]),
];

/** The system's ssh for a machine. `config` replaces the user's own configuration. Throws a sentence for a name that can't be one. */
export function createRemoteShell(host: string, config?: string): RemoteShell {
  if (!isHostName(host)) fail("ssh.badHost", { host });
  const program = process.platform === "win32" ? findOnPath(["ssh"]) : findSystemProgram("ssh");
  if (program === undefined) fail("ssh.noSsh");
  const options = [...(config === undefined ? [] : ["-F", config]), ...OPTIONS];
  const startScript = (script: string, ...args: readonly string[]): RemoteProgram => {
    const command = ["exec", "sh", "-c", script, "autogpt", ...args].map((word, at) =>
      at < 3 ? word : quoteWord(word),
    );
    const child = spawn(program, [...options, "--", host, command.join(" ")], {
      cwd: homedir(),
      env: createShellEnvironment(process.env, []),
      windowsHide: true,
    });
    return createRemoteProgram(host, child);
  };
  return {
    host,
    start: (...args) => startScript(LAUNCHER, ...args),
    startScript,
    formatAddress: (path) => `ssh://${host}${path.split("/").map(encodeURIComponent).join("/")}`,
    gitCommand: [program, ...options].map(quoteWord).join(" "),
  };
}

/** A child process whose output is answers, one a line. */
export function createRemoteProgram(host: string, child: ChildProcessWithoutNullStreams): RemoteProgram {
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-MOST_STDERR);
  });
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => undefined);
  const ended = once(child, "close").then(
    ([code]) => code as number | null,
    () => null,
  );
  const close = (): void => {
    child.stdin.end();
    child.stdout.destroy();
    child.kill();
  };
  async function* readAnswers(): AsyncGenerator<ServedLine> {
    try {
      for await (const line of readLimitedLines(child.stdout, () => fail("ssh.notOurs", { host }))) {
        const answer = tryJson(line);
        if (!isServedLine(answer)) fail("ssh.notOurs", { host });
        yield answer;
      }
      const code = await ended;
      if (code === 0) return;
      const { why, isPassing } = explainSshFailure(host, code, stderr);
      throw isPassing ? new LostConnection(why) : new DisplayError(why);
    } finally {
      close();
    }
  }
  return {
    lines: readAnswers(),
    input: child.stdin,
    write: (text) => void child.stdin.write(`${text}\n`),
    end: () => void child.stdin.end(),
    close,
  };
}

/** The lines of a stream without the last, unfinished one. `refuse` throws at a line that is too long. */
async function* readLimitedLines(stream: AsyncIterable<Buffer | string>, refuse: () => never): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const parts = (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })).split("\n");
    for (const [at, part] of parts.entries()) {
      pieces.push(part);
      length += part.length;
      if (length > LONGEST_LINE) refuse();
      if (at === parts.length - 1) continue;
      yield pieces.join("");
      pieces = [];
      length = 0;
    }
  }
}

/** The only answer of a program that gives one. Throws a sentence if it reports a failure, or gives another one. */
export async function readOnlyAnswer<Type extends ServedLine["type"]>(
  host: string,
  program: RemoteProgram,
  ...types: readonly Type[]
): Promise<Extract<ServedLine, { type: Type }>> {
  for await (const line of program.lines) {
    const isWanted = (one: ServedLine): one is Extract<ServedLine, { type: Type }> =>
      types.some((type) => type === one.type);
    if (isWanted(line)) return line;
    if (line.type === "failed" || line.type === "unfit") refuseLine(host, line);
  }
  return fail("ssh.notOurs", { host });
}

/** The lines of an answer before its end. One without an end isn't whole, and may be of another program. */
export async function* readToEnd(host: string, { lines }: RemoteProgram): AsyncGenerator<ServedLine> {
  for await (const line of lines) {
    if (line.type === "over") return;
    yield line;
  }
  fail("ssh.notOurs", { host });
}

/** Throws the sentence for a line that isn't the answer to a call. */
export function refuseLine(host: string, line: ServedLine): never {
  if (line.type === "failed") throw new DisplayError(displayText("ssh.says", { host, said: quoteMessage(line.why) }));
  if (line.type === "unfit") throw new DisplayError(explainUnfit(host, line).why);
  return fail("ssh.notOurs", { host });
}
