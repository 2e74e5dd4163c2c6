import { existsSync, rmSync } from "node:fs";
import { totalmem } from "node:os";
import { getErrorMessage } from "../../core/base/errors.ts";
import type { Git, Shell } from "../../core/ports/programs.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import { findNodeGit } from "../../node/git/git.ts";
import { createNodeProcesses, type RunProcesses } from "../../node/processes/background-processes.ts";
import type { ProgramWalls, ShellProgram } from "../../node/processes/programs.ts";
import { createNodeShell } from "../../node/processes/shell.ts";
import { addVariables, selectDefinedVariables, selectPlainVariables } from "../../node/processes/shell-environment.ts";
import type { Copy } from "../copy/copy.ts";
import { computeMemoryLimits, type LineStarts, MOST_PROCESSES } from "./line-starts.ts";
import { LineWatch, type WatchedLine } from "./line-watch.ts";
import { findFoldersToOwn, replaceBorrowedFolders, replaceFoldersAfterFailure } from "./own-folders.ts";
import type { WalledOptions, WalledPrograms } from "./walls.ts";

/** Default limit for the size of copies, in bytes. */
const QUOTA_BYTES = 4096 * 1_048_576;

/** The programs of a run, started through an engine's lines. `close` ends everything that the lines shared. */
export function createWalledPrograms(
  copy: Copy,
  lines: LineStarts,
  { runHome, redact, quotaBytes = QUOTA_BYTES, failing = [] }: WalledOptions & { readonly failing?: readonly string[] },
  close: () => Promise<void>,
): WalledPrograms {
  const watch = new LineWatch(
    copy.home,
    {
      processes: MOST_PROCESSES,
      memoryMb: computeMemoryLimits(totalmem()).perRun,
      quotaBytes,
    },
    (record) => void lines.end?.(record),
  );
  const parts = { outputFolder: runHome, redact, failing };
  const plain = createWalledShell(copy, lines, watch, parts);
  const shell = lines.hasLayers ? plain : addOwnFolders(plain, copy, quotaBytes);
  const { processes, endWatches } = createWalledProcesses(copy, lines, watch, parts);
  return {
    shell,
    processes,
    git: createWalledGit(copy, lines),
    walls: createCopyWalls(copy, lines, watch),
    async dispose() {
      await processes.endAll("all");
      endWatches();
      watch.stop();
      await close();
    },
  };
}

const SHELL = "/bin/sh";

interface OutputParts {
  readonly outputFolder: string;
  /** Programs that don't start within the walls, for the outcome of the first line. */
  readonly failing: readonly string[];
  redact(text: string): string;
}

/** A program that starts each line within the walls. */
function createLineProgram(copy: Copy, lines: LineStarts, started: (record: string) => void): ShellProgram {
  // Except on Windows, a line's processes are marked by a shell that starts it.
  const isShell = process.platform === "win32" || lines.file === SHELL;
  return {
    name: lines.shell.name,
    path: isShell ? lines.file : SHELL,
    startsIn: copy.home,
    createArgs(commandLine, cwd = copy.home) {
      const { args, record } = lines.start([lines.shell.path, ...lines.shell.createArgs(commandLine, cwd)], cwd);
      if (record !== undefined) started(record);
      return isShell ? args : ["-c", 'exec "$@"', "walls", lines.file, ...args];
    },
  };
}

/** Starts, watches and records each line separately. Git isn't restricted, since it can't reach anything outside. */
function createWalledShell(copy: Copy, lines: LineStarts, watch: LineWatch, parts: OutputParts): Shell {
  const unsaid =
    parts.failing.length === 0 ? [] : [`These programs don't start in this sandbox: ${parts.failing.join(", ")}.`];
  return {
    name: lines.shell.name,
    version: lines.shell.version,
    async run(commandLine, { harmlessIn: _, ...options }) {
      options.signal.throwIfAborted();
      const failed = await prepareProblem(copy, lines);
      if (failed !== undefined) return { ended: "failed", output: failed, bytes: 0 };
      const watched: WatchedLine[] = [];
      const records: string[] = [];
      const own = createNodeShell({
        ...parts,
        env: lines.env,
        program: createLineProgram(copy, lines, (record) => {
          records.push(record);
          watched.push(watch.begin(record));
        }),
      });
      try {
        const result = await own.run(commandLine, options);
        const found = [...unsaid.splice(0), ...watched.map(({ why }) => why), ...lines.takeNotes()];
        const notes = found.filter((why) => why !== undefined);
        return notes.length === 0 ? result : { ...result, notes: [...(result.notes ?? []), ...notes] };
      } finally {
        for (const record of records) await lines.end?.(record);
        for (const line of watched) line.end();
      }
    },
  };
}

