import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { on, once } from "node:events";
import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { Shell, ShellResult } from "../../src/core/ports/programs.ts";
import { findOnPath } from "../../src/node/processes/programs.ts";
import { createNodeShell } from "../../src/node/processes/shell.ts";
import { type HostTerminals, type LineTerminal, LineTerminals } from "../../src/node/terminal/line-terminals.ts";
import { createTerminalShell, findLinePreparation, type PrepareLine } from "../../src/node/terminal/terminal-shell.ts";

const SCRIPT = findOnPath(["script"]) ?? "/usr/bin/script";

/** Terminals without an editor: an interactive shell each, in a terminal of `script`. */
export interface ShellTerminals extends HostTerminals {
  /** The programs that the terminals are, in the order in which they were opened. */
  readonly opened: readonly ShellTerminal[];
  closeAll(): Promise<void>;
}

/** An open terminal, from its user's side. */
interface ShellTerminal extends LineTerminal {
  /** All that it has shown. */
  readonly shown: string;
  /** Presses keys. */
  press(keys: string): void;
}

/** Opens terminals that run a shell, given by its command line. */
export function shellTerminals(shell: string, env: NodeJS.ProcessEnv = process.env): ShellTerminals {
  const opened: RealTerminal[] = [];
  return {
    shell: shell.split(" ")[0] ?? "",
    opened,
    async open(folder) {
      const terminal = new RealTerminal(shell, folder, env);
      opened.push(terminal);
      return terminal;
    },
    async closeAll() {
      for (const terminal of opened) terminal.dispose();
      await Promise.all(opened.map(({ closed }) => closed));
    },
  };
}

class RealTerminal implements ShellTerminal {
  shown = "";
  isClosed = false;
  readonly closed: Promise<void>;
  private readonly child: ChildProcessWithoutNullStreams;

  constructor(shell: string, cwd: string, env: NodeJS.ProcessEnv) {
    this.child = spawn(SCRIPT, ["-q", "-f", "-c", shell, "/dev/null"], {
      ...(existsSync(cwd) ? { cwd } : {}),
      env: { ...env, SHELL: "/bin/sh", TERM: "xterm", HISTFILE: "/dev/null" },
    });
    this.child.stdout.on("data", (bytes: Buffer) => {
      this.shown += bytes.toString();
    });
    this.child.stdin.on("error", () => undefined);
    this.closed = once(this.child, "exit").then(() => {
      this.isClosed = true;
    });
  }

  readonly isReadable = true;

  type(line: string): AsyncIterable<string> {
    this.press(`${line}\r`);
    return texts(this.child.stdout);
  }

  press(keys: string): void {
    this.child.stdin.write(keys);
  }

  interrupt(): void {
    this.press("\u0003");
  }

  async isFree(): Promise<boolean> {
    return true;
  }

  async waitUntilSettled(): Promise<void> {
    await wait(20);
  }

  show(): void {
    // Nobody looks at it.
  }

  dispose(): void {
    this.child.kill("SIGKILL");
  }
}

/** A shell whose approved lines run in such terminals. */
export interface TerminalUnderTest {
  readonly shell: Shell;
  readonly terminals: LineTerminals;
  readonly host: ShellTerminals;
  /** Real path of the folder that lines run in. */
  readonly folder: string;
  run(
    line: string,
    options?: LineOptions,
  ): Promise<{ readonly result: ShellResult; readonly chunks: readonly string[] }>;
}

/** How a test runs a line. */
interface LineOptions {
  readonly seconds?: number;
  readonly signal?: AbortSignal;
  readonly cwd?: string;
  heard?(chunk: string, terminal: ShellTerminal | undefined): void;
}

/** Opens shells over terminals, and closes them after each test. */
export function terminalShells(tempFolder: () => Promise<string>) {
  const hosts: ShellTerminals[] = [];
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.closeAll();
  });
  return async (
    command: string,
    more: {
      readonly env?: NodeJS.ProcessEnv;
      readonly beginMs?: number;
      readonly prepare?: PrepareLine;
    } = {},
  ): Promise<TerminalUnderTest> => {
    const { env = process.env, ...others } = more;
    const folder = await realpath(await tempFolder());
    const host = shellTerminals(command, env);
    hosts.push(host);
    const terminals = new LineTerminals(host);
    const prepare = await findLinePreparation("integrated");
    if (!prepare) throw new Error("This system has no bash, or no script(1) of util-linux.");
    const outputFolder = await tempFolder();
    const clean = createNodeShell({ outputFolder });
    const redact = (text: string): string => text.replaceAll("SECRET", "[redacted]");
    const shell = createTerminalShell(clean, {
      outputFolder,
      terminals,
      prepare,
      use: "auto",
      redact,
      ...others,
    });
    return {
      shell,
      terminals,
      host,
      folder,
      run: (line, options) => runIn(shell, host, folder, line, options),
    };
  };
}

async function runIn(
  shell: Shell,
  host: ShellTerminals,
  folder: string,
  line: string,
  { seconds = 60, signal = new AbortController().signal, cwd = folder, heard }: LineOptions = {},
): Promise<{ readonly result: ShellResult; readonly chunks: readonly string[] }> {
  const chunks: string[] = [];
  const output = (chunk: string): void => {
    chunks.push(chunk);
    heard?.(chunk, host.opened.at(-1));
  };
  const options = {
    cwd,
    step: 7,
    timeoutSeconds: seconds,
    signal,
    reportOutput: output,
    approvedByUser: true,
  } as const;
  return { result: await shell.run(line, options), chunks };
}

async function* texts(stream: Readable): AsyncIterable<string> {
  for await (const [chunk] of on(stream, "data")) yield String(chunk);
}
