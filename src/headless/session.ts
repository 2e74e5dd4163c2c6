import type { Readable, Writable } from "node:stream";
import { omitUndefined } from "../core/base/objects.ts";
import { escapeInvisible } from "../core/base/text.ts";
import type { PackagedPlugins } from "../plugins/own/own-plugins.ts";
import type { Host, HostLog } from "../runtime/host.ts";
import type { OwnCommand } from "../runtime/instructions/own-commands.ts";
import type { ProgramEnd } from "./exit-code.ts";
import {
  createHeadlessHost,
  createTerminalPerson,
  type HeadlessHost,
  type Person,
  type SharedWorkers,
} from "./host.ts";
import type { RunOptions } from "./options.ts";
import { createOutput, type Output } from "./output.ts";
import { demandPlugins, resolveWorkspaceFolder } from "./place.ts";
import { type LoadedSettings, loadSettings } from "./settings.ts";
import { createTerminal, type Terminal } from "./terminal.ts";

/** The program's connections. */
export interface Surroundings {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** The user's own folder on this machine. */
  readonly data: string;
  /** Aborts when the run should stop. */
  readonly signal: AbortSignal;
  /** Asked instead of the person at a terminal. */
  readonly person?: Person;
  /** Absent: each session has its own. */
  readonly workers?: SharedWorkers;
  /** The plugins of `packages` that the program's entry adds; absent: none. */
  readonly packaged?: PackagedPlugins;
  /** Receives more reports while runs work. */
  readonly log?: Partial<HostLog>;
  /** For runs that may move to another machine. */
  readonly fence?: Host["storage"]["fence"];
}

/** A subcommand: takes the arguments behind its name. Throws `UsageError` and other sentences. */
export type Subcommand = (
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  around: Surroundings,
) => Promise<ProgramEnd>;

/** A host, with the request that it serves. */
export interface Session {
  readonly options: RunOptions;
  readonly loaded: LoadedSettings;
  /** Real path of the folder to work in. */
  readonly workspace: string;
  readonly host: HeadlessHost;
  readonly lines: Terminal | undefined;
  readonly out: Output;
  readonly around: Surroundings;
  /** The command that the task begins with. */
  readonly command?: OwnCommand;
  warn(sentence: string): void;
}

/** Opens a host for a request, and closes it afterward. */
export async function runWithSession<T>(
  options: RunOptions,
  around: Surroundings,
  act: (session: Session) => Promise<T>,
): Promise<T> {
  const { stdin, stdout, stderr, data } = around;
  const warn = (text: string): void => void stderr.write(`${escapeInvisible(text)}\n`);
  const workspace = await resolveWorkspaceFolder(options.workspace);
  await demandPlugins(options.plugins);
  const loaded = await loadSettings(workspace, options.sources);
  for (const remark of [...options.remarks, ...loaded.remarks]) warn(remark);
  const { settings } = loaded;
  const lines = stdin.isTTY ? createTerminal(stdin, stderr) : undefined;
  const host = createHeadlessHost({
    workspace,
    settings,
    keys: loaded.keys,
    data,
    plugins: options.plugins,
    yesTo: options.yesTo,
    person: around.person ?? (lines && createTerminalPerson(lines)),
    warn,
    ...omitUndefined({
      workers: around.workers,
      packaged: around.packaged,
      log: around.log,
      fence: around.fence,
      sharesMemory: options.sharesMemory,
      onlyModel: options.onlyModel,
    }),
  });
  const out = createOutput(stdout, () => undefined);
  try {
    return await act({ options, loaded, workspace, host, lines, out, around, warn });
  } finally {
    lines?.close();
    await host.close();
    await out.waitUntilFlushed();
  }
}