/** If there are no writable layers, gives the run its own folders for a line that installs something or fails to write. */
function addOwnFolders(shell: Shell, copy: Copy, quotaBytes: number): Shell {
  return {
    ...shell,
    async run(commandLine, options) {
      const owning = { quotaBytes, signal: options.signal };
      const before = await replaceBorrowedFolders(copy, findFoldersToOwn(commandLine, copy.borrowed), owning);
      const result = await shell.run(commandLine, options);
      const after = await replaceFoldersAfterFailure(copy, result, owning);
      const notes = [...before, ...(result.notes ?? []), ...after];
      return notes.length === 0 ? result : { ...result, notes };
    },
  };
}

async function prepare({ home }: Copy, lines: LineStarts): Promise<void> {
  if (!existsSync(home)) throw new Error("The copy of this run has been deleted.");
  await lines.prepare();
}

/** Why a line can't run, as a sentence for the model; undefined if it can. */
async function prepareProblem(copy: Copy, lines: LineStarts): Promise<string | undefined> {
  return prepare(copy, lines).then(
    () => undefined,
    (error: unknown) =>
      `The command line was not run, because its sandbox couldn't be prepared: ${getErrorMessage(error)}`,
  );
}

interface BegunLine {
  readonly record: string;
  readonly line: WatchedLine;
}

function createWalledProcesses(copy: Copy, lines: LineStarts, watch: LineWatch, parts: OutputParts) {
  const begun: { last?: BegunLine } = {};
  const watched = new Map<number, BegunLine>();
  const options = {
    ...parts,
    get env() {
      return lines.env;
    },
    program: createLineProgram(copy, lines, (record) => {
      begun.last = { record, line: watch.begin(record) };
    }),
  };
  let starting: Promise<unknown> = Promise.resolve();
  const own = createNodeProcesses(options);
  own.onChange(() => {
    for (const { id, state } of own.list()) if (state !== "running") endWatch(id);
  });
  const endWatch = (id: number): void => {
    const known = watched.get(id);
    watched.delete(id);
    known?.line.end();
    if (known) void lines.end?.(known.record);
  };
  const processes: RunProcesses = {
    ...own,
    start(commandLine, { harmlessIn: _, ...place }) {
      const start = async () => {
        const failed = await prepareProblem(copy, lines);
        if (failed !== undefined) return failed;
        const before = begun.last;
        const started = await own.start(commandLine, place);
        const line = begun.last === before ? undefined : begun.last;
        if (typeof started === "string") line?.line.end();
        else if (line) watched.set(started.id, line);
        return started;
      };
      // One after the other, so that each start knows its own record.
      const result = starting.then(start, start);
      starting = result.catch(() => undefined);
      return result;
    },
  };
  return { processes, endWatches: () => [...watched.keys()].forEach(endWatch) };
}

/** Walls for other components' programs, which are watched together with the run's lines. */
function createCopyWalls(copy: Copy, lines: LineStarts, watch: LineWatch): ProgramWalls {
  return {
    shell: lines.shell,
    async start({ words, cwd, env }, readable) {
      await prepare(copy, lines);
      const inside = addVariables({ ...selectDefinedVariables(lines.env), ...env }, words);
      const { args, record } = lines.start(inside, cwd, readable);
      const watched = record === undefined ? undefined : watch.begin(record);
      return {
        words: [lines.file, ...args],
        cwd: copy.home,
        env: selectPlainVariables(lines.env),
        finish: () => {
          watched?.end();
          if (record !== undefined) void lines.end?.(record);
        },
      };
    },
  };
}

/** Git within the walls; none if this machine has none. Finding a repository only looks at files. */
function createWalledGit(copy: Copy, lines: LineStarts): Git | undefined {
  const outside = findNodeGit();
  const openWalledGit = async (): Promise<Git | undefined> => {
    await prepare(copy, lines);
    return findNodeGit(lines.env, {
      startsIn: copy.home,
      start(words, cwd) {
        const { args, record } = lines.start(words, cwd);
        return {
          file: lines.file,
          args,
          finish: () => record !== undefined && rmSync(record, { force: true }),
        };
      },
    });
  };
  return (
    outside && {
      async findRepository(folder) {
        const found = await outside.findRepository(folder);
        return found && isAtOrBelow(found.root, copy.home) ? found : undefined;
      },
      read: async (...asked) => (await openWalledGit())?.read(...asked) ?? GIT_GONE,
      clone: async (cloning) => (await openWalledGit())?.clone(cloning) ?? GIT_GONE,
    }
  );
}

const GIT_GONE = { ok: false, why: "Git isn't installed any more." } as const;
