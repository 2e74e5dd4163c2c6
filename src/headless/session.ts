import type { Readable, Writable } from "node:stream";
import { visible } from "../core/base/text.ts";
import { atTerminal, type HeadlessHost, headlessHost, type Person, type SharedWorkers } from "./host.ts";
import type { RunOptions } from "./options.ts";
import { type Output, outputOver } from "./output.ts";
import { demandPlugins, workspaceFolder } from "./place.ts";
import { type LoadedSettings, loadSettings } from "./settings.ts";
import { type Terminal, terminal } from "./terminal.ts";

/** The program's connections. */
export interface Surroundings {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** The user's own folder on this machine. */
  readonly data: string;
  /** Aborts when the run should stop. */
  readonly signal: AbortSignal;
  /** Who is asked in place of the person at a terminal. */
  readonly person?: Person;
  /** Absent: each session has its own. */
  readonly workers?: SharedWorkers;
  /** Called for each piece of a reply to a step. */
  heard?(): void;
}

/** A host with what was asked of it. */
export interface Session {
  readonly options: RunOptions;
  readonly loaded: LoadedSettings;
  /** Real path of the folder to work in. */
  readonly workspace: string;
  readonly host: HeadlessHost;
  readonly lines: Terminal | undefined;
  readonly out: Output;
  readonly around: Surroundings;
  warn(sentence: string): void;
}

/** Opens a host for what was asked, and closes it afterwards. */
export async function inSession<T>(
  options: RunOptions,
  around: Surroundings,
  act: (session: Session) => Promise<T>,
): Promise<T> {
  const { stdin, stdout, stderr, data } = around;
  const warn = (text: string): void => void stderr.write(`${visible(text)}\n`);
  const workspace = await workspaceFolder(options.workspace);
  await demandPlugins(options.plugins);
  const loaded = await loadSettings(workspace, options.sources);
  for (const remark of [...options.remarks, ...loaded.remarks]) warn(remark);
  const { settings } = loaded;
  const lines = stdin.isTTY ? terminal(stdin, stderr) : undefined;
  const host = headlessHost({
    workspace,
    settings,
    keys: loaded.keys,
    data,
    plugins: options.plugins,
    yesTo: options.yesTo,
    person: around.person ?? (lines && atTerminal(lines)),
    warn,
    ...(around.workers ? { workers: around.workers } : {}),
    ...(around.heard ? { heard: around.heard } : {}),
    ...(options.sharesMemory ? { sharesMemory: options.sharesMemory } : {}),
    ...(options.onlyModel ? { onlyModel: options.onlyModel } : {}),
  });
  const out = outputOver(stdout, () => undefined);
  try {
    return await act({ options, loaded, workspace, host, lines, out, around, warn });
  } finally {
    lines?.close();
    await host.close();
    await out.flushed();
  }
}
